"""Pages of notebooks: pictures have words, solutions are folded, links lead somewhere. (In print: tests/browser.)"""

import subprocess
import sys

import nbformat
import pytest
from bs4 import BeautifulSoup
from export import export
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output
from rerun import FOLDER

TOOL = FOLDER.parent / "tools" / "export.py"
REAL = FOLDER / "00-start-here.ipynb"
DOT = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg=="
CLOSED = {"jp-MarkdownHeadingCollapsed": True}


def picture(**alt):
    output = new_output("display_data", {"image/png": DOT, "text/plain": "<P>"}, metadata={"image/png": alt})
    return new_code_cell("draw()", execution_count=1, outputs=[output])


def page_of(tmp_path, *cells):
    cells = [new_markdown_cell("# A & B: one\n\nText."), *cells]
    path = tmp_path / "own.ipynb"
    nbformat.write(new_notebook(cells=cells), path)
    return BeautifulSoup(export(path, tmp_path / "pages").read_text(encoding="utf-8"), "html.parser")


@pytest.fixture(scope="module")
def real(tmp_path_factory):
    page = export(REAL, tmp_path_factory.mktemp("pages"))
    return page, BeautifulSoup(page.read_text(encoding="utf-8"), "html.parser")


def test_no_picture_of_a_real_notebook_is_without_words(real):
    cells = nbformat.read(REAL, as_version=4).cells
    outputs = [output for cell in cells for output in cell.get("outputs", [])]
    words = [output.metadata["image/png"]["alt"] for output in outputs if "image/png" in output.get("data", {})]
    assert [image["alt"] for image in real[1]("img")] == words
    assert all(words)


def test_links_of_a_real_notebook_lead_somewhere(real):
    path, page = real
    names = {notebook.stem for notebook in FOLDER.glob("*.ipynb")}
    anchors = {element["id"] for element in page.select("[id]")}
    for link in page.select("a[href]"):
        target, _, anchor = link["href"].partition("#")
        if target.startswith(("http", "mailto:")):
            continue
        if target.endswith(".html"):
            assert target.removesuffix(".html") in names, link
        elif target:
            assert (path.parent / target).is_file(), link
        else:
            assert anchor in anchors, link


def test_a_page_has_its_language_and_its_title(real, tmp_path):
    page = real[1]
    assert page.html["lang"] == "en"
    assert page.title.text == page.h1.text.removesuffix("¶")
    assert page_of(tmp_path).title.text == "A & B: one"


def test_nothing_but_formulas_is_fetched(real):
    fetched = [element["src"] for element in real[1].select("script[src], link[href], iframe")]
    assert [address for address in fetched if "mathjax" not in address] == []


def test_words_of_a_picture_are_kept_as_they_are(tmp_path):
    (image,) = page_of(tmp_path, picture(alt='x < 3 & "y"'))("img")
    assert image["alt"] == 'x < 3 & "y"'


@pytest.mark.parametrize("cell", [picture(), new_markdown_cell("![](https://example.org/a.png)")])
def test_a_picture_without_words_is_refused(tmp_path, cell):
    with pytest.raises(ValueError, match=r"own.ipynb: 1 pictures say nothing; run make notebooks ARGS=own"):
        page_of(tmp_path, cell)


def test_a_solution_is_folded_up_to_the_next_heading(tmp_path):
    cells = [
        new_markdown_cell("#### Solution 1\n\nBecause.", metadata=CLOSED),
        new_code_cell("6 * 7"),
        new_markdown_cell("##### A detail"),
        new_markdown_cell("### Exercise 2"),
    ]
    page = page_of(tmp_path, *cells)
    (fold,) = page.select("details.solution")
    assert fold.summary.h4["id"] == "Solution-1"
    assert not fold.has_attr("open")
    text = fold.get_text()
    assert all(word in text for word in ("Because.", "6", "A detail"))
    assert "Exercise 2" not in text
    assert len(page("h4")) == 1


def test_links_lead_to_pages_and_copies(tmp_path):
    (tmp_path / "results").mkdir()
    (tmp_path / "results" / "a b.csv").write_text("1", encoding="utf-8")
    text = "[next](02-next.ipynb#Part-II) [numbers](results/a%20b.csv) [here](#A) [web](https://example.org)"
    page = page_of(tmp_path, new_markdown_cell(text))
    links = [link["href"] for link in page.select("p a")]
    assert links == ["02-next.html#Part-II", "results/a b.csv", "#A", "https://example.org"]
    assert (tmp_path / "pages" / "results" / "a b.csv").read_text(encoding="utf-8") == "1"


def test_the_command_says_what_it_wrote_and_what_is_not_there(tmp_path):
    command = [sys.executable, TOOL, "--to", tmp_path]
    done = subprocess.run([*command, REAL.stem], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == str(tmp_path / f"{REAL.stem}.html")
    wrong = subprocess.run([*command, "99-gone"], capture_output=True, text=True, check=False)
    assert wrong.returncode == 1
    assert "99-gone.ipynb" in wrong.stderr
