"""Runs the linters and type checkers. Rule: all run; the last line names those that failed."""

import os
import subprocess
from pathlib import Path

from app.build.environment import APP, BIN, JS, NPM, PYTHON, ROOT, BuildError, node


def run_checks() -> None:
    """Run all linters and type checkers. Raises `BuildError` that names those that failed."""
    script = node()[0]
    tsc = NPM / "typescript" / "bin" / "tsc"
    biome = NPM / "@biomejs" / "biome" / "bin" / "biome"
    table: dict[str, tuple[str | Path, ...]] = {
        "ruff check": (BIN / "ruff", "check"),
        "ruff format": (BIN / "ruff", "format", "--check"),
        "pyright": (script, NPM / "pyright" / "index.js", "--pythonpath", PYTHON),
        # The users of the package check their programs with mypy as often as with pyright.
        "mypy of the examples": (PYTHON, "-m", "mypy"),
        "the import contract": (BIN / "lint-imports", "--no-logo"),
        "types of the scripts": (script, tsc, "-p", JS),
        "types of the worker": (script, tsc, "-p", JS / "tsconfig.sw.json"),
        "functions of the shell": (script, tsc, "-p", JS / "tsconfig.shell.json"),
        "lint of the scripts": (script, biome, "check", "--error-on-warnings", ".", "../tests"),
    }
    calls = {name: [str(word) for word in command] for name, command in table.items()}
    os.environ["PYTHONPATH"] = str(APP)  # the import contract loads the package
    # Biome looks for its settings in the folder where it is started
    folders = {"lint of the scripts": APP}
    failed = [n for n, words in calls.items() if subprocess.call(words, cwd=folders.get(n, ROOT))]
    if failed:
        raise BuildError(f"Above, {' and '.join(failed)} found something.")
