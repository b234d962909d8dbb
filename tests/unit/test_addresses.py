"""Addresses on this machine: the page's policy, the code and the sentences name the same hosts."""

import re
from pathlib import Path

import pytest
from tabloop.core.addresses import LOOPBACK, is_endpoint, is_loopback
from tabloop.ui.strings import LANGUAGES, load_strings

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize("directive", ["connect-src", "img-src"])
def test_the_pages_policy_allows_http_to_the_same_hosts_as_the_code(directive: str) -> None:
    page = (ROOT / "index.html").read_text("utf-8")
    sources = re.search(rf"{directive} ([^;\"]*)", page)
    assert sources
    plain = [source for source in sources[1].split() if source.startswith("http:/")]
    assert plain == [f"http://{host}:*" for host in LOOPBACK]


@pytest.mark.parametrize("host", LOOPBACK)
def test_an_address_on_this_machine_may_use_http(host: str) -> None:
    assert is_loopback(host.upper())
    assert is_endpoint(f"http://{host}:11434/v1")


@pytest.mark.parametrize("language", LANGUAGES)
def test_another_name_of_this_machine_is_refused_with_the_name_to_use(language: str) -> None:
    assert not is_loopback("::1")
    assert not is_endpoint("http://[::1]:11434/v1")
    for key in ("wanted.url", "wanted.url_or_empty"):
        assert all(host in load_strings(language)(key) for host in LOOPBACK)
