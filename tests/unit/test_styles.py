"""The styles: one scale for text, one for distances, all files small and in the page."""

import re
from pathlib import Path

import pytest

from app.build.page import STYLES, styles

FOLDER = Path(__file__).resolve().parents[2] / "app" / "styles"
FILES = sorted(FOLDER.glob("*.css"))
SPACED = re.compile(r"[\s;{](margin|padding|gap)(-[a-z-]+)?:([^;}]*)")
SIZED = re.compile(r"[\s;{](font|font-size):([^;}]*)")
LENGTH = re.compile(r"(?<![\w.-])\d*\.?\d+(rem|px)\b")


def rules(path: Path) -> str:
    """Return a file's rules without comments and without the definitions of tokens."""
    text = re.sub(r"/\*.*?\*/", "", path.read_text("utf-8"), flags=re.DOTALL)
    return re.sub(r"--[\w-]+:[^;}]*", "", text)


def test_every_file_is_in_the_page_and_small() -> None:
    assert {path.stem for path in FILES} == set(STYLES)
    assert {p.stem for p in FILES if len(p.read_text("utf-8").splitlines()) > 250} == set()
    assert all(path.read_bytes() in styles() for path in FILES)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_sizes_of_text_and_distances_are_tokens(path: Path) -> None:
    text = rules(path)
    assert not [m[0] for m in SIZED.finditer(text) if LENGTH.search(m[2])]
    spaced = [m for m in SPACED.finditer(text) if LENGTH.search(m[3])]
    # a border, a target, the top of a tick, a step's mark, room for a button
    allowed = {"1px", "2.75rem", "0.12rem", "1.1rem", "7rem"}
    assert not [m[0] for m in spaced if {n[0] for n in LENGTH.finditer(m[3])} - allowed]


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_every_token_is_defined(path: Path) -> None:
    used = set(re.findall(r"var\((--[\w-]+)", path.read_text("utf-8")))
    assert used <= set(re.findall(r"(--[\w-]+):", styles().decode()))
