"""What `?check` tells the site's owner."""

import pytest
from tabloop.settings import SettingsError, read_settings
from tabloop.ui.owner_check import (
    Part,
    ShippedFile,
    check_page,
    fault_finding,
    file_findings,
    index_findings,
    missing_finding,
    search_file,
    service_finding,
    settings_findings,
)
from tabloop.ui.strings import Strings, load_strings


@pytest.fixture(params=["en", "de"])
def strings(request: pytest.FixtureRequest) -> Strings:
    return load_strings(request.param)


def test_right_settings_are_said_to_be_right(strings: Strings) -> None:
    [finding] = settings_findings(strings, [], [])
    assert finding.state == "ok"


def test_each_wrong_setting_note_and_missing_string_is_named() -> None:
    strings = load_strings("fr", {"page": {"send": "Envoyer"}})
    wrong = SettingsError("wrong", "site.theme", found='"blue"', wanted="theme")
    setting, note, missing = settings_findings(strings, [wrong], ["The logo is not there."])
    assert "site.theme" in setting.sentence
    assert note.sentence == "The logo is not there."
    assert missing.state == "paid"
    assert ", such as " in missing.sentence


def test_a_line_that_is_no_toml_is_quoted_with_its_number(strings: Strings) -> None:
    with pytest.raises(SettingsError) as raised:
        read_settings("[tabloop.site]\nname = “Museum”\n" + "x" * 300)
    finding = fault_finding(strings, raised.value)
    assert finding.state == "failed"
    assert "2" in finding.sentence
    assert finding.quoted == "name = “Museum”"
    assert ">name = “Museum”</code>" in str(check_page(strings, [Part("Settings", [finding])]))


def test_the_line_that_is_quoted_is_the_parsers_and_not_one_that_a_key_names(
    strings: Strings,
) -> None:
    table = f'["line {"9" * 20}"]\n'
    with pytest.raises(SettingsError) as raised:
        read_settings("# a\u2028b\n" + 2 * table)
    assert "3" in fault_finding(strings, raised.value).sentence
    assert raised.value.found == table.strip()


def test_a_setting_that_keeps_the_page_from_starting_has_a_remedy(strings: Strings) -> None:
    finding = fault_finding(strings, SettingsError("missing", "llm_url", wanted="url"))
    assert (finding.state, finding.sentence) == ("failed", strings("ownerCheck.mend"))


def test_a_file_of_the_wrong_type_or_uncompressed_names_the_remedy(strings: Strings) -> None:
    wanted = "application/wasm"
    good = ShippedFile("a.wasm", wanted, wanted, sent=3_000_000, size=9_000_000)
    assert [finding.state for finding in file_findings(strings, good)] == ["ok", "ok"]
    bad = ShippedFile("a.wasm", "", wanted, sent=9_000_000, size=9_000_000)
    findings = list(file_findings(strings, bad))
    assert [finding.state for finding in findings] == ["failed", "failed"]
    assert all(wanted in finding.sentence for finding in findings)
    cached = ShippedFile("a.wasm", wanted, wanted, sent=0, size=9_000_000)
    assert [finding.state for finding in file_findings(strings, cached)] == ["ok", "paid"]


def test_headers_of_the_page(strings: Strings) -> None:
    policy = "frame-ancestors 'self'"
    good = {"cache-control": "no-cache", "content-security-policy": policy}
    assert {finding.state for finding in index_findings(strings, good, secure=True)} == {"ok"}
    bad = {"cache-control": "max-age=600", "content-security-policy": "script-src 'self'"}
    insecure, cache, frames, own = index_findings(strings, bad, secure=False)
    assert (insecure.state, cache.state, frames.state) == ("failed", "paid", "paid")
    assert "max-age=600" in cache.sentence
    assert "script-src 'self'" in own.sentence


@pytest.mark.parametrize(("status", "state"), [(404, "ok"), (200, "paid"), (0, "paid")])
def test_a_missing_file_should_be_a_404(strings: Strings, status: int, state: str) -> None:
    assert missing_finding(strings, status).state == state


@pytest.mark.parametrize(
    ("status", "state"), [(200, "ok"), (401, "ok"), (404, "failed"), (502, "failed")]
)
def test_a_service_that_refuses_without_a_key_is_there(
    strings: Strings, status: int, state: str
) -> None:
    finding = service_finding(strings, "image_url", "https://p.example/", status, "https://me")
    assert finding.state == state
    assert "https://p.example/" in finding.sentence


def test_a_service_that_cannot_be_read_names_this_origin(strings: Strings) -> None:
    finding = service_finding(strings, "image_url", "https://p.example/", None, "https://me")
    assert finding.state == "failed"
    assert "https://me" in finding.sentence
    page = check_page(strings, [Part("Services", [finding])])
    assert "CORS" in str(page)


def test_a_host_without_a_cache_header_is_told_so() -> None:
    cache, _frames = index_findings(load_strings("en"), {}, secure=True)
    assert "without a Cache-Control header" in cache.sentence


@pytest.mark.parametrize(
    ("search", "file"), [("../pagefind/", "../pagefind/pagefind.js"), ("/i.json", "/i.json")]
)
def test_the_file_that_the_search_needs_is_asked_for(search: str, file: str) -> None:
    assert search_file(search) == file
