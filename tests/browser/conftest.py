import contextlib
import os

import pytest
from lab import browser, chromium, jupyterlab


@pytest.fixture(scope="session")
def lab_folder(tmp_path_factory):
    """Where the server keeps its notebooks."""
    return tmp_path_factory.mktemp("lab")


@pytest.fixture(scope="session")
def lab(lab_folder):
    with jupyterlab(lab_folder) as url:
        yield url


def missing(reason):
    """Without a browser a user's run skips; in CI it fails."""
    if os.environ.get("CI"):
        pytest.fail(f"the browser tests must run in CI, but {reason}")
    pytest.skip(reason)


@pytest.fixture(scope="module")  # longer, and tests of other folders would find Playwright's loop running
def running_browser():
    try:
        import playwright.sync_api  # noqa: F401
    except ImportError:
        missing("playwright is not installed: pip install -e '.[notebooks,dev]'")
    if chromium() is None:
        missing("no Chromium found: install one, or name it in the environment variable CHROMIUM")
    with contextlib.ExitStack() as stack:
        try:
            running = stack.enter_context(browser())
        except Exception as error:  # Playwright's driver may lack a system library, which it says on stderr
            missing(f"Chromium or Playwright's driver does not start: {error}")
        yield running


@pytest.fixture
def page(running_browser, lab):
    """A new page that fails its test for any error in the browser and for any request to another machine."""
    complaints = []
    context = running_browser.new_context(viewport={"width": 1400, "height": 1000})
    page = context.new_page()
    page.on("pageerror", lambda error: complaints.append(f"error in the page: {error}"))
    page.on("console", lambda line: line.type == "error" and complaints.append(f"console: {line.text}"))
    local = (lab, lab.replace("http:", "ws:"), "data:", "blob:")
    page.on(
        "request", lambda request: request.url.startswith(local) or complaints.append(f"asked for {request.url}")
    )
    yield page
    context.close()
    assert complaints == []
