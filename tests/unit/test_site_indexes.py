"""Ten questions for each real generator: the page that answers is among the first three hits.

The indexes were built by tests/sites/generators.py. Pagefind needs a browser:
tests/e2e/test_site.py.
"""

from pathlib import Path

import pytest

from tests.sites.questions import QUESTIONS
from tests.unit.site_pages import Site

BUILT = Path(__file__).parents[1] / "sites" / "built"
PAGES = {page.stem.replace("-", "/", 1): page.read_bytes() for page in (BUILT / "pages").glob("*")}
LLMS = "# Museum\n\n> Schiffe\n\n## Pages\n\n" + "\n".join(
    f"- [{name.rpartition('/')[2].title()}](/{name}.md)" for name in sorted(PAGES)
)


def index(name: str) -> bytes:
    """A generated index."""
    return (BUILT / name).read_bytes()


def pages(ending: str) -> dict[str, bytes | str | Exception]:
    """The pages, at the addresses of a generator."""
    return {f"/{name}{ending}": html for name, html in PAGES.items()}


def markdown() -> dict[str, bytes | str | Exception]:
    """The pages as their author wrote them."""
    folder = Path(__file__).parents[1] / "sites" / "pages"
    return {f"/{name}.md": (folder / f"{name}.md").read_bytes() for name in PAGES}


DIRHTML = "BUILDER: 'dirhtml', LINK_SUFFIX: '.html'"
SITES = {
    "mkdocs": Site(
        {**pages("/"), "/search/search_index.json": index("mkdocs.json")},
        search="/search/search_index.json",
    ),
    "sphinx": Site(
        {**pages(".html"), "/searchindex.js": index("sphinx.txt")}, search="../searchindex.js"
    ),
    "sphinx in folders": Site(
        {
            **pages("/"),
            "/searchindex.js": index("sphinx.txt"),
            "/_static/documentation_options.js": DIRHTML,
        },
        search="/searchindex.js",
    ),
    "sphinx 4": Site(
        {**pages(".html"), "/searchindex.js": index("sphinx-4.txt")}, search="/searchindex.js"
    ),
    "docusaurus": Site(
        {**pages(""), "/search-index.json": index("docusaurus.json")}, search="/search-index.json"
    ),
    "llms.txt": Site({**markdown(), "/llms.txt": LLMS}, pages="/llms.txt"),
    "sitemap": Site({**pages(""), "/sitemap.xml": index("sitemap.xml")}, pages="/sitemap.xml"),
}


@pytest.mark.parametrize("site", SITES)
@pytest.mark.parametrize(("query", "expected"), QUESTIONS)
async def test_the_page_that_answers_is_among_the_first_three(
    site: str, query: str, expected: str
) -> None:
    found = await SITES[site].paths(query)
    assert any(path.startswith(f"/{expected}") for path in found[:3]), found


@pytest.mark.parametrize("site", SITES)
async def test_a_hit_names_page_and_section_and_quotes_the_words(site: str) -> None:
    [first, *_] = await SITES[site].find("Kesselwärter")
    assert first["title"] in ("Der Dampfkran", "Dampfkran")
    assert first["section"] == "Der Kessel"
    assert "Ein Kesselwärter ist immer dabei." in first["excerpt"]
    assert "#" not in first["url"] or first["url"].endswith("#der-kessel")
    read = await SITES[site].read(first["url"])
    assert "Steinkohle" in read["text"]
    assert ("Tragkraft" in read["text"]) == ("#" not in first["url"])  # else that section only
