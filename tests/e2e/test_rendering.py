"""Text of a model is shown as formatted text only: it loads and runs nothing."""

import re

import pytest
from playwright.sync_api import expect

from tests.conftest import Tried
from tests.e2e.chat_page import ChatPage
from tests.hostile import inputs
from tests.standins.faults import Reply


def _says(text: str | None) -> Reply:
    message = {"role": "assistant", "content": text}
    return Reply({"choices": [{"index": 0, "message": message, "finish_reason": "stop"}]})


def _answer(chat: ChatPage, text: str) -> str:
    chat.standins.proxy.behave(_says(text))
    article = chat.ask_and_wait("say it")
    return article.locator('[data-part="text"]').inner_html()


# Shows each text at every length, as it grows, and collects what must not be there.
SHOW_ALL = """async texts => {
  const {renderInto} = await import(document.querySelector('link[href$="/markdown.js"]').href);
  const wrong = [];
  window.boom = () => wrong.push('a script ran');
  const target = document.querySelector('main').appendChild(document.createElement('div'));
  const tags = new Set(('a abbr b blockquote br code del div em h3 h4 h5 h6 hr i kbd li mark ' +
    'ol p pre s strong sub sup table tbody td th thead tr u ul').split(' '));
  const ours = ['align', 'href', 'rel', 'start', 'target', 'value'];
  const frames = ['aria-label', 'class', 'dir', 'role', 'tabindex'];  // of what scrolls
  const classes = ['plain', 'scroll', 'code'];
  for (const text of texts) {
    for (let end = 1; end <= text.length; end += 1) {
      renderInto(target, text.slice(0, end), {table: 'A table', code: 'Code'});
      for (const node of target.querySelectorAll('*')) {
        if (!tags.has(node.localName)) wrong.push(`${node.localName} from ${text}`);
        const allowed = ['div', 'pre', 'p'].includes(node.localName) ? [...ours, ...frames] : ours;
        for (const {name, value} of node.attributes) {
          if (!allowed.includes(name) || (name === 'class' && !classes.includes(value)) ||
              (name === 'href' && !/^(https?|mailto):/.test(value)))
            wrong.push(`${name}=${value} from ${text}`);
        }
      }
    }
  }
  await new Promise(done => setTimeout(done));
  target.remove();
  return wrong;
}"""


def test_no_text_of_a_model_runs_loads_or_changes_anything(
    warm_chat: ChatPage, tried: Tried
) -> None:
    texts = inputs("markdown")
    assert warm_chat.page.evaluate(SHOW_ALL, texts) == []
    assert not [url for url in warm_chat.requested if re.search("invalid|example|/x$", url)]
    tried("answers that are shown", len(texts))


def test_code_has_only_signs_that_can_be_seen(warm_chat: ChatPage) -> None:
    hidden = "\u2066\u200b\u202e\U000e0041\u2069\u00ad"
    fences = f"```\nif a{hidden}:\n```\n\nand `b{hidden}c`"
    warm_chat.standins.proxy.behave(_says(fences))
    text = warm_chat.ask_and_wait("say it").locator('[data-part="text"]')
    assert text.locator("code").all_text_contents() == ["if a:\n", "bc"]


LINKS = """async texts => {
  const {renderInto} = await import(document.querySelector('link[href$="/markdown.js"]').href);
  return texts.map(text => {
    const target = document.createElement('div');
    renderInto(target, text, {table: '', code: ''});
    const links = [...target.querySelectorAll('a')].map(link => link.href);
    return [target.textContent, links, target.querySelector('h3') !== null];
  });
}"""


def test_a_link_to_another_host_is_followed_by_that_host(warm_chat: ChatPage, tried: Tried) -> None:
    names = [*inputs("link_texts"), "x " * 500 + "bundestakt.de"]
    written = [f"[{name}](https://evil.example/)" for name in names]
    for name, (text, links, _) in zip(names, warm_chat.page.evaluate(LINKS, written), strict=True):
        assert links == ["https://evil.example/"], name
        assert text.strip().endswith("(evil.example)"), name
    tried("texts of links", len(names))


def test_a_mail_link_has_one_address_that_is_shown(warm_chat: ChatPage, tried: Tried) -> None:
    mails = inputs("mail_links")
    written = [f"{mail}\n\n# Title" for mail in mails]
    shown = warm_chat.page.evaluate(LINKS, written)
    for mail, (text, links, formatted) in zip(mails, shown, strict=True):
        assert formatted, mail
        for link in links:
            address = link.removeprefix("mailto:")
            assert re.fullmatch(r"[\w.]+@[\w.]+", address), mail
            assert f"({address})" in text, mail
    tried("links to mail", len(mails))


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


def test_letters_that_no_line_can_break_leave_the_page_as_wide_as_the_window(
    warm_chat: ChatPage,
) -> None:
    warm_chat.page.set_viewport_size({"width": 360, "height": 800})
    for letters in ("\u1100" * 9_000, "\u0915\u094d" * 9_000, "\u0e33" * 9_000):
        _answer(warm_chat, letters)
        wide = warm_chat.page.evaluate("document.documentElement.scrollWidth")
        assert wide == 360
    warm_chat.page.set_viewport_size({"width": 1280, "height": 720})


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
    # Playwright types lines so slowly that it would take ten seconds; a paste sets all at once
    warm_chat.composer.evaluate(
        """(field, text) => {
            field.value = text;
            field.dispatchEvent(new Event("input", { bubbles: true }));
        }""",
        "line of a book\n" * 2_000,
    )
    warm_chat.composer.press("Enter")
    warm_chat.wait_for_end()
    question = warm_chat.page.locator('article[data-role="user"] p').last
    assert question.evaluate("one => one.offsetHeight < innerHeight")


def test_a_long_question_is_laid_out_in_pieces(warm_chat: ChatPage) -> None:
    text = "a" + "\u0301" * 9_000
    warm_chat.ask_and_wait(text)
    question = warm_chat.questions.last.locator("p").first
    lengths = question.locator("span").evaluate_all("all => all.map(one => one.textContent.length)")
    assert len(lengths) > 1
    assert max(lengths) <= 2_000
    assert question.text_content() == text
