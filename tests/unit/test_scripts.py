"""The scripts that Python calls have the functions that Python declares, and no others."""

import ast
import re
import subprocess
from pathlib import Path

import pytest

from app.build.environment import node

ROOT = Path(__file__).resolve().parents[2]
SCRIPTS, BROWSER = ROOT / "app" / "js", ROOT / "app" / "tabloop" / "browser"
EXPORT = re.compile(r"export (?:async )?(?:function|const) (\w+)")
MEMBER = re.compile(r" {2}(?:async )?(\w+)[,(:]")
FOR_BOOT_JS = {"died", "newer", "progress", "settings"}  # boot.js and offline.js call them


def declared(module: str, protocol: str) -> set[str]:
    """Names of a protocol's methods, by reading the file: its import would need a page."""
    tree = ast.parse((BROWSER / module).read_text("utf-8"))
    [found] = [n for n in tree.body if isinstance(n, ast.ClassDef) and n.name == protocol]
    methods = [n for n in found.body if isinstance(n, ast.FunctionDef | ast.AsyncFunctionDef)]
    return {method.name for method in methods}


def exported(script: str) -> set[str]:
    """Names that a module exports. A form of export that is not known here is an error."""
    lines = (SCRIPTS / script).read_text("utf-8").splitlines()
    found = {line: EXPORT.match(line) for line in lines if line.startswith("export")}
    return {match[1] if match else line for line, match in found.items()}


def assigned(script: str, name: str) -> set[str]:
    """Names in an object literal that a script assigns to a constant at its top level."""
    text = (SCRIPTS / script).read_text("utf-8")
    [body] = re.findall(rf"^const {name} = {{\n(.*?)^}};$", text, flags=re.DOTALL | re.MULTILINE)
    found = {line: MEMBER.match(line) for line in body.splitlines() if re.match(r" {2}\w", line)}
    return {match[1] if match else line for line, match in found.items()}


@pytest.mark.parametrize(
    ("script", "module", "protocol"),
    [
        ("bridge.js", "bridge.py", "Bridge"),
        ("markdown.js", "markdown.py", "MarkdownModule"),
        ("site.js", "site_pages.py", "SiteScripts"),
        ("x402.js", "payment_scripts.py", "PaymentScripts"),
    ],
)
def test_python_declares_what_a_script_exports(script: str, module: str, protocol: str) -> None:
    assert declared(module, protocol) == exported(script) != set()


def test_python_declares_what_the_shell_offers() -> None:
    assert declared("shell.py", "Shell") == assigned("shell.js", "shell") - FOR_BOOT_JS != set()
    assert "\nwindow.tabloop = shell;\n" in (SCRIPTS / "shell.js").read_text("utf-8")


def test_every_id_of_the_page_is_there_once() -> None:
    ids = re.findall(r' id="([^"]+)"', (ROOT / "index.html").read_text("utf-8"))
    assert len(ids) == len(set(ids))


@pytest.fixture(scope="module")
def formatted() -> str:
    """What markdown_cases.mjs prints."""
    script = Path(__file__).with_name("markdown_cases.mjs")
    done = subprocess.run([node()[0], script], capture_output=True, text=True, check=False)
    return done.stdout or done.stderr


def test_a_short_answer_is_formatted_on_a_busy_computer(formatted: str) -> None:
    assert "<strong>Yes</strong>" in formatted


@pytest.mark.parametrize(
    "text", ["marks", "brackets", "emoji", "words", "lines", "vowels", "empty"]
)
def test_plain_text_is_laid_out_in_short_pieces_that_are_all_of_it(
    formatted: str, text: str
) -> None:
    # all of it, none too long, no character cut in two
    assert f"{text}: true true false\n" in formatted


def test_plain_text_is_cut_between_its_lines(formatted: str) -> None:
    assert '\n["\\n"]\n' in formatted


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("\u0430pple.com", "xn--pple-43d.com"),  # the first letter is Cyrillic
        ("https://www.\u0430pple.com/x", "www.xn--pple-43d.com"),
        ("m\u00fcller.de", ""),
        ("example.com/\u4e2d", ""),
    ],
)
def test_a_host_that_looks_like_another_one_is_written_after_its_link(
    formatted: str, text: str, said: str
) -> None:
    assert f"{text} leads to: {said}, {said}.\n" in formatted


def test_hundreds_of_marks_on_one_letter_are_not_formatted(formatted: str) -> None:
    assert "marks plain: marks" in formatted


def test_hundreds_of_thai_vowels_on_one_letter_are_laid_out_in_very_short_pieces(
    formatted: str,
) -> None:
    assert "vowels plain: marks" in formatted
    assert "vowels in pieces: true" in formatted


@pytest.mark.parametrize(
    ("first", "last"),  # Default_Ignorable_Code_Point of Unicode: what fonts show as nothing
    [
        *((0xAD, 0xAD), (0x34F, 0x34F), (0x61C, 0x61C), (0x115F, 0x1160), (0x17B4, 0x17B5)),
        *((0x180B, 0x180F), (0x200B, 0x200F), (0x202A, 0x202E), (0x2060, 0x206F)),
        *((0x3164, 0x3164), (0xFE00, 0xFE0F), (0xFEFF, 0xFEFF), (0xFFA0, 0xFFA0)),
        *((0xFFF0, 0xFFF8), (0x1BCA0, 0x1BCA3), (0x1D173, 0x1D17A), (0xE0000, 0xE0FFF)),
    ],
)
def test_no_sign_that_shows_nothing_comes_from_a_link(first: int, last: int) -> None:
    script = (SCRIPTS / "shell_link.js").read_text("utf-8")
    pairs = re.findall(r"^  \[(0x\w+), (0x\w+)\],$", script, re.MULTILINE)
    assert any(int(low, 16) <= first and last <= int(high, 16) for low, high in pairs)
