"""Settings: money and endpoints right, or one error; the others right, or their defaults."""

import re
import tomllib
from pathlib import Path

import pytest
from tabloop.core.addresses import is_endpoint
from tabloop.core.money import to_micro
from tabloop.core.networks import NETWORKS
from tabloop.settings import SettingsError, read_settings
from tabloop.ui.start_problems import problem_sentence, settings_sentence
from tabloop.ui.strings import LANGUAGES, load_strings
from tabloop.ui.unseen import written_out

SHIPPED = (Path(__file__).resolve().parents[2] / "pyscript.toml").read_text("utf-8")
WALLET = "0x" + "Ab12" * 10


def with_value(key: str, value: str) -> str:
    """The shipped file with one value written differently."""
    changed, count = re.subn(rf"(?m)^{key} = .*$", f"{key} = {value}", SHIPPED)
    assert count == 1, key
    return changed


def error_of(toml: str) -> SettingsError:
    with pytest.raises(SettingsError) as caught:
        read_settings(toml)
    return caught.value


def test_the_shipped_settings_are_valid() -> None:
    settings = read_settings(SHIPPED)
    assert settings.llm_url == "https://llm-agent.fretchen.eu"
    assert settings.max_hops == 4
    assert settings.analytics_url == ""
    assert settings.analytics_owners == ()
    assert settings.payment.networks == tuple(NETWORKS)
    assert settings.payment.max_per_message == "0.01"
    assert settings.payment.pay_to == {}


DEFAULTS = {
    "bundestakt_url": "https://www.bundestakt.de/api/v1",
    "image_url": "",
    "image_model": "",
    "analytics_url": "",
    "analytics_owners": (),
    "stream": False,
    "start_snapshot": True,
    "offline": True,
}


def required_keys() -> list[str]:
    table = tomllib.loads(SHIPPED)["tabloop"]
    return [
        *(key for key in table if key not in {"payment", "site", *DEFAULTS}),
        *(f"payment.{key}" for key in table["payment"]),
    ]


def test_the_number_of_pictures_may_be_left_out_but_not_be_wrong() -> None:
    assert read_settings(SHIPPED).max_paid_calls == 6
    table = "[tabloop]\n"
    assert read_settings(SHIPPED.replace(table, f"{table}max_paid_calls = 2\n")).max_paid_calls == 2
    error = error_of(SHIPPED.replace(table, f"{table}max_paid_calls = 0\n"))
    assert (error.kind, error.key, error.wanted) == ("wrong", "max_paid_calls", "hops")


def test_the_model_of_a_picture_service_may_be_left_out() -> None:
    table = "[tabloop]\n"
    assert read_settings(SHIPPED).image_model == ""
    named = SHIPPED.replace(table, f'{table}image_model = "gpt-image-1"\n')
    assert read_settings(named).image_model == "gpt-image-1"


def test_what_the_browser_keeps_for_the_next_start_can_be_turned_off() -> None:
    table = "[tabloop]\n"
    shipped = read_settings(SHIPPED)
    assert (shipped.start_snapshot, shipped.offline) == (True, True)
    off = read_settings(SHIPPED.replace(table, f"{table}start_snapshot = false\noffline = false\n"))
    assert (off.start_snapshot, off.offline, off.problems) == (False, False, ())


@pytest.mark.parametrize(
    ("key", "value", "wanted"),
    [
        ("bundestakt_url", '"http://www.bundestakt.example"', "url"),
        ("image_url", "7", "url_or_empty"),
        ("image_model", "7", "text_or_empty"),
        ("analytics_url", '"nonsense"', "url_or_empty"),
        ("analytics_owners", '["0x12"]', "wallets"),
        ("analytics_owners", f'"{WALLET}"', "wallets"),
        ("stream", "1", "stream"),
        ("stream", '"false"', "stream"),
        ("start_snapshot", '"no"', "boolean"),
        ("offline", '"no"', "boolean"),
    ],
)
def test_a_setting_without_money_has_its_default_and_is_named(
    key: str, value: str, wanted: str
) -> None:
    without = re.sub(rf"(?m)^{key} = .*$\n", "", SHIPPED)
    assert getattr(read_settings(without), key) == DEFAULTS[key]
    assert read_settings(without).problems == ()
    settings = read_settings(without.replace("[tabloop]\n", f"[tabloop]\n{key} = {value}\n"))
    assert getattr(settings, key) == DEFAULTS[key]
    [problem] = settings.problems
    assert (problem.kind, problem.key, problem.wanted) == ("wrong", key, wanted)
    for language in LANGUAGES:
        strings = load_strings(language)
        sentence = problem_sentence(strings, problem)
        assert key in sentence
        assert value in sentence
        assert strings(f"wanted.{wanted}") in sentence


@pytest.mark.parametrize("key", required_keys())
def test_each_missing_setting_is_named(key: str) -> None:
    name = key.removeprefix("payment.")
    error = error_of(re.sub(rf"(?m)^{name} = .*$\n", "", SHIPPED))
    assert (error.kind, error.key) == ("missing", key)
    for language in LANGUAGES:
        assert key in settings_sentence(load_strings(language), error)


@pytest.mark.parametrize(
    ("key", "value", "found", "wanted"),
    [
        ("llm_url", '"http://llm.example"', '"http://llm.example"', "url_or_empty"),
        ("llm_url", '"ftp://llm.example"', '"ftp://llm.example"', "url_or_empty"),
        (
            "llm_url",
            '"https://user:pw@llm.example"',
            '"https://user:pw@llm.example"',
            "url_or_empty",
        ),
        ("llm_url", '"https://"', '"https://"', "url_or_empty"),
        ("llm_url", "8000", "8000", "url_or_empty"),
        ("llm_model", '"  "', '"  "', "text"),
        ("llm_model", '"\u200b\u3164"', None, "text"),
        ("llm_model", '"gpt\u202e4"', None, "text"),
        ("llm_model", '"-"', '"-"', "text"),
        ("max_hops", "0", "0", "hops"),
        ("max_hops", "21", "21", "hops"),
        ("max_hops", "4.0", "4.0", "hops"),
        ("max_hops", "true", "true", "hops"),
        ("max_hops", '"4"', '"4"', "hops"),
        ("networks", "[]", "[]", "networks"),
        ("networks", '["eip155:1"]', '["eip155:1"]', "networks"),
        ("max_per_message", "0.01", "0.01", "amount"),
        ("max_per_message", '"0,01"', '"0,01"', "amount"),
        ("max_per_message", '"-1"', '"-1"', "amount"),
        ("max_per_message", '"1e3"', '"1e3"', "amount"),
        ("max_per_message", '"0.0000001"', '"0.0000001"', "amount"),
        ("max_deposit", '"٣"', '"٣"', "amount"),
        ("pay_to", '{ "https://a.example" = "0x1" }', '{https://a.example = "0x1"}', "recipients"),
        ("pay_to", f'{{ "https://a.example/path" = "{WALLET}" }}', None, "recipients"),
        ("pay_to", "[]", "[]", "recipients"),
    ],
)
def test_each_wrong_setting_is_named_with_its_value(
    key: str, value: str, found: str | None, wanted: str
) -> None:
    error = error_of(with_value(key, value))
    assert error.kind == "wrong"
    assert error.key.removeprefix("payment.") == key
    assert error.wanted == wanted
    if found is not None:
        assert error.found == found
    for language in LANGUAGES:
        strings = load_strings(language)
        sentence = settings_sentence(strings, error)
        assert error.key in sentence
        assert written_out(error.found) in sentence
        assert strings(f"wanted.{wanted}", networks='"eip155:10", "eip155:8453"') in sentence


def test_a_typo_is_named_with_the_setting_that_it_may_have_meant() -> None:
    error = error_of(SHIPPED.replace("max_hops", "max_hop"))
    assert (error.kind, error.key, error.near) == ("unknown", "max_hop", "max_hops")
    sentence = settings_sentence(load_strings("en"), error)
    assert "max_hop " in sentence
    assert "Was max_hops meant?" in sentence


@pytest.mark.parametrize(
    ("unknown", "near"),
    [("colour", ""), ("imagemodel", "image_model"), ("stream2", "")],
)
def test_an_unknown_setting_is_ignored_and_named(unknown: str, near: str) -> None:
    [problem] = read_settings(
        SHIPPED.replace("[tabloop]\n", f"[tabloop]\n{unknown} = 1\n")
    ).problems
    assert (problem.kind, problem.key) == ("unknown", unknown)
    sentence = problem_sentence(load_strings("en"), problem)
    assert f"setting {unknown} that does not exist" in sentence
    assert (f"Was {near} meant?" in sentence) == bool(near)


def test_a_typo_in_the_payment_table_keeps_its_place() -> None:
    error = error_of(SHIPPED.replace("max_deposit", "max_deposits"))
    assert (error.key, error.near) == ("payment.max_deposits", "payment.max_deposit")


@pytest.mark.parametrize(
    ("toml", "kind"),
    [
        ("", "no_table"),
        ("tabloop = 3", "no_table"),
        ("<!doctype html>", "syntax"),
        ("[tabloop", "syntax"),
        (f"{SHIPPED}\nx = {'[' * 5_000}", "syntax"),
        (SHIPPED.replace("max_hops = 4", f"max_hops = {'9' * 5_000}"), "syntax"),
        (SHIPPED.replace("max_hops = 4", f"max_hops = 0x{'f' * 8_000}"), "wrong"),
        (re.sub(r"(?s)\[tabloop\.payment\].*", "", SHIPPED), "missing"),
        (
            re.sub(r"(?s)\[tabloop\.payment\].*", "", SHIPPED).replace(
                "[tabloop]\n", "[tabloop]\npayment = 1\n"
            ),
            "wrong",
        ),
    ],
)
def test_a_file_of_another_kind_is_refused_with_the_reason(toml: str, kind: str) -> None:
    error = error_of(toml)
    assert error.kind == kind
    for language in LANGUAGES:
        assert "pyscript.toml" in settings_sentence(load_strings(language), error)


def test_addresses_lose_their_last_slash_and_nothing_else() -> None:
    settings = read_settings(with_value("bundestakt_url", '"http://127.0.0.1:8703/api/v1/"'))
    assert settings.bundestakt_url == "http://127.0.0.1:8703/api/v1"


@pytest.mark.parametrize(
    ("address", "good"),
    [
        ("https://a.example", True),
        ("https://a.example:8443/v1", True),
        ("http://localhost:11434/v1", True),
        ("http://127.0.0.1:8080", True),
        ("http://[::1]:8080", False),
        ("http://192.168.1.5:8080", False),
        ("http://localhost.evil.example", False),
        ("http://127.0.0.1.evil.example", False),
        ("https://a.example?key=1", False),
        ("https://a.example#x", False),
        ("https://a.example:99999", False),
        ("https://a example", False),
        ("https://a.example\\@b.example", False),
        (" https://a.example", False),
        ("https:a.example", False),
        ("javascript:alert(1)", False),
        ("//a.example", False),
        ("https://[::1", False),
        ("https://[::1]:8443", False),
        ("https://%zz", False),
        ("https://exa<mple", False),
        ("https://*", False),
        ("https://*.example", False),
        ("https://.", False),
        ("https://a..example", False),
        ("https://a.example.", False),
        ("https://-a.example", False),
        ("https://256.256.256.256", False),
        ("https://1.2.3", False),
        ("https://01.2.3.4", False),
        ("https://2130706433", False),
        ("https://a.0x7f", False),
        ("https://192.168.1.5:8080", True),
        ("https://x?", False),
        ("https://x/#", False),
        ("https://x/?", False),
        ("https://x:0", False),
        ("https://x:", False),
        ("https://x:٣", False),
        ("https://x:65535", True),
        ("https://x/\x00", False),
        ("https://x/\x7f", False),
        ("\x00https://x", False),
        ("https://exa\u202emple.com", False),
        ("https://exa\u200bmple.com", False),
        ("https://exa\u00admple.com", False),
        ("https://exa\u115fmple.com", False),
        ("https://a\uff0eexample", False),
        ("https://xn--mnchen-3ya.example", True),
        ("https://münchen.example/v1", True),
        ("https://mu\u0308nchen.example", True),
        ("https://日本.example", True),
        ("https://" + "a." * 126 + "aa", False),
        ("https://" + "a" * 64, False),
        (None, False),
    ],
)
def test_addresses_a_page_may_send_to(address: object, good: bool) -> None:
    assert is_endpoint(address) is good


@pytest.mark.parametrize(
    ("amount", "micro"),
    [("0.01", 10_000), ("1", 1_000_000), ("0.000001", 1), ("2.50", 2_500_000), ("0", 0)],
)
def test_amounts_become_whole_millionths(amount: str, micro: int) -> None:
    assert to_micro(amount) == micro


def test_a_long_value_is_cut_in_the_sentence() -> None:
    error = error_of(with_value("llm_url", f'"{"x" * 500}"'))
    assert len(error.found) == 80
