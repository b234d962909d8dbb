"""JSON from strangers, read without harm."""

import pytest
from tabloop.core.json_text import read_json


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('{"a": [1, 2.5, "x", null, true]}', {"a": [1, 2.5, "x", None, True]}),
        (b'\xef\xbb\xbf{"a": 1}', {"a": 1}),
        ('{"a": 1}'.encode("utf-16"), {"a": 1}),
        ("12345678901234567890123", 12345678901234567890123),
        (r'"\ud83d\ude00"', "😀"),
        (r'"half \ud83d."', "half \ufffd."),
        (r'"two halves \ude00\ud83d"', "two halves \ufffd\ufffd"),
        (r'"no escape: \\ud83d, but here: \ud83d"', "no escape: \\ud83d, but here: \ufffd"),
        ('"a half \ud83d in the text"', "a half ? in the text"),
        ("[" * 150 + "]" * 150, None),
    ],
)
def test_what_is_json_is_read(text: str | bytes, value: object) -> None:
    assert value is None or read_json(text) == value


@pytest.mark.parametrize(
    "text",
    ["", "{", "{'a': 1}", "[1,]", "1 2", b"\xff\xfe\xfa", "[" * 100_000, '{"a":' * 5_000],
    ids=range(8),
)
def test_what_is_none_is_a_value_error(text: str | bytes) -> None:
    with pytest.raises(ValueError, match=r"column|line|codec"):
        read_json(text)
