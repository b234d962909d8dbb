"""The pages that are measured side by side. Rule: all come from the same kind of server.

`page` is the built page, `stock` is `loadPyodide()` as npm ships it without any app, and `bare` is
the built page's HTML and CSS without scripts.
"""

import re
import shutil
from collections.abc import Generator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path

from tests.standins.servers import running_standins

__all__ = ["BARE", "OTHER", "PAGE", "READY", "STOCK", "served"]

PAGE, STOCK, BARE, OTHER = "page", "stock", "bare", "other"
READY = "tabloop:ready"  # the mark that says that a page has started
STOCK_FILES = (
    *("pyodide.mjs", "pyodide.asm.mjs", "pyodide.asm.wasm"),
    *("python_stdlib.zip", "pyodide-lock.json"),
)
STOCK_SCRIPT = f"""\
import {{ loadPyodide }} from './pyodide.mjs';
await loadPyodide();
performance.mark('{READY}');
"""
STOCK_HTML = (
    '<!doctype html><html><head><meta charset="utf-8"><title>Stock</title></head>'
    '<body>Starting<script type="module" src="./stock.js"></script></body></html>'
)
SCRIPTS = re.compile(
    r'<script.*?</script>|<mpy-config.*?</mpy-config>|<link rel="(?:module)?preload".*?>', re.DOTALL
)


@contextmanager
def served(
    dist: Path, npm: Path, scratch: Path, other: str = ""
) -> Generator[Mapping[str, str], None, None]:
    """Serve the pages until the block ends; yield name -> address.

    `npm` is the folder of the npm package `pyodide`, `other` the address of one more page, which
    has to set the mark `READY` as ours does.
    """
    with ExitStack() as stack:
        ours = stack.enter_context(running_standins(dist, compress=True))
        addresses = {PAGE: ours.page_url}
        for name, folder in (
            (STOCK, _stock(npm, scratch / STOCK)),
            (BARE, _bare(dist, scratch / BARE)),
        ):
            site = stack.enter_context(running_standins(folder, compress=True))
            addresses[name] = site.page_url
        yield addresses | ({OTHER: other} if other else {})


def _stock(npm: Path, folder: Path) -> Path:
    folder.mkdir()
    for name in STOCK_FILES:
        shutil.copy(npm / name, folder)
    (folder / "stock.js").write_text(STOCK_SCRIPT)
    (folder / "index.html").write_text(STOCK_HTML)
    (folder / "pyscript.toml").touch()  # what every static site here has
    return folder


def _bare(dist: Path, folder: Path) -> Path:
    folder.mkdir()
    for styles in dist.glob("build-*/static"):
        shutil.copytree(styles, folder / styles.relative_to(dist))
    (folder / "pyscript.toml").touch()
    html = (dist / "index.html").read_text("utf-8")
    (folder / "index.html").write_text(SCRIPTS.sub("", html), "utf-8")
    return folder
