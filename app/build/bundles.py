"""The Python bundles of dist: which modules go in, and in which of them the page finds one.

Rule: the same sources give the same bytes.
"""

from __future__ import annotations

import json
import re
import tempfile
import zipfile
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import NamedTuple

from app.build import environment as env
from app.build.environment import APP, NPM, NPM_LOCK, BuildError, cached, digest, say
from app.build.gzipped import gzipped

Files = dict[str, bytes]

BUILD = Path(__file__).resolve().parent
LIBRARY = "/lib/python3.14"  # where the page unpacks the bundles
SITE = "site-packages/"  # below LIBRARY
START_LIST = BUILD / "start_modules.txt"  # tests/e2e/test_start.py keeps it
SOON = "# imported with the first question"  # a line of it
# not in a snapshot: tools that a site's owner adds there may hold objects of the page
OWNERS = "tabloop.main"
REPLACED = BUILD / "replaced"  # modules in the place of others that would import much more
LOADER, PLUGINS = "pyodide/_package_loader.py", "pydantic/plugin/_loader.py"
OF_THE_SHELL = ("page", "shell")  # sections of app/locales
PACKAGE_DATA = ("locales", "prompts")  # folders beside the package that its code reads
# Terminals, processes, servers, mail and test runners, which a page cannot use. test_build.py
# proves that every remaining module can be imported without them.
NOT_IN_STDLIB = set(
    "_pyrepl __hello__ __phello__ antigravity doctest ftplib imaplib mailbox multiprocessing pdb "  # noqa: SIM905 -- one name after another
    "pickletools poplib pydoc site-packages smtplib this unittest wsgiref xmlrpc".split()
)


class Source(NamedTuple):
    """Modules that are compiled together; `folder` is theirs below LIBRARY."""

    name: str
    folder: str
    sources: Callable[[], Files]
    optimize: int  # 2 removes docstrings, which a model reads as the description of a tool


def members(archive: Path) -> Iterator[tuple[str, bytes]]:
    """Yield name and content of each file in a zip, sorted by name."""
    with zipfile.ZipFile(archive) as opened:
        for name in sorted(n for n in opened.namelist() if not n.endswith("/")):
            yield name, opened.read(name)


def contents(folder: Path, base: Path) -> Files:
    """Return the files below `folder`; their names are relative to `base`."""
    found = (path for path in sorted(folder.rglob("*")) if path.is_file())
    return {path.relative_to(base).as_posix(): path.read_bytes() for path in found}


def stdlib_sources() -> Files:
    """Return the standard library's modules that a page can use."""
    found = dict(members(NPM / "pyodide" / "python_stdlib.zip"))
    found["pyodide/_whole_package_loader.py"] = found[LOADER]
    found[LOADER] = (REPLACED / "pyodide_package_loader.py").read_bytes()
    return {n: data for n, data in found.items() if re.split(r"[/.]", n)[0] not in NOT_IN_STDLIB}


def wheel_sources() -> Files:
    """Return the modules of the wheels, without metadata for importlib.metadata."""
    found = (member for wheel in env.page_wheels() for member in members(wheel))
    excluded = re.compile(r"\.dist-info/|(\.pyi|\.so|/py\.typed)$")
    files = {name: data for name, data in found if not excluded.search(name)}
    assert PLUGINS in files  # else it has moved, and would be imported
    return {**files, PLUGINS: (REPLACED / "pydantic_plugin_loader.py").read_bytes()}


def app_sources() -> Files:
    """Return the package `tabloop` with its data (locales, prompts) inside."""
    files = contents(APP / "tabloop", APP)
    for folder in PACKAGE_DATA:
        files |= {f"tabloop/{name}": data for name, data in contents(APP / folder, APP).items()}
    for name in files:
        if name.startswith("tabloop/locales/"):
            files[name] = strings_of_python(files[name])
    # a page has no sockets for httpx
    excluded = re.compile(r"/__pycache__/|^tabloop/contrib/httpx_|/py\.typed$")
    return {name: data for name, data in files.items() if not excluded.search(name)}


def strings_of_python(locale: bytes) -> bytes:
    """Return a file of strings without those that only the shell shows; it has them itself."""
    kept = {name: part for name, part in json.loads(locale).items() if name not in OF_THE_SHELL}
    return json.dumps(kept, ensure_ascii=False, separators=(",", ":")).encode()


def tool_sources(*, tools: bool = True) -> Files:
    """Return the files of the app that define tools; all others if not `tools`."""
    return {
        name: data
        for name, data in app_sources().items()
        if (name.startswith("tabloop/tools/") or b"@tool" in data) is tools
    }


SOURCES = (
    Source("stdlib", "", stdlib_sources, optimize=2),
    Source("site", SITE, wheel_sources, optimize=2),
    Source("app", SITE, partial(tool_sources, tools=False), optimize=2),
    Source("tools", SITE, tool_sources, optimize=0),
)


def extension() -> tuple[str, bytes]:
    """Return pydantic's compiled core: its path in site-packages and its content."""
    [found] = [(n, data) for w in env.page_wheels() for n, data in members(w) if n.endswith(".so")]
    return found


def in_pyodide(target: str, sources: Files, root: str, optimize: int) -> bytes:
    """Return the zip file that bytecompile.js makes of these files; `.py` is compiled."""
    compiler = [BUILD / "bytecompile.js", BUILD / "bytecompile.py", NPM_LOCK]

    def make(output: Path) -> None:
        say(f"making {target} ({len(sources)} files)")
        archive = output.with_name("sources.zip")
        with zipfile.ZipFile(archive, "w") as opened:
            for name, data in sources.items():
                opened.writestr(name, data)
        pyodide = NPM / "pyodide" / "pyodide.mjs"
        env.run(env.node()[0], compiler[0], pyodide, archive, output, root, str(optimize))

    inputs = [part for item in sources.items() for part in item]
    key = digest(target, root, str(optimize), *(path.read_bytes() for path in compiler), *inputs)
    return cached("bytecode", ".zip", key, make)


def compiled(source: Source) -> Files:
    """Return the compiled files of a source; their names are relative to LIBRARY."""
    root = f"{LIBRARY}/{source.folder}".rstrip("/")
    archive = in_pyodide(f"{source.name}.zip", source.sources(), root, source.optimize)
    with tempfile.TemporaryDirectory() as scratch:
        path = Path(scratch, "compiled.zip")
        path.write_bytes(archive)
        return {source.folder + name: data for name, data in members(path)}


def listed_modules() -> list[list[str]]:
    """Return the modules imported until the page is ready, and those of the first question."""
    start, _, soon = START_LIST.read_text("utf-8").partition(SOON)
    return [[n for n in part.split("\n") if n and n[0] != "#"] for part in (start, soon)]


def frozen_modules() -> list[str]:
    """Return the start modules that are in the snapshot."""
    return [name for name in listed_modules()[0] if name != OWNERS]


def path_of(module: str, files: Files) -> str:
    """Return the compiled file of a module. Raises `BuildError` if there is none."""
    name = module.replace(".", "/")
    paths = [f"{at}{name}{end}" for at in ("", SITE) for end in (".pyc", "/__init__.pyc")]
    found = next((path for path in paths if path in files), "")
    if not found:
        raise BuildError(f"{START_LIST.name} names {module}, and no such module is shipped.")
    return found


def divided(files: Files) -> dict[str, Files]:
    """Return bundle -> files: what a snapshot replaces, what the page needs always, the rest."""
    start = {path_of(name, files) for name in frozen_modules()}
    page = {path_of(name, files) for part in listed_modules() for name in part} - start
    used = {path.rpartition("/")[0] for path in start | page}
    for path in files.keys() - start - page:
        folder = path.rpartition("/")[0]
        # locales and prompts are folders without modules
        if not path.endswith(".pyc") and (folder in used or not has_modules(folder, files)):
            page.add(path)
    late = {path: data for path, data in files.items() if path not in start | page}
    index = json.dumps(sorted(name for path in late if (name := module_of(path)))).encode()
    return {
        "start.bin": {path: data for path, data in files.items() if path in start},
        "page.bin": {p: d for p, d in files.items() if p in page} | {"late.json": index},
        "late.bin": late,
    }


def has_modules(folder: str, files: Files) -> bool:
    """Return whether modules lie directly in a folder."""
    return any(p.endswith(".pyc") and p.rpartition("/")[0] == folder for p in files)


def module_of(path: str) -> str:
    """Return the module's name for a compiled file, blank for data."""
    if not path.endswith(".pyc"):
        return ""
    return path.removeprefix(SITE).removesuffix(".pyc").removesuffix("/__init__").replace("/", ".")


def packed(files: Files) -> bytes:
    """Return the content of a bundle, which is gzipped because few hosts compress `.bin`.

    u32 little-endian length of the header, header `[[name, size], ...]` as JSON, the files.
    """
    header = json.dumps([[name, len(data)] for name, data in files.items()]).encode()
    return b"".join((len(header).to_bytes(4, "little"), header, *files.values()))


def bundles() -> Files:
    """Return the bundles of dist. Raises `BuildError`."""
    with ThreadPoolExecutor(max_workers=2) as pool:
        files = {path: data for part in pool.map(compiled, SOURCES) for path, data in part.items()}
        parts = divided(dict(sorted(files.items())))
        made = {name: pool.submit(gzipped, name, packed(parts[name])) for name in parts}
        return {name: result.result() for name, result in made.items()}
