"""The cells of a notebook as parts of a page: text with formulas, code in colours, outputs as they are saved."""

import re
from html import escape

from formulas import mathml
from nbconvert.filters.markdown_mistune import IPythonRenderer, MarkdownWithMath
from nbformat import NotebookNode
from panel_text import PanelText, panel_text
from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import get_lexer_by_name

ALIVE = "In JupyterLab this panel is alive: there you move its controls, and it answers at once."

MAX_FORMULA = 18  # signs that stand in one line of a phone


class Renderer(IPythonRenderer):
    """Markdown as in notebooks, with formulas that are set already; headings get their ids later."""

    def __init__(self) -> None:
        super().__init__(escape=False, exclude_anchor_links=True)

    def inline_math(self, body: str) -> str:
        """A formula within a line; a long one, which no browser breaks, stands in a box that may scroll."""
        made = mathml(body)
        long = len(re.sub("<[^>]*>", "", made)) > MAX_FORMULA
        return f'<span class="long">{made}</span>' if long else made

    def block_math(self, body: str) -> str:
        """A formula in a line of its own."""
        return mathml(body, display=True)

    def latex_environment(self, name: str, body: str) -> str:
        """The same, without dollars around it."""
        return mathml(f"\\begin{{{name}}}{body}\\end{{{name}}}", display=True)

    def block_code(self, code: str, info: str | None = None) -> str:
        """A listing, in colours if it says its language."""
        return listing(code, (info or "text").split()[0])


def markdown(source: str) -> str:
    """A text as HTML."""
    return MarkdownWithMath(renderer=Renderer()).render(source)


def listing(source: str, language: str = "python") -> str:
    """Code in colours."""
    lines = highlight(source, get_lexer_by_name(language, stripnl=False), HtmlFormatter(nowrap=True))
    return f"<pre><code>{lines.rstrip()}</code></pre>"


def cell_html(cell: NotebookNode) -> str:
    """A cell and what it has put out."""
    if cell.cell_type == "markdown":
        return f'<div class="cell">{markdown(cell.source)}</div>\n'
    outputs = "".join(output_html(output) for output in cell.outputs)
    return f'<div class="cell">{listing(cell.source)}{outputs}</div>\n'


def output_html(output: NotebookNode) -> str:
    """One output of a cell: a panel, a picture, HTML or text."""
    if output.output_type == "stream":
        return printed(output.text)
    if output.output_type == "error":
        return printed("\n".join(output.traceback))
    data = output.data
    panel = panel_text(data.get("text/plain", ""))
    if "image/png" in data:
        alt = output.metadata.get("image/png", {}).get("alt", "")
        return panel_html(panel, data["image/png"]) if panel else image(data["image/png"], alt)
    if "text/html" in data:
        return f'<div class="output">{data["text/html"]}</div>'
    if "text/plain" in data:
        return printed(data["text/plain"])
    raise ValueError(f"an output of the kinds {', '.join(data)} cannot be shown on a page")


def printed(text: str) -> str:
    """Text that a cell has put out, without codes for colours."""
    plain = re.sub(r"\x1b\[[\d;]*m", "", text).rstrip()
    return f'<pre class="output">{escape(plain, quote=False)}</pre>'


def image(png: str, alt: str) -> str:
    """A picture that stands in the page itself."""
    return f'<p class="picture"><img src="data:image/png;base64,{"".join(png.split())}" alt="{escape(alt)}"></p>'


def panel_html(panel: PanelText, png: str) -> str:
    """A panel as its pictures, with its controls and numbers in tables."""
    alt = f"{panel.name}, a panel. Below the picture stand its controls and its numbers."
    return (
        f'<figure class="panel">{image(png, alt)}<figcaption><p>{ALIVE}</p>'
        f"{pairs(f'Controls of {panel.name}', panel.controls)}{pairs('Its numbers', panel.facts)}"
        "</figcaption></figure>"
    )


def pairs(caption: str, told: dict[str, str]) -> str:
    """A table of names and values."""
    rows = "".join(
        f'<tr><th scope="row">{escape(name)}</th><td>{escape(value)}</td></tr>' for name, value in told.items()
    )
    return f"<table><caption>{escape(caption)}</caption><tbody>{rows}</tbody></table>"
