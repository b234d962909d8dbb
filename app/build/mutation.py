"""Mutation testing: mutmut changes the code in a small way, and a unit test has to notice.

Rule: the checkout stays as it is; the changed copies are under .cache/mutation.
"""

from __future__ import annotations

import argparse
import os
import random
import re
import shutil
import sys
from pathlib import Path

from app.build.environment import APP, BIN, CACHE, ROOT, BuildError, run, say

PACKAGES = ("app/tabloop/agent", "app/tabloop/endpoint", "app/tabloop/payments")
STAGE = CACHE / "mutation"
LEFT_OUT = shutil.ignore_patterns(
    *(".git", ".venv", ".cache", ".hypothesis", "dist", "node_modules", "__pycache__", "paid")
)
# mutmut takes the package from `src`; tests that read the tree's files find them in `app`
CONFIG = """
[tool.mutmut]
source_paths = ["src"]
only_mutate = {mutated}
also_copy = [
  "app", "src/locales", "src/prompts", "README.md", "docs", "index.html", "pyscript.toml",
]
pytest_add_cli_args = ["-p", "no:cacheprovider"]
pytest_add_cli_args_test_selection = {tests}
use_git_change_detection = false
track_dependencies = false
do_not_mutate_patterns = ['_log\\.']
"""


def main(options: list[str]) -> None:
    """Change a random sample of the code in these paths and print what no test noticed.

    Raises:
        BuildError: mutmut cannot start, for instance because a test fails anyway.
    """
    parser = argparse.ArgumentParser(prog="build.py mutate")
    parser.add_argument("paths", nargs="*", default=PACKAGES, help="folders or modules")
    parser.add_argument("--sample", type=int, default=150, help="so many mutants (0: all)")
    parser.add_argument("--seed", type=int, default=1, help="another seed, another sample")
    chosen = parser.parse_args(options)
    os.environ.pop("PYTHONPATH", None)  # the code that is mutated comes from the stage
    make_stage([Path(path) for path in chosen.paths])
    say("making the mutants and noting which test runs what")
    try:
        mutmut("run", "none")  # it has no command that only prepares
    except BuildError as error:
        if "nothing matches" not in str(error):
            raise
    known = names = sorted(statuses())
    if 0 < chosen.sample < len(known):
        names = random.Random(chosen.seed).sample(known, chosen.sample)
    say(f"testing {len(names)} of {len(known)} mutants")
    mutmut("run", *names)
    report({name: status for name, status in statuses().items() if name in names})


def make_stage(paths: list[Path]) -> None:
    """Copy what the tests need, in mutmut's layout, and choose the tests by their imports."""
    shutil.rmtree(STAGE, ignore_errors=True)
    shutil.copytree(ROOT, STAGE, ignore=LEFT_OUT)
    for name in ("tabloop", "locales", "prompts"):
        shutil.copytree(STAGE / "app" / name, STAGE / "src" / name)
    inside = [(ROOT / path).resolve().relative_to(APP) for path in paths]
    imported = "|".join(sorted({re.escape(".".join(path.parts[:2])) for path in inside}))
    tests = [
        path.relative_to(ROOT).as_posix()
        for path in sorted((ROOT / "tests" / "unit").glob("test_*.py"))
        if re.search(rf"\b({imported})\b", path.read_text("utf-8"))
    ]
    mutated = [f"src/{path.as_posix()}{'' if path.suffix else '/*'}" for path in inside]
    project = STAGE / "pyproject.toml"
    text = project.read_text("utf-8").replace('[".", "app"]', '[".", "src"]')
    project.write_text(text + CONFIG.format(mutated=mutated, tests=tests), "utf-8")


def mutmut(*words: str) -> str:
    """Output of mutmut in the stage."""
    return run(BIN / "mutmut", *words, cwd=STAGE)


def statuses() -> dict[str, str]:
    """The mutants by name, and what became of each."""
    lines = re.findall(r"^ +(\S+): (.+)$", mutmut("results", "--all", "true"), re.MULTILINE)
    return dict(lines)


def report(outcome: dict[str, str]) -> None:
    """Print each change that no test noticed, then the score."""
    killed = [name for name, status in outcome.items() if status in {"killed", "timeout"}]
    for name in outcome.keys() - set(killed):
        print(mutmut("show", name))
    print(f"{len(killed)} of {len(outcome)} mutants killed: {len(killed) / len(outcome):.1%}")


if __name__ == "__main__":
    try:
        main(sys.argv[1:])
    except BuildError as error:
        sys.exit(f"build.py: {error}")
