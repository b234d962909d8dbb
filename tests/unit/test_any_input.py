"""Whatever comes from outside: a right result or an error with a sentence, and never a crash."""

import json
from collections.abc import Mapping
from datetime import date
from typing import Any, cast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tabloop.agent.errors import ToolError
from tabloop.agent.results import success
from tabloop.agent.tools import Tool, ToolOutput
from tabloop.core.http import HttpResponse, send
from tabloop.core.json_text import read_json
from tabloop.core.networks import NETWORKS
from tabloop.endpoint.check import owner_of
from tabloop.endpoint.model_list import model_list
from tabloop.payments.errors import PaymentError
from tabloop.settings import SettingsError, read_settings
from tabloop.tools.analytics.api import AnalyticsApi
from tabloop.tools.analytics.sign_in import SignIn
from tabloop.tools.analytics.tool import analytics_tools
from tabloop.tools.bundestakt.api import BundestaktApi
from tabloop.tools.bundestakt.tool import bundestakt_tools
from tabloop.ui.answer_state import AnswerState, ToolStep
from tabloop.ui.charts import charts_html
from tabloop.ui.endpoint import owner_line
from tabloop.ui.export import ExportedAnswer, as_markdown
from tabloop.ui.kept import Kept, as_text, from_text, restored
from tabloop.ui.payment import payment_sentence
from tabloop.ui.sources import sources_html
from tabloop.ui.start_problems import problem_sentence, settings_sentence
from tabloop.ui.steps import step_html
from tabloop.ui.strings import load_strings

from tests.unit.fake_transport import FakeTransport, answer
from tests.unit.paying import ORIGIN, REQUEST, answers, channel_offer, encoded, shop
from tests.unit.site_pages import Site
from tests.unit.test_analytics import OWNER, Signs, a_year
from tests.unit.test_bundestakt import claim, sitzung
from tests.unit.test_kept import KEPT
from tests.unit.test_settings import SHIPPED

EN, DE = load_strings("en"), load_strings("de")

LEAF: st.SearchStrategy[Any] = (
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=12)
)
ODD = st.sampled_from(
    [
        "",
        "\x00",
        "\ud800",
        "9" * 400,
        "javascript:x",
        "https://[",
        "2026-02-30",
        "0x",
        "-0",
        "1e999",
        "1e9999999",
    ]
)


def json_of(*names: str) -> st.SearchStrategy[Any]:
    """Any JSON whose objects often have these names."""
    keys = st.sampled_from(names) | st.text(max_size=4)
    return st.recursive(
        LEAF | ODD,
        lambda inner: st.lists(inner, max_size=4) | st.dictionaries(keys, inner, max_size=4),
        max_leaves=12,
    )


@st.composite
def damaged(draw: st.DrawFn, whole: Any, *names: str) -> Any:
    """A right document in which up to three values, anywhere, are any JSON."""
    document = json.loads(json.dumps(whole))
    for _ in range(draw(st.integers(1, 3))):
        place = document
        while isinstance(place, dict | list) and place:
            inner = cast("dict[Any, Any] | list[Any]", place)
            key = draw(
                st.sampled_from(list(inner) if isinstance(inner, dict) else range(len(inner)))
            )
            if not inner[key] or not isinstance(inner[key], dict | list) or draw(st.booleans()):
                inner[key] = draw(json_of(*names))
                break
            place = inner[key]
    return document


def body(document: object) -> bytes:
    return json.dumps(document).encode("utf-8", "replace")


async def called(tool: Tool, arguments: Mapping[str, Any]) -> None:
    """The result is JSON that the page can show, or the error has a reason."""
    output: object
    try:
        output = await tool.run(tool.validate(arguments))
    except ToolError as error:
        output = error
    if isinstance(output, ToolError):
        assert output.reason
        return
    assert isinstance(output, ToolOutput)
    result = success(output).content
    read_json(result)
    step = ToolStep(
        "1", tool.name, tool.presentation, "ok", "{}", dict(arguments), result, output.display
    )
    state = AnswerState(steps=(step,), sources=output.sources)
    for strings in (EN, DE):
        assert str(step_html(strings, step))
        str(charts_html(strings, state.charts, number=1, first=0, question="?"))
        str(sources_html(strings, output.sources, "x"))
        assert as_markdown(strings, [ExportedAnswer("?", state)], "2026-09-10")


# --- Bundestakt ----------------------------------------------------------------------------------

ITEMS = ("slug", "url", "datum", "kernthema", "zahlen", "titel", "fraktion", "aussage", "claims")
SESSIONS = {"quelle": "https://b.test", "sitzungen": [sitzung("2026-09-09"), sitzung("2026-09-10")]}
CLAIMS = {"claims": [claim("Ein Satz"), claim("Noch ein Satz")]}


@given(
    damaged(SESSIONS, *ITEMS) | json_of("sitzungen", *ITEMS),
    damaged(CLAIMS, *ITEMS) | json_of("claims", *ITEMS),
)
async def test_any_reply_of_bundestakt(sessions: Any, claims: Any) -> None:
    api = BundestaktApi(FakeTransport([answer(body(sessions))]), "https://b.test/api")
    tool = bundestakt_tools(api)[0]
    for arguments in ({}, {"slug": "21-9-2026-09-09"}, {"von": "2026-09-10"}):
        await called(tool, arguments)
    api = BundestaktApi(FakeTransport([answer(body(claims))]), "https://b.test/api")
    await called(bundestakt_tools(api)[1], {"query": "satz"})


@given(st.binary(max_size=200) | st.text().map(str.encode), st.integers(100, 599))
async def test_any_bytes_from_any_service(sent: bytes, status: int) -> None:
    for tool in bundestakt_tools(
        BundestaktApi(FakeTransport([answer(sent, status)]), "https://b.test")
    ):
        await called(tool, {})
    api = AnalyticsApi(FakeTransport([answer(sent, status)]), "https://a.test", signed())
    await called(analytics_tools(api)[0], {})


# --- visitor numbers -----------------------------------------------------------------------------


def signed() -> SignIn:
    return SignIn(Signs(), "x", [OWNER])


YEAR = a_year()
WEEK = {**YEAR, "days": dict(list(YEAR["days"].items())[-7:])}


@given(
    damaged(WEEK, "hits", "pages", "source", "2026-09-14")
    | json_of("site", "from", "to", "days", "hits", "pages"),
    st.sampled_from(["30d", "90d", "1y"]),
)
async def test_any_visitor_numbers(document: Any, chosen: str) -> None:
    api = AnalyticsApi(FakeTransport([answer(body(document))]), "https://a.test", signed())
    await called(analytics_tools(api)[0], {"range": chosen})


# --- pages of a site -----------------------------------------------------------------------------

MKDOCS = {"config": {"lang": ["en"]}, "docs": [{"location": "a/#b", "title": "T", "text": "sail"}]}
SPHINX = {
    "docnames": ["a"],
    "filenames": ["a.rst"],
    "titles": ["T"],
    "terms": {"sail": 0},
    "titleterms": {"t": 0},
    "alltitles": {"T": [[0, "t"]]},
    "objects": {},
    "objnames": {},
}
DOCUSAURUS: list[dict[str, object]] = [
    {"documents": [{"i": 1, "t": "T", "u": "/a", "b": ["x"]}], "index": {}}
]
INDEXES: dict[str, object] = {
    "/search/search_index.json": MKDOCS,
    "/searchindex.js": SPHINX,
    "/search-index.json": DOCUSAURUS,
}
INDEX_NAMES = ("docs", "location", "title", "text", "docnames", "terms", "documents", "t", "u", "i")


@pytest.mark.parametrize("address", INDEXES)
@given(st.data())
@settings(max_examples=60)
async def test_any_index_of_a_site(address: str, data: st.DataObject) -> None:
    document = data.draw(
        damaged(INDEXES[address], *INDEX_NAMES) | json_of(*INDEX_NAMES) | st.text()
    )
    text = document if isinstance(document, str) else json.dumps(document)
    if address.endswith(".js") and data.draw(st.booleans()):
        text = f"Search.setIndex({text})"
    files = {address: text.encode("utf-8", "replace"), "/a": "<h1>T</h1>sail"}
    site = Site(cast("dict[str, bytes | str | Exception]", files), search=address)
    await called(site.tools[0], {"query": "sail t"})
    await called(site.tools[1], {"url": "/a"})


@given(
    st.sampled_from(["/llms.txt", "/sitemap.xml"]),
    st.text()
    | st.lists(
        st.sampled_from(
            [
                "# T\n",
                "- [a](/a): x\n",
                "<url><loc>",
                "/a",
                "]]>",
                "<!DOCTYPE x [<!ENTITY a 'b'>]>",
                "</loc>",
                "&a;",
                "](",
                "[",
                "\x00",
                "<urlset>",
            ]
        )
    ).map("".join),
    st.text()
    | st.lists(
        st.sampled_from(
            [
                "<h1>",
                "</h1>",
                "<p>sail",
                "<nav>",
                "</nav>",
                "<table>",
                "<script>",
                "&#0;",
                "<h2 id=x>",
                "<!--",
                "\x00",
                "<td>",
            ]
        )
    ).map("".join),
)
async def test_any_list_and_any_page_of_a_site(address: str, listed: str, html: str) -> None:
    files: dict[str, bytes | str | Exception] = {
        address: listed.encode("utf-8", "replace"),
        "/a": html.encode("utf-8", "replace"),
    }
    site = Site(files, pages=address)
    await called(site.tools[0], {"query": "sail"})
    await called(site.tools[1], {"url": "/a"})
    await called(site.tools[1], {"url": listed[:50] or "x"})


# --- payment -------------------------------------------------------------------------------------

CHALLENGE = {"x402Version": 2, "resource": {"url": ORIGIN}, "accepts": [channel_offer()]}
OFFER = ("scheme", "network", "amount", "asset", "payTo", "maxTimeoutSeconds", "extra", "name")


@given(
    damaged(CHALLENGE, *OFFER).map(encoded)
    | json_of("accepts", *OFFER).map(encoded)
    | st.text(st.characters(codec="latin-1")),
    json_of("error", "accepts", *OFFER),
)
async def test_any_402_is_paid_within_the_limits_or_refused_in_a_sentence(
    header: str, document: Any
) -> None:
    refused = HttpResponse(402, {"payment-required": header}, body(document))
    stand = shop(refused, answers())
    try:
        response, sentence = await send(stand.paid, REQUEST), "none is needed"
    except PaymentError as error:
        response, sentence = refused, payment_sentence(EN, error)
    assert sentence
    if response.status == 402:  # one that is no x402 is the endpoint's own answer
        assert stand.signer.signed == []
        assert len(stand.transport.requests) == 1
        return
    [paid] = filter(None, stand.payments())
    accepted = paid["accepted"]
    assert int(accepted["amount"]) <= 10_000
    assert accepted["asset"].lower() == NETWORKS[accepted["network"]].usdc.address.lower()
    assert stand.policy.pins.get(ORIGIN)


@given(damaged({"success": True, "extra": {"chargedAmount": "3000"}}, "success", "extra", "payer"))
async def test_any_receipt_leaves_the_answer_and_never_books_less_than_nothing(sent: Any) -> None:
    stand = shop(
        HttpResponse(402, {"payment-required": encoded(CHALLENGE)}, b"{}"),
        HttpResponse(200, {"payment-response": encoded(sent)}, b"fine"),
    )
    try:
        said = (await send(stand.paid, REQUEST)).body.decode()
    except PaymentError as error:
        said = payment_sentence(DE, error)
    assert said
    assert 0 <= stand.ledger.committed <= 2_000_000


# --- what an endpoint says of itself --------------------------------------------------------------

MODELS = {"data": [{"id": "m", "context_length": 9, "pricing": {"prompt": "0.000001"}}]}
ABOUT = {"x-service-type": "llm/v1", "info": {"title": "T", "contact": {"email": "a@b.test"}}}


@given(
    damaged(MODELS, "id", "pricing", "prompt") | json_of("data", "models", "id"),
    damaged(ABOUT, "title", "contact") | json_of("info", "title", "contact"),
)
async def test_any_description_of_an_endpoint(listed: Any, about: Any) -> None:
    found = await model_list(
        FakeTransport([answer(body(listed))]), "https://a.test/chat/completions", ""
    )
    assert all(len(model.price) < 40 for model in found)
    owner = await owner_of(FakeTransport([answer(body(about))]), "https://a.test")
    assert owner_line(EN, owner)


@pytest.mark.parametrize("price", ["1e9999999", "-1e9999999", "1e900", "9" * 400, "1e-99999"])
async def test_a_price_beyond_all_numbers_is_no_price(price: str) -> None:
    listed = {"data": [{"id": "m", "pricing": {"prompt": price}}]}
    url = "https://a.test/chat/completions"
    [found] = await model_list(FakeTransport([answer(listed)]), url, "")
    assert len(found.price) < 20


# --- what the owner wrote, and what the browser kept ----------------------------------------------


def written(value: Any) -> str:
    """A value as TOML, where TOML has one."""
    if isinstance(value, dict):
        pairs = cast("dict[str, Any]", value).items()
        return "{" + ", ".join(f"{written(key)} = {written(item)}" for key, item in pairs) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(written, cast("list[Any]", value))) + "]"
    return (
        json.dumps("" if value is None else value).replace("NaN", "nan").replace("Infinity", "inf")
    )


LINES = [line for line in SHIPPED.splitlines() if " = " in line]
KEYS = [line.partition(" = ")[0].strip() for line in LINES]


@given(st.lists(st.tuples(st.sampled_from(KEYS), json_of("en", "de", "text", "url")), max_size=3))
def test_any_values_in_the_settings(changes: list[tuple[str, Any]]) -> None:
    lines = SHIPPED.splitlines()
    for key, value in changes:
        lines = [
            f"{key} = {written(value)}" if line.startswith(f"{key} =") else line for line in lines
        ]
    check_settings("\n".join(lines))


@given(st.text() | st.text().map("[tabloop]\n{}".format))
def test_any_text_as_settings(text: str) -> None:
    check_settings(text)


def check_settings(text: str) -> None:
    try:
        found = read_settings(text)
    except SettingsError as error:
        found = error
    if isinstance(found, SettingsError):
        assert all(settings_sentence(strings, found) for strings in (EN, DE))
        return
    assert all(problem_sentence(EN, problem) for problem in found.problems)
    assert not found.llm_url or found.llm_url.startswith(
        ("https://", "http://localhost", "http://127.0.0.1")
    )


@given(
    damaged(json.loads(as_text(KEPT)), "answers", "steps", "charts", "url").map(json.dumps)
    | json_of("answers", "exchanges").map(json.dumps)
    | st.text()
)
def test_any_conversation_that_the_browser_kept(text: str) -> None:
    kept = from_text(text)
    if kept is None:
        return
    assert isinstance(kept, Kept)
    for one in kept.answers:
        state = restored(one, {})
        assert as_markdown(EN, [ExportedAnswer(one.question, state)], str(date(2026, 9, 10)))
        for step in state.steps:
            str(step_html(EN, step))
