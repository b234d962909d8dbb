"""Charts beside results: seen, read as a table, taken along as CSV, and never sent to the model."""

import csv
import io
import itertools
import json
from typing import Any, Literal

import pytest
from playwright.sync_api import Locator, expect

from tests.e2e.accessibility import check_accessibility
from tests.e2e.chat_page import ChatPage
from tests.standins.faults import Hang, Reply
from tests.standins.quirks import Played, spoken
from tests.standins.sample_data import claims, sitzungen

QUESTION = "What did the Bundestag debate on 9 September 2026?"
SLUG = "21-92-2026-09-09"
COUNTED = "21-112-2026-11-24"  # a session with a vote that has numbers, and one without
SCHEMES: tuple[Literal["light", "dark"], ...] = ("light", "dark")


def numbers_of(slug: str) -> dict[str, Any]:
    found = sitzungen()["sitzungen"]
    return next(item for item in found if item["slug"] == slug)["zahlen"]


def rows_of(table: Locator) -> list[list[str]]:
    """What the table says, row by row."""
    return table.evaluate(
        "table => [...table.rows].map(row => [...row.cells].map(cell => cell.textContent))"
    )


def speaking_times(slug: str) -> list[list[str]]:
    rows = numbers_of(slug)["redezeitJeFraktion"]
    return [[row["fraktion"], str(row["minuten"])] for row in rows]


def calling(*wanted: tuple[str, dict[str, object]]) -> Reply:
    """A turn of the model that calls these tools."""
    made = [
        {
            "id": f"call{index:05d}",
            "type": "function",
            "function": {"name": name, "arguments": json.dumps(arguments)},
        }
        for index, (name, arguments) in enumerate(wanted)
    ]
    message = {"role": "assistant", "content": None, "tool_calls": made}
    return Reply({"choices": [{"message": message, "finish_reason": "tool_calls"}]})


def saying(text: str) -> Reply:
    """A turn of the model that answers."""
    message = {"role": "assistant", "content": text}
    return Reply({"choices": [{"message": message, "finish_reason": "stop"}]})


def charts(article: Locator) -> Locator:
    return article.get_by_role("figure")


def test_a_chart_stands_below_the_answer_with_all_its_numbers(warm_chat: ChatPage) -> None:
    article = warm_chat.ask_and_wait(QUESTION)
    picture = article.get_by_role("img", name="Speaking time by party, 9 September 2026")
    expect(picture).to_be_visible()
    text = article.locator('[data-part="text"]').bounding_box()
    drawn, sources = picture.bounding_box(), article.get_by_role("region", name="Sources")
    below = sources.bounding_box()
    assert text
    assert drawn
    assert below
    assert text["y"] + text["height"] <= drawn["y"]
    assert drawn["y"] + drawn["height"] <= below["y"]
    figure = charts(article).first
    expect(figure.get_by_role("table")).to_be_hidden()
    figure.get_by_role("button", name="Show as table").click()
    head, *rows = rows_of(figure.get_by_role("table", name="Speaking time by party"))
    assert head == ["Party", "minutes"]
    assert rows == speaking_times(SLUG)


def test_further_charts_wait_behind_a_line_that_names_them(warm_chat: ChatPage) -> None:
    warm_chat.standins.proxy.behave(calling(("get_sitzungen", {"slug": COUNTED})), saying("Here."))
    article = warm_chat.ask_and_wait("Which votes were there?")
    expect(charts(article)).to_have_count(1)
    article.get_by_text("2 more charts").click()
    expect(charts(article)).to_have_count(3)
    expect(article.get_by_text("One vote of the session is left out")).to_be_visible()
    figure = charts(article).first  # what was asked for
    figure.get_by_role("button", name="Show as table").click()
    head, *rows = rows_of(figure.get_by_role("table"))
    assert head == ["Vote", "yes", "no", "abstained", "total"]
    counted = [vote for vote in numbers_of(COUNTED)["abstimmungen"] if vote["zahlen"]]
    assert rows == [
        [vote["titel"], *map(str, (*vote["zahlen"].values(), sum(vote["zahlen"].values())))]
        for vote in counted
    ]


def test_verdicts_count_all_that_was_found(warm_chat: ChatPage) -> None:
    warm_chat.standins.proxy.behave(calling(("search_claims", {})), saying("Here."))
    article = warm_chat.ask_and_wait("How do the fact-checks end?")
    figure = charts(article)
    expect(figure.get_by_text("All 197 matching statements are counted")).to_be_visible()
    figure.get_by_role("button", name="Show as table").click()
    _, *rows = rows_of(figure.get_by_role("table"))
    assert sum(int(row[-1]) for row in rows) == len(claims()["claims"])
    assert rows[-1][0].startswith("Offices")


def test_csv_lands_in_the_clipboard_and_the_status_says_so(warm_chat: ChatPage) -> None:
    warm_chat.page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    article = warm_chat.ask_and_wait(QUESTION)
    charts(article).first.get_by_role("button", name="Copy as CSV").click()
    expect(warm_chat.status).to_have_text("Copied")
    text = warm_chat.page.evaluate("navigator.clipboard.readText()")
    head, *rows = csv.reader(io.StringIO(text, newline=""))
    assert head == ["Party", "minutes"]
    assert rows == speaking_times(SLUG)
    expect(charts(article).first.get_by_role("button", name="Copy as CSV")).to_be_visible()


def test_the_keyboard_alone_opens_reads_and_copies(warm_chat: ChatPage) -> None:
    warm_chat.page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    article = warm_chat.ask_and_wait(QUESTION)
    figure = charts(article).first
    opener = figure.get_by_role("button", name="Show as table")
    opener.focus()
    warm_chat.page.keyboard.press("Enter")
    expect(opener).to_have_attribute("aria-expanded", "true")
    expect(figure.get_by_role("table")).to_be_visible()
    warm_chat.page.keyboard.press("Tab")
    warm_chat.page.keyboard.press("Enter")
    expect(warm_chat.status).to_have_text("Copied")
    warm_chat.page.keyboard.press("Tab")
    expect(figure.get_by_role("group", name="Numbers of this chart")).to_be_focused()
    warm_chat.page.keyboard.press("Tab")
    expect(article.get_by_text("One more chart")).to_be_focused()
    warm_chat.page.keyboard.press("Enter")
    expect(charts(article)).to_have_count(2)
    opener.focus()
    warm_chat.page.keyboard.press("Space")
    expect(figure.get_by_role("table")).to_be_hidden()


def test_the_model_reads_nothing_of_a_chart(warm_chat: ChatPage) -> None:
    warm_chat.ask_and_wait(QUESTION)
    after = warm_chat.request_count
    warm_chat.ask_and_wait("Is it true that industry loses jobs every month?")
    assert warm_chat.request_count > after
    for index in range(warm_chat.request_count):
        sent = json.dumps(warm_chat.sent(index), ensure_ascii=False)
        for word in ("chart", "Chart", "Speaking time", "<svg", "display"):
            assert word not in sent
    whole = next(m for m in warm_chat.sent(after - 1)["messages"][::-1] if m["role"] == "tool")
    assert json.loads(whole["content"])["zahlen"] == numbers_of(SLUG)


@pytest.mark.parametrize("scheme", SCHEMES)
def test_axe_finds_nothing_and_no_chart_is_wider_than_a_phone(
    warm_chat: ChatPage, scheme: Literal["light", "dark"]
) -> None:
    warm_chat.standins.proxy.behave(
        calling(("get_sitzungen", {"slug": COUNTED}), ("search_claims", {})), saying("Here.")
    )
    article = warm_chat.ask_and_wait("Votes and verdicts?")
    article.get_by_text("2 more charts").click()
    page = warm_chat.page
    for button in article.get_by_role("button", name="Show as table").all():
        button.click()
    try:
        for width in (320, 360, 1280):
            page.set_viewport_size({"width": width, "height": 800})
            check_accessibility(page, scheme)
            _check_text_is_whole(article)
    finally:
        page.set_viewport_size({"width": 1280, "height": 720})
        page.emulate_media(color_scheme="light")


def _check_text_is_whole(article: Locator) -> None:
    """No text of a picture leaves its figure, is scaled, or lies on the next one."""
    for picture in article.get_by_role("img").all():
        texts: list[list[float]] = picture.evaluate(
            """plot => {
              const outer = plot.getBoundingClientRect();
              return [...plot.querySelectorAll('text')].map(text => {
                const box = text.getBoundingClientRect();
                const size = parseFloat(getComputedStyle(text).fontSize);
                return [box.left - outer.left, box.right - outer.left, outer.width, box.top, size,
                        box.width];
              }).filter(values => values[5] > 0);
            }"""
        )
        assert texts
        for left, right, width, _, size, _ in texts:
            assert left >= -1
            assert right <= width + 1
            assert size >= 12
        for (_, right, _, top, *_), (left, _, _, below, *_) in itertools.pairwise(texts):
            assert below != top or left >= right - 1


def test_a_chart_stays_as_it_is_while_the_conversation_goes_on(warm_chat: ChatPage) -> None:
    warm_chat.ask_and_wait(QUESTION)
    figure = charts(warm_chat.answers.first).first
    figure.evaluate("figure => { window.firstFigure = figure }")
    figure.get_by_role("button", name="Show as table").click()
    warm_chat.ask_and_wait("Is it true that industry loses jobs every month?")
    assert figure.evaluate("figure => figure === window.firstFigure")
    expect(figure.get_by_role("table")).to_be_visible()


def test_going_on_keeps_the_charts_and_shows_none_twice(warm_chat: ChatPage) -> None:
    hops = [calling(("get_sitzungen", {"slug": SLUG})), calling(("search_claims", {}))] * 2
    warm_chat.standins.proxy.behave(*hops, saying("At last."))
    article = warm_chat.ask_and_wait("Speaking times?")
    expect(charts(article)).to_have_count(2)
    charts(article).first.evaluate("figure => { window.firstFigure = figure }")
    article.get_by_role("button", name="Go on").click()
    expect(article).to_contain_text("At last.")
    warm_chat.wait_for_end()
    assert charts(article).first.evaluate("figure => figure === window.firstFigure")
    expect(charts(article)).to_have_count(2)
    # what was written stands above the charts, and in view
    expect(article.get_by_text("At last.")).to_be_in_viewport()


def test_stop_shows_what_was_found_and_trying_again_begins_with_nothing(
    warm_chat: ChatPage,
) -> None:
    proxy = warm_chat.standins.proxy
    proxy.behave(calling(("get_sitzungen", {"slug": SLUG})), Hang(), Hang())
    article = warm_chat.ask("Speaking times?")
    proxy.wait_for_requests(2)
    warm_chat.stop.click()
    warm_chat.wait_for_end()
    expect(charts(article)).to_have_count(1)
    article.get_by_role("button", name="Try again").click()
    proxy.wait_for_requests(3)
    expect(charts(article)).to_have_count(0)
    warm_chat.stop.click()
    warm_chat.wait_for_end()


def test_when_charts_follow_a_stream_the_page_stays_at_its_last_words(chat: ChatPage) -> None:
    quirks = chat.standins.quirks
    chat.standins.overlay({"llm_url": f"{quirks.url}/v1", "llm_model": "m", "stream": True})
    call = calling(("get_sitzungen", {"slug": SLUG}))
    quirks.reset()
    quirks.play(
        Played([json.dumps(call.body).encode()], "application/json"),
        spoken("A line of the answer.\n\n" * 60 + "The last words.", size=40, hold_after=5),
    )
    article = chat.open().ask("Speaking times?")
    # the page follows a growing text; an answer in one piece is shown from its beginning
    expect(article.locator('[data-part="text"]')).to_contain_text("A line of the answer.")
    expect(charts(article)).to_have_count(0)
    quirks.release()
    chat.wait_for_end()
    expect(charts(article)).to_have_count(1)
    expect(article.get_by_text("The last words.")).to_be_in_viewport()
    box = article.get_by_text("The last words.").bounding_box()
    composer = chat.status.bounding_box()
    assert box
    assert composer
    assert box["y"] + box["height"] <= composer["y"] + 4  # not hidden below the composer
    quirks.reset()


def test_the_german_page_writes_charts_in_german(warm_chat: ChatPage) -> None:
    page = warm_chat.page.context.new_page()
    german = ChatPage(page, warm_chat.standins)
    german.open("?lang=de")
    page.locator("#message").fill("Was war am 9. September 2026 im Bundestag?")
    page.locator("#message").press("Enter")
    picture = page.get_by_role("img", name="Redezeit nach Fraktion, 9. September 2026")
    expect(picture).to_be_visible()
    page.get_by_role("button", name="Als Tabelle zeigen").first.click()
    head, *rows = rows_of(page.get_by_role("table").first)
    assert head == ["Fraktion", "Minuten"]
    assert rows == speaking_times(SLUG)
    german.check_console()
    page.close()


def test_the_export_has_the_chart_as_a_table(warm_chat: ChatPage) -> None:
    warm_chat.ask_and_wait(QUESTION)
    with warm_chat.page.expect_download() as download:
        warm_chat.page.get_by_role("button", name="Export").click()
    text = download.value.path().read_text("utf-8")
    for name, minutes in speaking_times(SLUG):
        assert f"| {name} | {minutes} |" in text
