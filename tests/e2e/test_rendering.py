"""Text of a model is shown as formatted text only: it loads and runs nothing."""

import pytest
from playwright.sync_api import expect

from tests.e2e.chat_page import ChatPage
from tests.standins.faults import Reply


def _says(text: str | None) -> Reply:
    message = {"role": "assistant", "content": text}
    return Reply({"choices": [{"index": 0, "message": message, "finish_reason": "stop"}]})


def _answer(chat: ChatPage, text: str) -> str:
    chat.standins.proxy.behave(_says(text))
    article = chat.ask_and_wait("say it")
    return article.locator('[data-part="text"]').inner_html()


@pytest.mark.parametrize(
    "text",
    [
        "<img src=https://evil.example/a.png onerror=alert(1)>",
        "![x](https://evil.example/b.png)",
        "![x][r]\n\n[r]: https://evil.example/c.png",
        '<style>@import "https://evil.example/d.css"</style>',
        '<link rel=stylesheet href="https://evil.example/e.css">',
        '<iframe src="https://evil.example/f"></iframe><object data="https://evil.example/g">',
        '<svg><image href="https://evil.example/h.png"/></svg>',
        '<form action="https://evil.example/i"><button>Send</button></form>',
        '<video poster="https://evil.example/j.png" src="https://evil.example/k.mp4"></video>',
        '<p style="background:url(https://evil.example/l.png)">x</p>',
        "<script>fetch('https://evil.example/m')</script>",
        '<base href="https://evil.example/"><a href="n">x</a>',
    ],
)
def test_model_text_never_loads_anything(warm_chat: ChatPage, text: str) -> None:
    html = _answer(warm_chat, f"before\n\n{text}\n\nafter")
    assert "before" in html
    assert "after" in html
    for tag in ("<img", "<style", "<link", "<iframe", "<object", "<svg", "<form", "<video"):
        assert tag not in html
    assert " style=" not in html
    assert not [url for url in warm_chat.requested if "evil.example" in url]


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("Write to <Ihr Name> or <E-Mail-Adresse>.", "Write to <Ihr Name> or <E-Mail-Adresse>."),
        ("It holds that a<b und c>d.", "It holds that a<b und c>d."),
        ("<Vorname Nachname>", "<Vorname Nachname>"),
        ("List<String> and Map<K,V>", "List<String> and Map<K,V>"),
        ("H<sub>2</sub>O, <span class=x>y</span><br/>z", "H2O, y\nz"),
    ],
)
def test_words_in_angle_brackets_are_kept_as_text(
    warm_chat: ChatPage, text: str, shown: str
) -> None:
    warm_chat.standins.proxy.behave(_says(text))
    article = warm_chat.ask_and_wait("say it")
    assert article.locator('[data-part="text"]').inner_text().strip() == shown


@pytest.mark.parametrize(
    "begin",
    [
        "a <b>x",
        "a <b>x *y</b> z*",
        "<b>\nx",
        "- a <i>x",
        "## a <u>x",
        "|a|\n|-|\n|<s>x|",
        "a <code>x",
    ],
)
def test_an_unclosed_tag_ends_with_its_block(warm_chat: ChatPage, begin: str) -> None:
    warm_chat.standins.proxy.behave(_says(f"{begin}\n\nplain words"))
    article = warm_chat.ask_and_wait("say it")
    last = article.locator('[data-part="text"]').get_by_text("plain words", exact=True)
    assert last.evaluate("(one) => !one.closest('b, i, u, s, em, code')")


@pytest.mark.parametrize(
    "href",
    [
        "javascript:alert(1)",
        "java\tscript:alert(1)",
        "&#106;avascript:alert(1)",
        "data:text/html,<script>alert(1)</script>",
        "vbscript:x",
        "blob:https://evil.example/x",
        "file:///etc/passwd",
    ],
)
def test_a_link_with_an_unknown_scheme_is_only_text(warm_chat: ChatPage, href: str) -> None:
    html = _answer(warm_chat, f'[click me]({href}) <a href="{href}">or me</a>')
    assert "click me" in html
    assert "href" not in html


def test_links_open_in_a_new_tab_without_a_referrer(warm_chat: ChatPage) -> None:
    warm_chat.standins.proxy.behave(_says("[the session](https://www.bundestakt.de/x)"))
    link = warm_chat.ask_and_wait("say it").get_by_role("link", name="the session")
    expect(link).to_have_attribute("target", "_blank")
    assert {"noopener", "noreferrer"} <= set((link.get_attribute("rel") or "").split())


def test_dates_stay_dates_and_lists_stay_lists(warm_chat: ChatPage) -> None:
    html = _answer(warm_chat, "9. September 2026 war ein Mittwoch.\n\nListe:\n\n3. drei\n4. vier\n")
    assert "9. September 2026 war ein Mittwoch." in html
    assert '<ol start="3">' in html
    assert html.count("<li") == 2


@pytest.mark.parametrize(
    "text", ["```python\nprint(1)", "| a | b |\n|---|---|\n| 1 | 2 |", "**not closed", "# A\n## B"]
)
def test_markdown_of_all_kinds_is_shown(warm_chat: ChatPage, text: str) -> None:
    html = _answer(warm_chat, text)
    assert html.strip()
    assert "```" not in html


def test_a_very_long_answer_does_not_freeze_the_tab(warm_chat: ChatPage) -> None:
    warm_chat.standins.proxy.behave(_says("**word** " * 60_000))
    article = warm_chat.ask_and_wait("say it")
    expect(article).to_contain_text("word")
    assert warm_chat.page.evaluate("1 + 1") == 2


@pytest.mark.parametrize("text", [None, "", "  \n "])
def test_a_blank_answer_is_reported(warm_chat: ChatPage, text: str | None) -> None:
    warm_chat.standins.proxy.behave(_says(text), _says(text))
    article = warm_chat.ask_and_wait("say it")
    expect(warm_chat.problem(article)).to_contain_text("without")


def test_sources_come_from_results_never_from_the_model(warm_chat: ChatPage) -> None:
    warm_chat.standins.proxy.behave(_says("[Source](https://evil.example/made-up)"))
    article = warm_chat.ask_and_wait("say it")
    expect(warm_chat.sources(article)).to_have_count(0)


def test_right_to_left_text_lies_right_and_the_rest_of_the_answer_left(
    warm_chat: ChatPage,
) -> None:
    hebrew, arabic = "\u05e9\u05dc\u05d5\u05dd", "\u0645\u0631\u062d\u0628\u0627"
    text = (
        f"# {hebrew}\n\n{arabic}.\n\n- {hebrew}\n- {arabic}\n\nEnglish.\n\n```\n{hebrew} = 1\n```"
    )
    message = {"role": "assistant", "content": text}
    reply = Reply({"choices": [{"message": message, "finish_reason": "stop"}]})
    warm_chat.standins.proxy.behave(reply)
    article = warm_chat.ask_and_wait(f"{arabic}?")
    directions = article.locator('[data-part="text"]').evaluate(
        "part => [...part.querySelectorAll('h3, p, li, pre')]"
        ".map(block => getComputedStyle(block).direction)"
    )
    assert directions == ["rtl", "rtl", "rtl", "rtl", "ltr", "ltr"]
    question = warm_chat.questions.last.locator("p").first
    assert question.evaluate("p => getComputedStyle(p).direction") == "rtl"


@pytest.mark.parametrize(
    ("text", "bold"),
    [
        ("**Fazit:**Text", "Fazit:"),
        ("- **Punkt (1):**Wert", "Punkt (1):"),
        ("**„Ja“**und nein", "„Ja“"),
        ("2**(n+1)**x", ""),
        ("`**x:**y`", ""),
    ],
)
def test_a_label_without_a_space_is_bold(warm_chat: ChatPage, text: str, bold: str) -> None:
    assert (f"<strong>{bold}</strong>" in _answer(warm_chat, text)) is bool(bold)


@pytest.mark.parametrize("address", ["%E0%A4%A", "a%ZZ@b.example", "%"])
def test_a_malformed_mail_link_leaves_the_answer_formatted(
    warm_chat: ChatPage, address: str
) -> None:
    html = _answer(warm_chat, f"**bold** and [write@me.example](mailto:{address})")
    assert "<strong>bold</strong>" in html


def test_a_pasted_book_is_a_bubble_that_fits_the_window(warm_chat: ChatPage) -> None:
    warm_chat.standins.proxy.behave(_says("Read."))
    warm_chat.ask_and_wait("line of a book\n" * 2_000)
    question = warm_chat.page.locator('article[data-role="user"] p').last
    assert question.evaluate("one => one.offsetHeight < innerHeight")
