"""A notebook as a page: words for pictures, folds, headings, tables, links; panels and formulas from their texts."""

import re
from base64 import b64decode

import nbformat
import pytest
from about import about
from bs4 import BeautifulSoup
from formulas import mathml
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output, new_raw_cell
from pages import page_of
from panel_text import PanelText, panel_text
from parts import Part, lessons, mend_links

DOT = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg=="


def picture(**alt):
    output = new_output("display_data", {"image/png": DOT, "text/plain": "<P>"}, metadata={"image/png": alt})
    return new_code_cell("draw()", execution_count=1, outputs=[output])


def output(text, **data):
    return new_code_cell("1", outputs=[new_output("display_data", {"text/plain": text, **data})])


def of(*cells):
    return page_of(new_notebook(cells=[new_markdown_cell("# A & B: one\n\nText."), *cells]), "own")


def linked(home, *sources, folder="site"):
    """The page of a lesson in the folder ``home``, its links mended."""
    notebook = new_notebook(cells=[new_markdown_cell(source) for source in sources])
    part = Part(home / "own.ipynb", notebook, notebook)
    page = page_of(notebook, "own")
    mend_links(page.body, part, part.page, home / folder)
    return page.body


# Pictures, code and text


def test_words_of_a_picture_are_kept_as_they_are():
    assert [image["alt"] for image in of(picture(alt='x < 3 & "y"')).body("img")] == ['x < 3 & "y"']


@pytest.mark.parametrize(
    "cell", [picture(), picture(alt="  "), new_markdown_cell("![](https://example.org/a.png)")]
)
def test_a_picture_without_words_is_refused(cell):
    with pytest.raises(ValueError, match="pictures without words: 1; run make notebooks ARGS=own"):
        of(cell)


def test_code_and_what_it_puts_out_is_text():
    told = [
        new_output("stream", text="a < b\n"),
        new_output("error", ename="E", evalue="e", traceback=["\x1b[31mwrong\x1b[0m"]),
    ]
    page = of(new_code_cell('print("a < b")  # <b>', outputs=told), output("<Table>"))
    assert [block.get_text() for block in page.body("pre")] == [
        'print("a < b")  # <b>',
        "a < b",
        "wrong",
        "1",
        "<Table>",
    ]


def test_an_output_that_no_page_can_show_is_refused():
    with pytest.raises(ValueError, match="an output of the kinds application/x cannot be shown"):
        of(new_code_cell("1", outputs=[new_output("display_data", {"application/x": "1"})]))


def test_raw_cells_are_not_shown():
    assert "raw" not in of(new_raw_cell("raw")).body.get_text()


# Headings


@pytest.mark.parametrize(
    ("source", "title"),
    [("Text alone.", "own"), ("A title\n===\n", "A title"), ("Before.\n\n## **A** `b`", "A b")],
)
def test_a_notebook_needs_no_heading(source, title):
    page = page_of(new_notebook(cells=[new_markdown_cell(source), new_code_cell("1")]), "own")
    assert page.title == page.body.h1.get_text() == title


def test_headings_get_levels_without_jumps_and_anchors_of_their_own():
    texts = ["# Part I", "## 1 One (10 minutes, easy)", "#### Deep", "# Part II", "## 1 One (10 minutes, easy)"]
    page = of(*map(new_markdown_cell, texts))
    assert [(entry.level, entry.anchor, entry.words) for entry in page.contents] == [
        (2, "Part-I", "Part I"),
        (3, "1-One-(10-minutes,-easy)", "1 One"),
        (4, "Deep", "Deep"),
        (2, "Part-II", "Part II"),
        (3, "1-One-(10-minutes,-easy)-2", "1 One"),
    ]
    assert [heading.name for heading in page.body(re.compile(r"h\d"))] == ["h1", "h2", "h3", "h4", "h2", "h3"]


# Tables and panels

FRAME = """<div><style scoped>x</style><table border="1" class="dataframe"><thead><tr>
<th></th><th colspan="2">a</th></tr>
</thead><tbody><tr><th>r</th><td>1</td><td>2</td></tr></tbody></table></div>"""


def test_a_table_says_what_its_headings_head_and_has_a_label():
    page = of(new_markdown_cell("## 1 One"), output("a", **{"text/html": FRAME})).body
    assert [(cell.name, cell.get("scope")) for cell in page(["th", "td"])] == [
        ("td", None),
        ("th", "colgroup"),
        ("th", "row"),
        ("td", None),
        ("td", None),
    ]
    assert page.caption.text == "Table 1, in: 1 One"
    assert page.select_one("div.scroll[role=group]")["aria-labelledby"] == page.caption["id"]
    assert not page("style")


def test_a_table_of_text_without_headings_has_none_and_a_caption_is_kept():
    page = of(
        new_markdown_cell("| | |\n|---|---|\n| a | b |"),
        new_markdown_cell("<table><caption>Own</caption></table>"),
    )
    first, second = page.body("table")
    assert not first("th")
    assert second.caption.text == "Own"


LINE = (
    "NoiseExplorer(actions={'a': 'drop', 'b): ': 'keep'}, who='x\\ny', server=False, left='', known=['p', 'q'], "
    "own=own): ε: 0.85 for one coin; infinite for all; error: 18 in this draw; note: the paper (§5): 3; accepted: 1; "
    "b: 2; accepted: 3"
)


def test_a_panel_is_read_from_its_line():
    assert panel_text(LINE) == PanelText(
        "NoiseExplorer",
        {
            "actions": "a: drop; b): : keep",
            "who": "x; y",
            "server": "no",
            "left": "none",
            "known": "p, q",
            "own": "your own",
        },
        {
            "ε": "0.85 for one coin; infinite for all",
            "error": "18 in this draw",
            "note": "the paper (§5): 3; accepted: 1",
            "b": "2; accepted: 3",
        },
    )
    assert panel_text("array([1, 2])") is None
    assert panel_text("TreeExplorer(a=1): too few records").facts == {"shown": "too few records"}
    with pytest.raises(ValueError, match="a panel's text is not its call and its numbers: 'TreeExplorer"):
        panel_text("TreeExplorer(a=1")


def test_a_panel_is_its_picture_and_two_tables():
    (panel,) = of(output(LINE, **{"image/png": DOT})).body("figure")
    assert panel.img["alt"] == "NoiseExplorer, a panel. Below the picture stand its controls and its numbers."
    assert [table.caption.text for table in panel("table")] == ["Controls of NoiseExplorer", "Its numbers"]
    assert {row.th.text: row.td.text for row in panel("table")[1]("tr")}["error"] == "18 in this draw"
    assert {heading["scope"] for heading in panel("th")} == {"row"}


# Formulas


@pytest.mark.parametrize(
    ("tex", "expected"),
    [
        (r"\frac1n", "<mfrac><mn>1</mn><mi>n</mi></mfrac>"),
        (r"\frac34", "<mfrac><mn>3</mn><mn>4</mn></mfrac>"),
        ("x^2_i", "<msubsup><mi>x</mi><mi>i</mi><mn>2</mn></msubsup>"),
        ("f'_X", "<msubsup><mi>f</mi><mi>X</mi><mo>′</mo></msubsup>"),
        (r"\Pr{}'", '<msup><mi mathvariant="normal">Pr</mi><mo>′</mo></msup>'),
        (r"e^{-2\alpha}", "<msup><mi>e</mi><mrow><mo>−</mo><mn>2</mn><mi>α</mi></mrow></msup>"),
        (r"\sqrt k", "<msqrt><mi>k</mi></msqrt>"),
        ("10,000.5", "<mn>10,000.5</mn>"),
        (r"\hat P", '<mover accent="true"><mi>P</mi><mo stretchy="false">^</mo></mover>'),
        (r"\text{a < b}", "<mtext>a &lt; b</mtext>"),
        (r"\mathbb E", "<mi>𝔼</mi>"),
        (r"\sum_i", '<munder><mo movablelimits="true">∑</mo><mi>i</mi></munder>'),
        (r"\ln 3", '<mrow><mi mathvariant="normal">ln</mi><mspace width="0.167em"></mspace><mn>3</mn></mrow>'),
        (r"\operatorname{Var}", '<mi mathvariant="normal">Var</mi>'),
    ],
)
def test_a_formula_is_set(tex, expected):
    assert mathml(tex) == f"<math>{expected}</math>"


def test_a_matrix_and_a_formula_in_a_line_of_its_own():
    made = mathml(r"\begin{pmatrix} a & b \\ c & d \end{pmatrix}", display=True)
    table = "<mtr><mtd><mi>a</mi></mtd><mtd><mi>b</mi></mtd></mtr><mtr><mtd><mi>c</mi></mtd><mtd><mi>d</mi></mtd></mtr>"
    assert made == f'<math display="block"><mrow><mo>(</mo><mtable>{table}</mtable><mo>)</mo></mrow></math>'


@pytest.mark.parametrize(
    ("tex", "fault"),
    [
        (r"\oint x", r"does not know \\oint"),
        (r"\frac{a}", "something"),
        ("{a", "is missing"),
        ("a}", "'}' is out of place"),
        (r"\begin{cases} a \end{cases}", "pmatrix, not 'cases'"),
        ("x^", "'its end' stands where 'something' is expected"),
        (r"\mathbb Q", r"does not know \\mathbb\{Q\}"),
        (r"\text{a", "is missing"),
    ],
)
def test_a_formula_that_is_not_understood_is_refused(tex, fault):
    with pytest.raises(ValueError, match="cannot be set") as error:
        mathml(tex)
    assert re.search(fault, str(error.value))


def test_formulas_in_text_and_in_tables_are_set():
    page = of(new_markdown_cell("$a$ and\n\n$$b$$\n\n| $c \\mid d$ |\n|---|\n| 1 |\n\n`$e$`")).body
    assert [formula.get_text() for formula in page("math")] == ["a", "b", "c|d"]
    assert page("code")[-1].text == "$e$"


def test_a_long_formula_in_a_line_may_scroll():
    short, long = of(new_markdown_cell("$a = b$ and $f(a) = (a + b + c + d) / (1 - e)$")).body("math")
    assert short.parent.name == "p"
    assert long.parent["class"] == ["long"]


# Links


def test_links_lead_to_pages_and_copies(tmp_path):
    (tmp_path / "results").mkdir()
    (tmp_path / "results" / "a b.csv").write_text("1", encoding="utf-8")
    (tmp_path / "results" / "b#100%.csv").write_text("2", encoding="utf-8")
    (tmp_path / "02-next.ipynb").touch()
    links = {
        "02-next.ipynb#Part-II": "02-next.html#Part-II",
        "results/a%20b.csv?x=1": "results/a%20b.csv?x=1",
        "results/b%23100%25.csv": "results/b%23100%25.csv",
        "#A": "#A",
        "https://example.org": "https://example.org",
        "//example.org/x": "//example.org/x",
        "svn+ssh://example.org/x": "svn+ssh://example.org/x",
    }
    body = linked(tmp_path, "# A", " ".join(f'<a href="{link}">a</a>' for link in links))
    assert [link["href"] for link in body.select("p a")] == list(links.values())
    assert (tmp_path / "site/lessons/results/a b.csv").read_text(encoding="utf-8") == "1"
    assert (tmp_path / "site/lessons/results/b#100%.csv").read_text(encoding="utf-8") == "2"


def test_a_file_above_the_notebooks_and_one_beside_them_are_two(tmp_path):
    home = tmp_path / "notebooks"
    home.mkdir()
    for folder in (tmp_path, home):
        (folder / "README.md").write_text(folder.name, encoding="utf-8")
    body = linked(home, "[above](../README.md) [beside](README.md)")
    assert [link["href"] for link in body.select("p a")] == ["up/README.md", "README.md"]
    copies = [home / "site" / "lessons" / link for link in ("up/README.md", "README.md")]
    assert [copy.read_text(encoding="utf-8") for copy in copies] == [tmp_path.name, home.name]


def test_local_pictures_are_copied(tmp_path):
    (tmp_path / "x.png").write_bytes(b64decode(DOT))
    body = linked(tmp_path, '![A dot](x.png) <img src="x.png" alt="It again">')
    assert [image["src"] for image in body("img")] == ["x.png"] * 2
    assert (tmp_path / "site" / "lessons" / "x.png").is_file()


@pytest.mark.parametrize("link", ["gone.csv", "results/", "99-gone.ipynb", "/etc/hostname", "[x.png"])
def test_a_link_to_what_is_not_there_is_refused(tmp_path, link):
    (tmp_path / "results").mkdir()
    with pytest.raises(ValueError, match=rf"there is no file {re.escape(link)}"):
        linked(tmp_path, f'<a href="{link}">a</a>')


@pytest.mark.parametrize("link", ["coursework/README.md", "coursework/w1.ipynb", "../../outside.txt"])
def test_a_link_to_what_students_do_not_get_is_refused(tmp_path, link):
    home = tmp_path / "project" / "notebooks"
    (home / "coursework").mkdir(parents=True)
    for path in (home / "coursework" / "README.md", tmp_path / "outside.txt"):
        path.touch()
    fault = "there is no file" if link.endswith("w1.ipynb") else "students do not get"
    with pytest.raises(ValueError, match=fault):
        linked(home, f'<a href="{link}">a</a>')


def test_an_address_that_is_none_is_refused(tmp_path):
    with pytest.raises(ValueError, match="Invalid IPv6"):
        linked(tmp_path, '<a href="http://[x">a</a>')


def test_a_lesson_says_who_has_its_solutions(tmp_path):
    cells = [
        new_markdown_cell("# A"),
        new_markdown_cell("They are in [coursework](coursework/solutions-00.ipynb)."),
    ]
    nbformat.write(new_notebook(cells=cells), tmp_path / "00-a.ipynb")
    (part,) = lessons(tmp_path)
    assert part.notebook.cells[1].source == "They are in coursework, which your lecturer has."
    assert "solutions" in part.own.cells[1].source


# What a notebook says of itself

FIRST = """# A title

A citation.

What it is about.

<div class="alert alert-info">

**After this notebook** you can

1. do one thing,
   and more;
2. do another.

**You need**: paper. **Time**: 5 + 6 minutes, and 7 of exercises. More words. **To run
it**: nothing.

</div>
"""


def test_a_notebook_says_its_objectives_its_time_and_what_one_needs():
    said = about(new_notebook(cells=[new_markdown_cell(FIRST)]), "own.ipynb")
    assert (said.title, said.lead) == ("A title", "A citation.\n\nWhat it is about.")
    assert said.goals == ("do one thing, and more;", "do another.")
    assert said.goals_said == "**After this notebook** you can:"
    assert (said.needs, said.time) == ("paper.", "5 + 6 minutes, and 7 of exercises")
    assert said.labels["To run it"] == "nothing."


@pytest.mark.parametrize("gone", ["# A title", "1. do one thing,\n   and more;\n2. do another.", "**Time**"])
def test_a_notebook_that_does_not_say_it_is_refused(gone):
    cells = [new_markdown_cell(FIRST.replace(gone, ""))]
    with pytest.raises(ValueError, match=r"own\.ipynb: its first cell does not say its title, its objectives"):
        about(new_notebook(cells=cells), "own.ipynb")


def test_the_page_of_a_tree_is_text():
    page = of(new_markdown_cell("```\na\n  b\n```"), new_markdown_cell("```python\nx = 1\n```")).body
    assert [block.get_text() for block in BeautifulSoup(str(page), "html.parser")("pre")] == ["a\n  b", "x = 1"]
