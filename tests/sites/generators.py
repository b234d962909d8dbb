"""Builds the museum's site with real generators: `python -m tests.sites.generators TOOLS TARGET`.

Rule: no test runs it, because generators take minutes and hundreds of megabytes to install. TOOLS
holds what README.md beside this file installs; the indexes in `tests/sites/built` come from it.
"""

import json
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

PAGES = Path(__file__).with_name("pages")
CONFIG = Path(__file__).with_name("config")
NAME = "Harbour Museum"
MKDOCS = f"site_name: {NAME}\ntheme:\n  name: material\nplugins:\n  - search\n"
SPHINX = f"""\
project = "{NAME}"
extensions = ["myst_parser"]
html_theme = "furo"
myst_heading_anchors = 3
"""
TOCTREE = "\n```{toctree}\n:glob:\n\nen/*\nde/*\n```\n"


def mkdocs(tools: Path, work: Path, target: Path) -> None:
    """Material for MkDocs: /search/search_index.json."""
    (work / "mkdocs.yml").write_text(MKDOCS)
    shutil.copytree(PAGES, work / "docs")
    _run(work, tools / "python" / "bin" / "mkdocs", "build", "-q", "-d", target)


def sphinx(tools: Path, work: Path, target: Path) -> None:
    """Sphinx with furo: /searchindex.js."""
    shutil.copytree(PAGES, work / "docs")
    (work / "docs" / "conf.py").write_text(SPHINX)
    index = work / "docs" / "index.md"
    index.write_text(index.read_text("utf-8") + TOCTREE, "utf-8")
    _run(work, tools / "python" / "bin" / "sphinx-build", "-q", "docs", target)


def pagefind(tools: Path, work: Path, target: Path) -> None:
    """Eleventy's pages with Pagefind: /pagefind/."""
    shutil.copytree(PAGES, work, dirs_exist_ok=True)
    (work / "_includes").mkdir()
    shutil.copy(CONFIG / "page.liquid", work / "_includes")
    shutil.copy(CONFIG / "eleventy.config.mjs", work)
    modules = tools / "pagefind" / "node_modules"
    (work / "node_modules").symlink_to(modules)
    for page in work.glob("**/*.md"):
        if "node_modules" not in page.parts:
            title = page.read_text("utf-8").partition("\n")[0].removeprefix("# ")
            front = f"---\ntitle: {json.dumps(title, ensure_ascii=False)}\n---\n"
            page.write_text(front + page.read_text("utf-8"), "utf-8")
    _run(work, modules / ".bin" / "eleventy", "--quiet", f"--output={target}")
    _run(work, modules / ".bin" / "pagefind", "--site", target)


def docusaurus(tools: Path, work: Path, target: Path) -> None:
    """Docusaurus with @easyops-cn/docusaurus-search-local: /search-index.json."""
    shutil.copytree(PAGES, work / "docs")
    shutil.copy(CONFIG / "docusaurus.config.js", work)
    (work / "package.json").write_text('{"name": "museum", "private": true}')
    modules = tools / "docusaurus" / "node_modules"
    (work / "node_modules").symlink_to(modules)
    _run(work, modules / ".bin" / "docusaurus", "build", "--out-dir", target)


GENERATORS: Mapping[str, Callable[[Path, Path, Path], None]] = {
    "mkdocs": mkdocs,
    "sphinx": sphinx,
    "pagefind": pagefind,
    "docusaurus": docusaurus,
}


def _run(work: Path, *command: object) -> None:
    subprocess.run(list(map(str, command)), cwd=work, check=True)


def main(tools: Path, target: Path, *names: str) -> None:
    """Build the named sites, or all, each into a folder of `target`."""
    for name in names or tuple(GENERATORS):
        work, made = target / f"{name}.work", target / name
        for folder in (work, made):
            shutil.rmtree(folder, ignore_errors=True)
        work.mkdir(parents=True)
        GENERATORS[name](tools.resolve(), work.resolve(), made.resolve())
        shutil.rmtree(work)


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]), *sys.argv[3:])
