"""What a model gets of a site's pages, and what it can never reach."""

import asyncio
import json
from collections.abc import Mapping
from dataclasses import replace
from urllib.parse import quote

import pytest
from tabloop.agent.definitions import definition
from tabloop.core.http import MAX_BODY, TransportError
from tabloop.tools.site.ports import Passage
from tabloop.tools.site.words import PAGE, SEARCH

from tests.unit.fake_transport import answer
from tests.unit.site_pages import ORIGIN, FakeBrowser, Site

INDEX = "/search/search_index.json"
LIST = "- [Knots](/knots.md): How to tie them\n- [Elsewhere](https://other.test/x)\n"
LONG = (
    "# Manual\n\nStart.\n\n## Rope\n\n"
    + "rope " * 2_100
    + "\n\n### Splice\n\nEnds.\n\n## Sail\n\nWind.\n"
)


def mkdocs(*documents: Mapping[str, str]) -> str:
    return json.dumps({"docs": documents})


def document(location: str, title: str, text: str = "") -> dict[str, str]:
    return {"location": location, "title": title, "text": text}


def listing(**pages: str) -> Site:
    """A site with an llms.txt that names these Markdown pages."""
    links = "\n".join(f"- [{name}](/{name}.md)" for name in pages)
    files = {f"/{name}.md": text for name, text in pages.items()}
    return Site({**files, "/llms.txt": links}, pages="/llms.txt")


# searching


async def test_eight_hits_at_most_of_which_two_of_one_page() -> None:
    of_one = [document(f"a/#s{n}", f"Rope {n}", "rope") for n in range(9)]
    others = [document(f"p{n}/", f"Page {n}", "rope " * 900) for n in range(12)]
    site = Site({INDEX: mkdocs(document("a/", "A"), *of_one, *others)}, search=INDEX)
    paths = await site.paths("rope")
    assert len(paths) == 8
    assert sum(path.startswith("/a/") for path in paths) == 2


async def test_hits_of_any_length_fit_into_six_thousand_bytes() -> None:
    wide = [document(f"{'ü' * 80}{n}/", "ü" * 400, "rope " + "ü" * 4_000) for n in range(9)]
    site = Site({INDEX: mkdocs(*wide)}, search=INDEX)
    assert len(await site.find("rope")) >= 4  # the size is checked at each call


async def test_only_what_the_model_was_told_is_a_source() -> None:
    name = quote("港" * 60)
    long = [document(f"{name}{n}/", "港" * 100, "rope " + "港" * 400) for n in range(9)]
    site = Site({INDEX: mkdocs(*long)}, search=INDEX)
    told = [hit["url"] for hit in await site.find("rope")]
    assert 4 <= len(told) < 8
    assert [source.url for source in site.sources] == told


async def test_a_page_with_a_long_name_in_any_script_is_found_and_can_be_read() -> None:
    name = "правила-посещения-музея-портовой-истории-для-школьных-групп"
    files = {
        f"/{name}": "<h1>Rules</h1>",
        INDEX: mkdocs(document(quote(name), "Rules"), document("x" * 2_000, "Rules")),
    }
    site = Site(files, search=INDEX)
    [hit] = await site.find("rules")
    assert (await site.read(hit["url"]))["title"] == "Rules"


async def test_a_section_has_one_address_whether_it_was_found_or_read() -> None:
    html = '<h1>Pier</h1><h2 id="öffnung (neu)">Hours</h2><p>A rope.</p>'
    site = Site({"/pier.html": html, "/l": "- [P](pier.html)"}, pages="/l")
    [found] = await site.paths("rope")
    assert found == "/pier.html#%C3%B6ffnung%20(neu)"
    assert (await site.read("/pier.html", section="Hours"))["url"] == ORIGIN + found


@pytest.mark.parametrize(
    ("query", "text"),
    [
        ("parties", "a party"),
        ("party", "many parties"),
        ("Häfen", "im Hafen"),
        ("Hafen", "alle Häfen"),
        ("opened", "opening times"),
        ("Öffnung", "Oeffnungszeiten"),
        ("Kran", "der Dampfkran"),
        ("Straßen", "STRASSE"),
        ("what is a buoy?", "the buoy"),
    ],
)
async def test_an_inflected_or_compound_word_is_found(query: str, text: str) -> None:
    site = Site(
        {INDEX: mkdocs(document("a/", "A", text), document("b/", "B", "what is it"))}, search=INDEX
    )
    assert await site.paths(query) == ["/a/"]


async def test_a_word_in_the_title_counts_more_than_one_in_the_text() -> None:
    site = Site(
        {INDEX: mkdocs(document("a/", "Boats", "a rope"), document("b/", "Rope", "a boat"))},
        search=INDEX,
    )
    assert await site.paths("rope") == ["/b/", "/a/"]


async def test_a_page_of_mkdocs_is_not_quoted_again_beside_its_sections() -> None:
    sections = (document("a/#boats", "Boats"), document("a/#ropes", "Ropes", "One rope per boat."))
    whole = document("a/", "Boats", "Boats Ropes One rope per boat.")
    only_intro = document("b/", "Sheds", "A shed for each rope.")
    keys = document("b/#keys", "Keys", "No rope.")
    files = {INDEX: mkdocs(whole, *sections, only_intro, keys)}
    found = await Site(files, search=INDEX).find("rope")
    assert [hit.get("section") for hit in found if hit["title"] == "Boats"] == ["Ropes"]
    assert len([hit for hit in found if hit["title"] == "Sheds"]) == 2


async def test_an_excerpt_shows_the_place_with_the_words() -> None:
    text = (
        "<p>" + "sand " * 500 + "the <b>copper</b> kettle &amp; &#x6c;id " + "sand " * 500 + "</p>"
    )
    [hit] = await Site({INDEX: mkdocs(document("a/", "A", text))}, search=INDEX).find("copper lid")
    assert "the copper kettle & lid" in hit["excerpt"]
    assert len(hit["excerpt"]) <= 400


@pytest.mark.parametrize(
    ("text", "quoted"),
    [
        ("a rope of hemp.", "a rope of hemp."),
        ("A rope. " + "of hemp " * 80, "A rope. of hemp of hemp"),
        ("a " * 100 + "rope.", "…a a a a a a a a rope."),
        ("a rope " + "long " * 29 + "x " * 2_000, "a rope long long"),
        ("rope " * 5_000, "rope rope"),
    ],
)
async def test_an_excerpt_has_a_mark_where_text_is_left_out(text: str, quoted: str) -> None:
    [hit] = await Site({INDEX: mkdocs(document("a/", "A", text))}, search=INDEX).find("rope")
    shown = hit["excerpt"]
    assert shown.startswith(quoted)
    assert shown.endswith("…") == (not text.endswith("."))
    assert len(shown) <= 400
    assert "……" not in shown


async def test_an_excerpt_of_a_table_has_only_its_words() -> None:
    page = "# Tide\n\n| Day | Tide |\n| --- | --- |\n| 1 | 2 m |\n"
    [hit] = await listing(tide=page).find("tide")
    assert hit["excerpt"] == "Day Tide 1 2 m"


async def test_an_index_is_loaded_once_and_a_failed_load_is_tried_again() -> None:
    site = Site({INDEX: TransportError("offline", "museum.test")}, search=INDEX)
    await site.refused(0, query="rope")
    site.files.files[INDEX] = mkdocs(document("a/", "Rope", "to tie"))
    for _ in range(2):
        assert await site.paths("rope") == ["/a/"]
    assert site.files.asked == [INDEX, INDEX]


async def test_text_that_is_no_entity_stays_as_it_is() -> None:
    index = mkdocs(document("a/", "Rope &#ffffff; &unknown;", "x"))
    [hit] = await Site({INDEX: index}, search=INDEX).find("rope")
    assert hit["title"] == "Rope &#ffffff; &unknown;"


async def test_long_pages_are_searched_in_pieces_between_which_the_tab_may_paint() -> None:
    long = [document(f"p{n}/", "Rope", "<p>rope of hemp</p>" * 20_000) for n in range(4)]
    site, painted = Site({INDEX: mkdocs(*long)}, search=INDEX), 0

    async def paint() -> None:
        nonlocal painted
        while True:
            await asyncio.sleep(0)
            painted += 1

    painting = asyncio.create_task(paint())
    assert await site.paths("rope") == ["/p0/", "/p1/", "/p2/", "/p3/"]
    painting.cancel()
    assert painted >= 3 * len(long)  # reading, folding and ranking each


async def test_a_query_without_words_is_refused() -> None:
    assert (await Site({}, search=INDEX).refused(0, query="?!")).code == "invalid_arguments"


async def test_nothing_found_is_an_empty_list() -> None:
    assert await Site({INDEX: mkdocs(document("a/", "A"))}, search=INDEX).find("rope") == []


async def test_pagefind_is_asked_for_single_words_if_no_page_has_all() -> None:
    knots, other = (
        Passage("Knots", "", "/knots/", "Knots. To tie a bowline in a rope."),
        Passage("Other", "", "/other/", "Who threw the bowline?"),
    )
    evil = Passage("Evil", "", "https://evil.test/", "c")
    browser = FakeBrowser({"bowline": [other, knots], "rope": [evil, knots]})
    site = Site({}, search="/pagefind/", browser=browser)
    found = await site.find("the bowline in a rope")
    assert [(hit["url"], hit["excerpt"]) for hit in found] == [
        (f"{ORIGIN}/knots/", "To tie a bowline in a rope."),
        (f"{ORIGIN}/other/", "Who threw the bowline?"),
    ]
    assert browser.queries == ["bowline rope", "bowline", "rope"]


async def test_what_pagefind_takes_for_a_word_that_is_nowhere_is_left_out() -> None:
    boat = Passage("Boats", "", "/boats/", "Boats. Moor at jetty C.")
    price = Passage("Tickets", "Prices", "/tickets/#prices", "Prices. Adults: 9 euros.")
    bring = Passage("Tickets", "Refunds", "/tickets/#refunds", "Refunds. Bring the ticket.")
    dogs = Passage("Access", "Dogs", "/access/#dogs", "Dogs. Guide dogs are welcome.")
    found = {
        "ticket cost": [boat],
        "ticket": [price, bring],
        "cost": [boat],
        "bring dog": [],
        "bring": [bring, replace(bring, url="/school/")],
        "dog": [dogs],
    }
    site = Site({}, search="/pagefind/", browser=FakeBrowser(found))
    assert await site.paths("What does a ticket cost?") == ["/tickets/#refunds", "/tickets/#prices"]
    assert (await site.paths("Can I bring my dog?"))[0] == "/access/#dogs"


async def test_of_a_page_pagefind_found_the_sections_with_most_words_come_first() -> None:
    parts = [Passage("Knots", name, f"/k/#{name}", f"{name}. a rope") for name in ("a", "b")]
    best = Passage("Knots", "c", "/k/#c", "c. a bowline in a rope")
    browser = FakeBrowser(
        {"bowline rope": [Passage("Other", "", "/o/", "bowline rope"), *parts, best]}
    )
    site = Site({}, search="/pagefind/", browser=browser)
    assert await site.paths("bowline rope") == ["/o/", "/k/#c", "/k/#a"]


async def test_addresses_of_other_origins_in_an_index_are_left_out() -> None:
    evil = [document("https://evil.test/", "Rope"), document("//evil.test/", "Rope")]
    site = Site({INDEX: mkdocs(*evil, document("a/", "Rope"))}, search=INDEX)
    assert await site.paths("rope") == ["/a/"]


async def test_a_site_below_a_path_is_searched_by_an_address_relative_to_the_page() -> None:
    files = {"/docs/search/search_index.json": mkdocs(document("a/", "Rope", "to tie"))}
    site = Site(files, search="../docs/search/search_index.json")
    assert await site.paths("rope") == ["/docs/a/"]


async def test_a_sitemap_of_the_published_site_is_read_on_a_preview() -> None:
    urls = ("https://[", "https://www.museum.example/knots/?a=1&amp;b=2")
    sitemap = f"<urlset>{''.join(f'<loc>{url}</loc>' for url in urls)}</urlset>"
    site = Site({"/knots/": "<h1>Rope work</h1>", "/s.xml": sitemap}, pages="/s.xml")
    assert await site.paths("rope") == ["/knots/?a=1&b=2"]
    assert site.files.asked == ["/s.xml", "/knots/"]


async def test_of_a_long_list_only_pages_that_are_quoted_are_read() -> None:
    urls = "".join(
        f"<url><loc>/{name}/{n}/</loc></url>" for n in range(30) for name in ("rope", "sail")
    )
    pages: dict[str, bytes | str | Exception] = {f"/rope/{n}/": "<h1>Rope</h1>" for n in range(30)}
    site = Site({**pages, "/s.xml": f"<urlset>{urls}</urlset>"}, pages="/s.xml")
    assert len(await site.find("rope")) == 8
    assert len(site.files.asked) == 6


# errors


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (None, f"The search index {ORIGIN}{INDEX} answered with status 404."),
        ("<!doctype html>", f"The search index {ORIGIN}{INDEX} is a web page, not an index."),
        ('{"docs": 1}', f"The search index {ORIGIN}{INDEX} has an unknown format"),
        ("Search.setIndex(alert(1))", "is neither JSON nor Sphinx's searchindex.js."),
        (b" " * MAX_BODY, f"The search index {ORIGIN}{INDEX} is too large: 8 MB at most."),
        (
            TransportError("unreachable", "x"),
            "gave no answer, or a redirect, which is not followed",
        ),
    ],
)
async def test_an_index_that_cannot_be_used_is_named_with_the_reason(
    content: bytes | str | Exception | None, reason: str
) -> None:
    files = {} if content is None else {INDEX: content}
    error = await Site(files, search=INDEX).refused(0, query="rope")
    assert reason in error.reason
    assert len(error.reason) <= 200


async def test_an_index_on_another_origin_is_never_loaded() -> None:
    site = Site({}, search="https://evil.test/i.json")
    error = await site.refused(0, query="rope")
    assert "The setting search (https://evil.test/i.json) is no address" in error.reason
    assert site.files.asked == []


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("<html></html>", "is neither an llms.txt nor a sitemap."),
        ('{"a": 1}', "is neither an llms.txt nor a sitemap."),
        ("<sitemapindex></sitemapindex>", "lists other sitemaps; name one that lists pages."),
        ("# Nothing", "names no page."),
        ("- [A](https://other.test/)", "names no page of this site's origin."),
    ],
)
async def test_a_list_that_cannot_be_used_is_named_with_the_reason(text: str, reason: str) -> None:
    error = await Site({"/llms.txt": text}, pages="/llms.txt").refused(0, query="rope")
    assert reason in error.reason
    assert "/llms.txt " in error.reason


# reading


async def test_a_section_is_read_with_all_below_it_by_its_title() -> None:
    site = listing(manual=LONG)
    read = await site.read("/manual.md", section="rope")
    assert read["section"] == "Rope"
    assert read["text"].startswith("## Rope\n\nrope rope")
    assert "Wind" not in read["text"]
    assert await site.read("/manual.md", section="Sail") == {
        **{"status": "ok", "url": f"{ORIGIN}/manual.md", "title": "Manual", "section": "Sail"},
        "text": "## Sail\n\nWind.",
    }


async def test_a_long_page_ends_after_ten_thousand_characters_with_an_outline() -> None:
    read = await listing(manual=LONG).read("/manual.md")
    assert len(read["text"]) == 10_000
    assert "first 10000 of" in read["cut"]
    assert [entry["section"] for entry in read["outline"]] == ["Manual", "Rope", "Splice", "Sail"]


async def test_a_section_by_its_anchor_is_a_source_with_the_anchor() -> None:
    html = '<h1 id="top">Knots</h1><p>All.</p><h2 id="öse">Öse</h2><p>An eye.</p>'
    site = Site({"/knots.html": html, "/l": "- [K](knots.html)"}, pages="/l")
    for given in ({"url": "/knots.html", "section": "#öse"}, {"url": "/knots.html#%C3%B6se"}):
        assert (await site.read(**given))["text"] == "## Öse\n\nAn eye."
        [source] = site.sources
        assert (source.url, source.title) == (f"{ORIGIN}/knots.html#%C3%B6se", "Knots: Öse")


async def test_a_missing_section_is_answered_with_those_that_there_are() -> None:
    error = await listing(manual=LONG).refused(1, url="/manual.md", section="anchor")
    assert (error.code, error.reason) == (
        "not_found",
        "No section 'anchor'. Sections: Manual; Rope; Splice; Sail",
    )


async def test_code_is_no_heading_and_links_of_markdown_are_text() -> None:
    text = "# A\n\n[here](https://evil.test) ![pixel](/p.png)\n\n```\n# no heading\n```\n"
    read = await listing(a=text).read("/a.md")
    assert read["text"] == "# A\n\nhere pixel\n\n```\n# no heading\n```"


@pytest.mark.parametrize(
    "address",
    [
        *("https://evil.test/", "//evil.test/", "/\\evil.test/", "/\t/evil.test/", "\\\\evil.test"),
        *(
            "javascript:alert(1)",
            "data:text/html,x",
            "file:///etc/passwd",
            "blob:https://museum.test/x",
        ),
        *(f"{ORIGIN}@evil.test/", f"{ORIGIN}:8443/a.md", f"{ORIGIN}.evil.test/"),
    ],
)
async def test_an_address_of_another_origin_is_refused_before_anything_is_sent(
    address: str,
) -> None:
    site = listing(a="# A")
    error = await site.refused(1, url=address)
    assert (error.code, site.files.asked) == ("invalid_arguments", [])


async def test_only_pages_that_were_named_are_read() -> None:
    files = {
        "/secret.html": "<h1>Secret</h1>",
        "/a/": "<h1>Rope</h1>",
        INDEX: mkdocs(document("a/", "Rope")),
    }
    site = Site(files, search=INDEX)
    for url in ("/secret.html", "/a/", "/a/%2e%2e/secret.html"):
        error = await site.refused(1, url=url)
        assert error.code == "not_found"
        assert "Search for it first" in error.reason
    assert site.files.asked == []
    await site.find("rope")
    assert (await site.read("/a/"))["title"] == "Rope"


async def test_the_address_of_a_folder_is_read_with_a_slash_if_the_host_redirects() -> None:
    redirected = TransportError("unreachable", "museum.test")
    files = {"/a": redirected, "/a/": "<h1>Rope</h1>", "/l": "- [A](/a)"}
    site = Site(files, pages="/l")
    read = await site.read("/a")
    assert (read["title"], read["url"]) == ("Rope", f"{ORIGIN}/a")
    assert site.files.asked == ["/l", "/a", "/a/"]


async def test_a_page_at_an_address_without_html_is_read_where_its_file_lies() -> None:
    site = Site({"/a.html": "<h1>Rope</h1>", "/l": "- [A](/a)\n- [B](/b)"}, pages="/l")
    assert (await site.read("/a"))["title"] == "Rope"
    assert (await site.refused(1, url="/b")).reason == (
        f"The page {ORIGIN}/b answered with status 404."
    )


async def test_a_page_without_an_answer_is_not_waited_for_again_at_other_addresses() -> None:
    site = Site({"/a": TransportError("timeout", "museum.test"), "/l": "- [A](/a)"}, pages="/l")
    assert "(timeout)" in (await site.refused(1, url="/a")).reason
    assert site.files.asked == ["/l", "/a"]


@pytest.mark.parametrize("kind", ["application/octet-stream", "binary/octet-stream", ""])
async def test_markdown_is_read_from_a_host_that_does_not_know_its_ending(kind: str) -> None:
    page = answer("# Rope\n\n- one\n- two", 200, {"content-type": kind})
    site = Site({"/a.md": page, "/l": "- [A](/a.md)"}, pages="/l")
    assert (await site.read("/a.md"))["text"] == "# Rope\n\n- one\n- two"


async def test_a_page_that_is_gone_leaves_the_tool_usable() -> None:
    files = {INDEX: mkdocs(document("a/", "Rope"))}
    site = Site(files, search=INDEX)
    await site.find("rope")
    error = await site.refused(1, url="/a/")
    assert error.reason == f"The page {ORIGIN}/a/ answered with status 404."
    assert error.recoverable


@pytest.mark.parametrize(
    ("header", "before", "charset"),
    [
        ("text/html; charset=ISO-8859-1", "", "latin-1"),
        ('text/html;charset="Windows-1252"', "<meta charset=utf-8>", "cp1252"),
        ("text/html", "<meta charset=windows-1252>", "cp1252"),
        ("text/html", "", "cp1252"),  # as browsers take it
        (
            "text/html",
            '<META http-equiv="Content-Type" content="text/html; charset=iso-8859-15">',
            "iso8859-15",
        ),
        ("application/xhtml+xml", '<?xml version="1.0" encoding="ISO-8859-1"?>', "latin-1"),
        ("text/html; charset=utf-16le", "", "utf-16-le"),
        ("text/html; charset=utf-8", "", "utf-16"),  # its BOM says so
        ("text/html; charset=iso-8859-1", "", "utf-8"),  # the host says so of all files
        ("text/html", "<meta charset=utf-16>", "utf-8"),
        ("text/html; charset=x-unknown", "", "utf-8"),
        ("text/html; charset=unicode_escape", "", "utf-8"),
        ("text/html", "<p>Write charset=iso-8859-1.</p>", "utf-8"),
    ],
)
async def test_a_page_is_read_in_the_charset_that_it_names(
    header: str, before: str, charset: str
) -> None:
    html = f"{before}<h1>Öffnung</h1><p>„Süß“</p>".encode(charset, "ignore")
    page = answer(html, 200, {"content-type": header})
    site = Site({"/knots": page, "/l": "- [K](knots)"}, pages="/l")
    read = await site.read("/knots")
    assert read["title"] == "Öffnung"
    assert html.decode(charset).endswith(f"{read['text'].split()[-1]}</p>")


async def test_a_file_that_is_no_text_is_refused() -> None:
    site = Site({"/a.json": "{}", "/l": "- [A](a.json)"}, pages="/l")
    assert (await site.refused(1, url="/a.json")).reason == (
        f"The page {ORIGIN}/a.json is no text (application/json)."
    )


# what a person sees, and what each hop pays for


def test_the_definitions_are_short_and_say_that_pages_are_data() -> None:
    tools = Site({}, search=INDEX).tools
    assert len(json.dumps([definition(tool) for tool in tools])) < 1_700
    assert all("quoted data" in tool.description for tool in tools)


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ({"url": "https://museum.test/a/#b"}, "page /a/#b"),
        ({"url": "/a/", "section": "Prices"}, "“Prices” on the page /a/"),
    ],
)
def test_a_step_says_which_page_is_read(arguments: dict[str, str], text: str) -> None:
    [line] = PAGE.step_lines(arguments)
    assert str(line.text).format(**line.values) == text


def test_a_search_says_for_what_and_how_much_it_found() -> None:
    [step], [summary] = SEARCH.step_lines({"query": "a"}), SEARCH.summary_lines({"hits": [1, 2]})
    assert str(step.text).format(**step.values) == "pages on “a”"
    assert str(summary.text).format(**summary.values) == "2 passages"
