"""Pages of notebooks: pictures have words, solutions are folded, links lead somewhere. (In print: tests/browser.)"""

import re
import subprocess
import sys
from base64 import b64decode

import nbformat
import pytest
from bs4 import BeautifulSoup
from export import export, main
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output, new_raw_cell
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


@pytest.mark.parametrize(
    "cell", [picture(), picture(alt="  "), new_markdown_cell("![](https://example.org/a.png)")]
)
def test_a_picture_without_words_is_refused(tmp_path, cell):
    with pytest.raises(ValueError, match=r"own.ipynb: pictures without words: 1; run make notebooks ARGS=own"):
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
    page = page_of(tmp_path, new_markdown_cell(" ".join(f'<a href="{link}">a</a>' for link in links)))
    assert [link["href"] for link in page.select("p a")] == list(links.values())
    assert (tmp_path / "pages" / "results" / "a b.csv").read_text(encoding="utf-8") == "1"
    assert (tmp_path / "pages" / "results" / "b#100%.csv").read_text(encoding="utf-8") == "2"


def test_a_file_above_the_notebooks_and_one_beside_them_are_two(tmp_path):
    home = tmp_path / "notebooks"
    home.mkdir()
    for folder in (tmp_path, home):
        (folder / "README.md").write_text(folder.name, encoding="utf-8")
    page = page_of(home, new_markdown_cell("[above](../README.md) [beside](README.md)"))
    assert [link["href"] for link in page.select("p a")] == ["up/README.md", "README.md"]
    copies = [home / "pages" / link for link in ("up/README.md", "README.md")]
    assert [copy.read_text(encoding="utf-8") for copy in copies] == [tmp_path.name, home.name]


def test_local_pictures_are_copied(tmp_path):
    (tmp_path / "x.png").write_bytes(b64decode(DOT))
    page = page_of(tmp_path, new_markdown_cell('![A dot](x.png) <img src="x.png" alt="It again">'))
    assert [image["src"] for image in page("img")] == ["x.png"] * 2
    assert (tmp_path / "pages" / "x.png").is_file()


def test_a_page_may_be_written_beside_what_it_links_to(tmp_path):
    (tmp_path / "a.csv").write_text("1", encoding="utf-8")
    nbformat.write(new_notebook(cells=[new_markdown_cell("[a](a.csv)")]), tmp_path / "own.ipynb")
    assert export(tmp_path / "own.ipynb", tmp_path).is_file()


@pytest.mark.parametrize("link", ["gone.csv", "results/", "99-gone.ipynb", "/etc/hostname", "[x.png"])
def test_a_link_to_what_is_not_there_is_refused(tmp_path, link):
    (tmp_path / "results").mkdir()
    with pytest.raises(ValueError, match=rf"own.ipynb: there is no file {re.escape(link)}"):
        page_of(tmp_path, new_markdown_cell(f'<a href="{link}">a</a>'))


def test_an_address_that_is_none_is_refused_with_the_notebooks_name(tmp_path):
    with pytest.raises(ValueError, match=r"own.ipynb: Invalid IPv6"):
        page_of(tmp_path, new_markdown_cell('<a href="http://[x">a</a>'))


@pytest.mark.parametrize(
    ("source", "title"),
    [("Text alone.", "own"), ("A title\n===\n", "A title"), ("Before.\n\n# **A** `b`", "A b")],
)
def test_a_notebook_needs_no_heading(tmp_path, source, title):
    cells = [new_markdown_cell(source), new_raw_cell("raw"), new_code_cell("1")]
    nbformat.write(new_notebook(cells=cells), tmp_path / "own.ipynb")
    page = export(tmp_path / "own.ipynb", tmp_path / "pages").read_text(encoding="utf-8")
    assert BeautifulSoup(page, "html.parser").title.text == title


def test_a_collapsed_cell_without_a_heading_is_no_fold(tmp_path):
    page = page_of(tmp_path, new_markdown_cell("No heading.", metadata=CLOSED), new_markdown_cell("Text."))
    assert not page("details")


def test_a_notebook_that_fails_stops_no_other(tmp_path, monkeypatch, capsys):
    for name, text in (("a", "[gone](gone.csv)"), ("b", "Text.")):
        nbformat.write(new_notebook(cells=[new_markdown_cell(text)]), tmp_path / f"{name}.ipynb")
    monkeypatch.setattr("export.find", lambda names: sorted(tmp_path.glob("*.ipynb")))  # noqa: ARG005
    monkeypatch.setattr("sys.argv", ["export.py", "--to", str(tmp_path / "pages")])
    assert main() == 1
    told = capsys.readouterr()
    assert told.err.startswith("a.ipynb: there is no file gone.csv")
    assert told.out.strip() == str(tmp_path / "pages" / "b.html")


def test_the_command_says_what_it_wrote_and_what_is_not_there(tmp_path):
    command = [sys.executable, TOOL, "--to", tmp_path]
    done = subprocess.run([*command, REAL.stem], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == str(tmp_path / f"{REAL.stem}.html")
    wrong = subprocess.run([*command, "99-gone"], capture_output=True, text=True, check=False)
    assert wrong.returncode == 1
    assert "99-gone.ipynb" in wrong.stderr
