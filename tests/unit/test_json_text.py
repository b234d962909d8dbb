"""JSON of any origin is read safely, and written so that any parser reads it."""

import json
import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tabloop.core.json_text import compact, read_json


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
def test_valid_json_is_read(text: str | bytes, value: object) -> None:
    assert value is None or read_json(text) == value


@pytest.mark.parametrize(
    "text",
    ["", "{", "{'a': 1}", "[1,]", "1 2", b"\xff\xfe\xfa", "[" * 100_000, '{"a":' * 5_000],
    ids=range(8),
)
def test_invalid_json_raises_a_value_error(text: str | bytes) -> None:
    with pytest.raises(ValueError, match=r"column|line|codec"):
        read_json(text)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters(codec="utf-8")),
    lambda x: st.lists(x) | st.dictionaries(st.text(st.characters(codec="utf-8")), x),
    max_leaves=10,
)


def finite(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: finite(item) for key, item in value.items()}  # pyright: ignore[reportUnknownVariableType] -- any JSON value
    if isinstance(value, list):
        return [finite(item) for item in value]  # pyright: ignore[reportUnknownVariableType] -- any JSON value
    return None if isinstance(value, float) and not math.isfinite(value) else value


@given(JSON)
def test_written_json_reads_back_equal_with_null_for_numbers_that_json_lacks(
    value: Any,
) -> None:
    written = compact(value)
    assert json.loads(written) == finite(value)
    assert read_json(written) == finite(value)


def test_json_is_written_compactly_without_escaping_letters() -> None:
    assert compact({"ä": [1, "ß, €"], "n": float("nan")}) == '{"ä":[1,"ß, €"],"n":null}'
