"""Builds, serves and tests the page. Rule: standard library only; app/build makes dist.

python build.py                    makes dist/, ready for any static host
python build.py package            builds, then packs dist/ into tabloop-<version>.zip
python build.py serve [options]    builds, then serves dist/ with local stand-ins of the services
python build.py test [options]     builds, then runs pytest with these options
python build.py test --engines [chromium firefox webkit] [options]   a smoke test in these engines
python build.py checks             ruff, pyright, mypy, import contract, tsc, biome
python build.py screenshots [states] [options]   pictures of the main states in screenshots/
python build.py bench [--runs 5] [--engines chromium firefox webkit] [--against URL] [--json]
                                   how fast page and loop are, beside baselines of the same run
python build.py audit              asks the registries for advisories about what ships
python build.py hosts              what four kinds of host send until the page is ready
python build.py quality --llm-url URL --llm-model NAME [--llm-key-env VAR] [--sample N] [--json]
                                   60 questions to a model; --browser: the browser's own
python build.py mutate [--sample 150] [--seed 1] [paths]   changes code: does a test notice?
"""

from __future__ import annotations

import sys

if sys.version_info < (3, 11):  # noqa: UP036 -- before imports that an older Python lacks
    sys.exit(f"build.py needs Python 3.11 or newer; this is {sys.version.split()[0]}.")

import os
import subprocess
import zipfile
from collections.abc import Callable
from functools import partial
from itertools import takewhile
from pathlib import Path
from typing import NamedTuple

from app.build.audit import audit
from app.build.browsers import ENGINES, chromium, install_engines
from app.build.checks import run_checks
from app.build.environment import (
    APP,
    BENCH,
    CACHE,
    DIST,
    NPM,
    PYTHON,
    ROOT,
    SITES,
    BuildError,
    install,
    make_venv,
    npm_packages,
    page_wheels,
    paid_packages,
)
from app.build.hosts import print_hosts
from app.build.package import package
from app.build.page import write_dist

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None


WITHOUT_BROWSER = ("tests/build", "tests/unit")  # folders


class Step(NamedTuple):
    """A step of a command; `remedy` says what to do if it fails."""

    name: str
    run: Callable[[], object]
    remedy: str


def replace_process(*command: str | Path) -> None:
    """Replace this process by a program, which then gets Ctrl-C and other signals itself."""
    words = [str(word) for word in command]
    sys.stdout.flush()
    os.chdir(ROOT)
    os.environ["PYTHONPATH"] = str(APP)  # where the package `tabloop` is
    if os.name == "nt":
        raise SystemExit(subprocess.call(words))
    os.execv(words[0], words)


def chosen_tests(options: list[str]) -> list[str]:
    """Return the pytest options that name files or folders."""
    return [option for option in options if (ROOT / option.split("::")[0]).exists()]


def needs_no_browser(options: list[str]) -> bool:
    """Return whether only tests are chosen that need no browser and no paid server."""
    chosen = chosen_tests(options)
    return bool(chosen) and all(option.startswith(WITHOUT_BROWSER) for option in chosen)


def run_tests(options: list[str]) -> None:
    """Run pytest with these options; all tests if they name none."""
    chosen = chosen_tests(options)
    if not needs_no_browser(options):
        os.environ["TABLOOP_CHROMIUM"] = chromium()
    # A file stays on one worker, which keeps its page open; tests/conftest.py keeps the order.
    workers = ("--numprocesses", "auto", "--dist", "loadfile", "--no-loadscope-reorder")
    everything = (*WITHOUT_BROWSER, "tests/e2e", *workers, "--cov", "--cov-branch")
    replace_process(PYTHON, "-m", "pytest", *(() if chosen else everything), *options)


def run_engines(options: list[str]) -> None:
    """Test the engines that `options` begin with, or all; pytest gets the other options."""
    names = list(takewhile(ENGINES.__contains__, options))
    unknown = options[len(names) : len(names) + 1]
    if unknown and not unknown[0].startswith("-") and not chosen_tests(unknown):
        raise BuildError(f"There is no engine {unknown[0]}: {', '.join(ENGINES)}.")
    tested = names or list(ENGINES)
    install_engines(tested)
    os.environ["TABLOOP_ENGINES"] = " ".join(tested)
    replace_process(PYTHON, "-m", "pytest", "tests/engines", *options[len(names) :])


def take_screenshots(options: list[str]) -> None:
    """Take pictures of the page's main states; the options are those of tests/screenshots.py."""
    os.environ["TABLOOP_CHROMIUM"] = chromium()
    replace_process(PYTHON, "-m", "tests.screenshots", *options)


def measure_quality(options: list[str]) -> None:
    """Ask a model the questions of tests/quality."""
    if "--browser" in options:
        os.environ["TABLOOP_CHROMIUM"] = chromium()
    replace_process(PYTHON, "-m", "tests.quality", *options)


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
    Step("compressor", partial(install, "build"), ONLINE),
    Step("dist", write_dist, "Repair the file that is named; without .cache all is made anew."),
)
TEST_PACKAGES = Step("test packages", partial(install, "test"), ONLINE)
PAID_STEP = Step("the paid server's packages", paid_packages, ONLINE)
SITES_STEP = Step("Pagefind for tests", partial(npm_packages, SITES), ONLINE)
BENCH_STEP = Step("other libraries for the bench", partial(npm_packages, BENCH), ONLINE)
ENGINES_REMEDY = (
    "Install Chromium with ChromeDriver, Firefox ESR and WebKitGTK with WebKitWebDriver and xvfb "
    "(Debian, Ubuntu: the packages chromium-driver, firefox-esr, webkit2gtk-driver, xvfb, xauth), "
    "or name only those engines that are there."
)
CHROMIUM_REMEDY = "Install Chromium or Chrome, or set TABLOOP_CHROMIUM to the path of one."


def commands(options: list[str]) -> dict[str, tuple[Step, ...]]:
    """Return the steps of each command, given the command's options."""
    stand_ins = partial(replace_process, PYTHON, "-m", "tests.standins", "--dist", DIST, *options)
    mutants = partial(replace_process, PYTHON, "-m", "app.build.mutation", *options)
    tests = Step("tests", partial(run_tests, options), CHROMIUM_REMEDY)
    if options[:1] == ["--engines"]:
        tests = Step("engines", partial(run_engines, options[1:]), ENGINES_REMEDY)
    measured = ("--dist", DIST, "--npm", NPM / "pyodide")
    bench = partial(replace_process, PYTHON, "-m", "tests.bench", *measured, *options)
    engines = partial(install_engines, [*filter(options.__contains__, ENGINES)] or ["chromium"])
    serve_packages = Step("stand-ins' packages", partial(install, "serve"), ONLINE)
    return {
        "build": BUILD,
        "package": (*BUILD, Step("package", package, "Free some space.")),
        "serve": (
            *BUILD,
            serve_packages,
            *([PAID_STEP] if "--paid" in options else []),
            Step("serve", stand_ins, "Delete .venv and try again."),
        ),
        "test": (
            *BUILD,
            TEST_PACKAGES,
            *([] if needs_no_browser(options) else [PAID_STEP, SITES_STEP]),
            tests,
        ),
        "screenshots": (
            *BUILD,
            TEST_PACKAGES,
            PAID_STEP,
            Step("screenshots", partial(take_screenshots, options), CHROMIUM_REMEDY),
        ),
        "bench": (
            *BUILD,
            TEST_PACKAGES,
            BENCH_STEP,
            Step("engines", engines, ENGINES_REMEDY),
            Step("bench", bench, "Try again on a machine with less to do."),
        ),
        "audit": (*BUILD[:-1], Step("audit", audit, "Update the package that is named.")),
        "hosts": (*BUILD, Step("hosts", print_hosts, "Repair what is named.")),
        "quality": (
            *(BUILD if "--browser" in options else [VENV_STEP]),
            TEST_PACKAGES,
            Step("quality", partial(measure_quality, options), CHROMIUM_REMEDY),
        ),
        "mutate": (
            VENV_STEP,
            Step("test packages", partial(install, "mutate"), ONLINE),
            Step("mutants", mutants, "Delete .venv and try again."),
        ),
        "checks": (VENV_STEP, NPM_STEP, TEST_PACKAGES, Step("checks", run_checks, "Repair it.")),
    }


def run_steps(steps: tuple[Step, ...]) -> int:
    """Run the steps in order; return 0, or 1 after printing which one failed and what to do."""
    try:
        CACHE.mkdir(exist_ok=True)
        opened = (CACHE / "lock").open("w")
    except OSError as error:
        print(f"build.py: {error}\nWhat to do: let this folder be written to.", file=sys.stderr)
        return 1
    with opened as lock:
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
    """Run a command; return the exit code (0: success, 1: a step failed, 2: wrong arguments)."""
    name, *options = arguments or ["build"]
    table = commands(options)
    if name not in table or (options and name in {"audit", "build", "checks", "hosts", "package"}):
        print(__doc__, file=sys.stderr)
        return 2
    try:
        return run_steps(table[name])
    except KeyboardInterrupt:
        return 130


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
