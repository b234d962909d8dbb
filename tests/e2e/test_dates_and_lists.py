"""Dates stay dates, lists stay lists, links say where they lead, and no text freezes the tab."""

from collections.abc import Callable
from typing import Any

import pytest

from tests.e2e.chat_page import ChatPage

RENDER = """async text => {
  const {renderInto} = await import(document.querySelector('link[href$="/markdown.js"]').href);
  const target = document.createElement('div');
  const start = performance.now();
  const formatted = renderInto(target, text, {table: 'table', code: 'code'}, ['https://known.example/']);
  const ms = performance.now() - start;
  return {formatted, ms, html: target.innerHTML, text: target.textContent};
}"""


def _rendered(chat: ChatPage, text: str) -> dict[str, Any]:
    result: dict[str, Any] = chat.page.evaluate(RENDER, text)
    return result


def _lines(text: str) -> list[str]:
    return [line.strip() for line in text.splitlines() if line.strip()]


# --- dates and lists ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        "9. September\n10. September\n11. September",
        "9. und 10. September 2026 tagte der Bundestag",
        "9. bis 11. September",
        "9. & 10. September",
        "9. – 11. September",  # noqa: RUF001 -- as people write it
        "9. - 11. September",
        "9. and 10. May",
        "9. und 10. Sitzung",
        "9. Sept 2026",
        "9. Aug 2026",
        "9. Dez 2026",
        "9. Sep 2026: x",
        "9. Mar 2026",
        "9. Oct. 2026",
        "9. M\u00e4rz 2026",
        "9. Ma\u0308rz 2026",
        "9. 9. 2026",
        "30. Juni\n1. Juli",
        "4. Juli 1776\n5. Juli 1776",
        "1. Mai ist frei.\n\n3. Oktober auch.",
    ],
)
def test_dates_do_not_become_a_list(warm_chat: ChatPage, text: str) -> None:
    shown = _rendered(warm_chat, text)
    assert "<li" not in shown["html"]
    assert _lines(shown["text"]) == _lines(text)


@pytest.mark.parametrize(
    ("text", "html"),
    [
        ("9. **September** 2026", "<p>9. <strong>September</strong> 2026</p>"),
        ("9. *September*", "<p>9. <em>September</em></p>"),
        ("9. <b>September</b>", "<p>9. <b>September</b></p>"),
        ("> 9. September", "<p>9. September</p>"),
        ("- 9. September\n- 10. September", "<li>9. September</li>\n<li>10. September</li>"),
        ("1. 9. September", '<li value="1">9. September</li>'),
        ("Sie tagte am\n1. Mai 2026.", "<p>Sie tagte am\n1. Mai 2026.</p>"),
        ("9. Mai:\n   - x", "<p>9. Mai:</p>\n<ul>\n<li>x</li>"),
        ("3. c\n4. d\n\n9. Mai 2026 war", "</ol>\n<p>9. Mai 2026 war</p>"),
        ("<p>\n9. September\n</p>", "<p>\n9. September\n</p>"),
        ("`a\n9. September`", "<code>a 9. September</code>"),
        ("```\n9. September\n```", "9. September\n</code>"),
    ],
)
def test_a_date_stays_as_written_wherever_it_stands(
    warm_chat: ChatPage, text: str, html: str
) -> None:
    shown = _rendered(warm_chat, text)
    assert html in shown["html"]
    assert "\\" not in shown["html"]


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("10. a\n9. b\n8. c", [10, 9, 8]),
        ("92. Sitzung\n95. Sitzung", [92, 95]),
        ("1. a\n1. b\n1. c", [1, 2, 3]),
        ("0. a\n1. b", [0, 1]),
        ("1. a\n3. b\n2. c", [1, 3, 2]),
        ("1. Januar\n2. Februar\n3. März", [1, 2, 3]),
        ("1. Oktober\n2. November\n3. Dezember\n4. Januar", [1, 2, 3, 4]),
        ("1. Jan Korte\n2. Heidi", [1, 2]),
        ("1. Who?\n2. May we?\n3. Yes", [1, 2, 3]),
    ],
)
def test_a_list_keeps_its_numbers(warm_chat: ChatPage, text: str, numbers: list[int]) -> None:
    html = _rendered(warm_chat, text)["html"]
    values = [int(part.split('"')[0]) for part in html.split('<li value="')[1:]]
    assert values == numbers


# --- links --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "html"),
    [
        ("[x](http:settings)", 'href="http://settings/"'),
        ("[x](https:evil.example)", 'href="https://evil.example/"'),
        ("[https://a.example](https://evil.example)", "</a> (evil.example)"),
        ("[see a.example](https://evil.example)", "</a> (evil.example)"),
        ("[a&#46;example](https://evil.example)", "</a> (evil.example)"),
        ("https://a.example@evil.example", "</a> (evil.example)"),
        ("[me@a.example](mailto:x@evil.example)", "</a> (x@evil.example)"),
        ("[a\u202efdp.exe](https://a.example/\u202ex)", 'href="https://a.example/x"'),
        ("https://a.example/b_(c)/index.html", "index.html</a></p>"),
        ("[a.example](https://www.a.example/b)", "a.example</a></p>"),
        ("[www.a.example](https://a.example)", "a.example</a></p>"),
        ("first.last@a.example", "</a></p>"),
        ("[the plan](https://a.example)", "the plan</a> (a.example)</p>"),
        ("[the plan](https://known.example)", "the plan</a></p>"),
        ("[the plan](https://known.example/other)", "the plan</a> (known.example)</p>"),
        ("[a.example](https://known.example)", "a.example</a> (known.example)</p>"),
        ("[write](mailto:a@a.example?cc=b@a.example)", 'href="mailto:a@a.example"'),
    ],
)
def test_a_link_shows_where_it_leads(warm_chat: ChatPage, text: str, html: str) -> None:
    shown = _rendered(warm_chat, text)["html"]
    assert html in shown
    assert "\u202e" not in shown


# --- speed --------------------------------------------------------------------------------------

WHOLE = 29_990


def _filled(part: str) -> str:
    return (part * (WHOLE // len(part) + 1))[:WHOLE]


ENDLESS = (
    *("*_a", "_a__ ", "**a", "a_", "**`a", "1", "a\n-\n", "a\n=\n", "[a](", "https://a.b/("),
    *("|x|y|z|w|\n", "- a\n  - b\n    - c\n", "- **a** _b_\n", "- " * 39 + "x\n", "**word** "),
)


@pytest.mark.parametrize("part", ENDLESS)
def test_no_text_freezes_the_tab(
    warm_chat: ChatPage, part: str, record_property: Callable[[str, object], None]
) -> None:
    head = "|a|b|c|d|\n|-|-|-|-|\n" if part.startswith("|") else ""
    took = _rendered(warm_chat, head + _filled(part))["ms"]
    record_property("ms", took)  # at most 300 on an idle machine
    assert took < 60_000, "a net: what grows with the square or faster takes minutes"


def test_a_long_answer_of_the_usual_kind_is_formatted(warm_chat: ChatPage) -> None:
    block = (
        "## Title\n\nA **weighty** sentence with [a source](https://a.example/x), `code` and more, "
        "as long as sentences of models are, and then *another* of the same kind.\n\n"
        "- Point **one**\n- Point two\n\n| a | b |\n|---|---|\n| Word | Number 1 |\n\n"
    )
    assert _rendered(warm_chat, block * 60)["formatted"]


GROW = """async text => {
  const {renderInto} = await import(document.querySelector('link[href$="/markdown.js"]').href);
  const labels = {table: 'table', code: 'code'};
  const [growing, whole] = [document.createElement('div'), document.createElement('div')];
  for (let at = 0; at < text.length; at += 300) renderInto(growing, text.slice(0, at), labels);
  renderInto(growing, text, labels);
  renderInto(whole, text, labels);
  const end = performance.now() + 60_000;
  while (growing.innerHTML !== whole.innerHTML && performance.now() < end)
    await new Promise(resolve => setTimeout(resolve, 50));
  return growing.innerHTML === whole.innerHTML;
}"""


@pytest.mark.parametrize("part", ["*_a", "- **a** _b_\n", "A sentence.\n\n9. Mai\n10. Mai\n\n"])
def test_a_text_in_pieces_ends_with_the_same_markup_as_in_one_piece(
    warm_chat: ChatPage, part: str
) -> None:
    assert warm_chat.page.evaluate(GROW, _filled(part)[:12_000])


STAYS = """async () => {
  const {renderInto} = await import(document.querySelector('link[href$="/markdown.js"]').href);
  const labels = {table: 'table', code: 'code'};
  const target = document.createElement('div');
  renderInto(target, 'first\\n\\nsecond', labels);
  const before = target.firstChild;
  renderInto(target, 'first\\n\\nsecond and more', labels);
  return before === target.firstChild && target.textContent.includes('and more');
}"""


def test_a_finished_paragraph_stays_in_place_while_the_text_grows(warm_chat: ChatPage) -> None:
    assert warm_chat.page.evaluate(STAYS)
