"""The builder of markup: whatever text it gets, a page shows it as text."""

import xml.etree.ElementTree as ET
from html.parser import HTMLParser
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tabloop.ui.html import Html, button, fragment, h


class Read(HTMLParser):
    """Takes markup apart as a browser would: elements with their attributes, and the text."""

    def __init__(self, markup: Html) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self.feed(str(markup))
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.text += data


def test_elements_nest_and_keep_the_order_of_their_attributes() -> None:
    made = h("ul", {"class": "a", "id": "b"}, h("li", {}, "one"), h("li", {}, "two", h("br")))
    assert str(made) == '<ul class="a" id="b"><li>one</li><li>two<br></li></ul>'


def test_shapes_close_themselves_so_that_a_picture_is_xml_too() -> None:
    made = h("svg", {"width": "100%"}, h("rect", {"x": 0, "rx": "1.5"}), h("title", {}, "a & b"))
    root = ET.fromstring(str(made))
    assert root[0].attrib == {"x": "0", "rx": "1.5"}
    assert root[1].text == "a & b"


def test_none_and_false_are_left_out_of_the_markup() -> None:
    attributes = {"disabled": True, "checked": False, "title": None, "value": "", "tabindex": 0}
    assert str(h("input", attributes)) == '<input disabled value="" tabindex="0">'
    assert str(fragment("a", None, fragment(), h("b"))) == "a<b></b>"


@given(st.text())
def test_text_is_escaped_wherever_it_is_placed(text: str) -> None:
    read = Read(fragment(text, h("p", {"title": text, "data-x": text}, text)))
    whole = text.replace("\r\n", "\n").replace("\r", "\n")
    assert [tag for tag, _ in read.elements] == ["p"]
    assert read.elements[0][1] == {"title": text, "data-x": text}
    assert read.text.replace("\r\n", "\n").replace("\r", "\n") == whole * 2


def test_joining_markup_with_a_string_gives_no_markup() -> None:
    made: Any = h("b", {}, "x")
    assert not isinstance(made, str)
    assert str(h("p", {}, f"{made}<i>")) == "<p>&lt;b&gt;x&lt;/b&gt;&lt;i&gt;</p>"
    with pytest.raises(TypeError):
        _ = made + "<i>"


def test_equal_markup_compares_equal_and_an_empty_fragment_is_false() -> None:
    assert h("b", {}, "x") == h("b", {}, "x") != h("b", {}, "y")
    assert not fragment()
    assert h("b")


@pytest.mark.parametrize(
    "name",
    [
        "onclick",
        "onError",
        "style",
        "srcdoc",
        "formaction",
        "a b",
        'x"',
        "x>",
        "x=",
        "",
        "xlink:href",
    ],
)
def test_attributes_that_run_code_or_break_out_are_refused(name: str) -> None:
    with pytest.raises(ValueError, match="attribute"):
        h("p", {name: "x"})


@pytest.mark.parametrize("tag", ["script", "Style", "iframe", "base", "a b", "b>", "", "a/"])
def test_elements_that_run_code_or_break_out_are_refused(tag: str) -> None:
    with pytest.raises(ValueError, match="element"):
        h(tag)


@pytest.mark.parametrize(
    "address",
    [
        "https://example.org/?a=1&b=2",
        "http://127.0.0.1:8000/x",
        "//example.org/x",
        "/a:b",
        "a/b:c",
        "?q=a:b",
        "#chart-1",
        "",
    ],
)
def test_safe_addresses_are_kept(address: str) -> None:
    assert Read(h("a", {"href": address}, "x")).elements == [("a", {"href": address})]


@pytest.mark.parametrize(
    "address",
    [
        "javascript:alert(1)",
        " JavaScript:alert(1)",
        "\x01javascript:alert(1)",
        "java\tscript:alert(1)",
        "java\r\nscript:alert(1)",
        "data:text/html,<script>alert(1)</script>",
        "vbscript:x",
        "blob:https://example.org/1",
        "file:///etc/passwd",
    ],
)
def test_a_link_that_could_run_code_is_shown_as_text(address: str) -> None:
    assert str(h("a", {"href": address}, "text")) == "<a>text</a>"


def test_a_picture_may_come_from_the_page_itself() -> None:
    for address in ("blob:https://example.org/1", "data:image/png;base64,AA=="):
        assert Read(h("img", {"src": address})).elements == [("img", {"src": address})]
    assert str(h("img", {"src": "data:text/html,x"})) == "<img>"


def test_a_button_says_what_it_does_and_can_be_off() -> None:
    shown = str(button("Save", "wallet-save", value="0x1", off=True))
    assert shown == (
        '<button type="button" class="small" data-action="wallet-save" data-value="0x1" disabled>'
        "Save</button>"
    )
    assert str(button("Go", "go")) == (
        '<button type="button" class="small" data-action="go">Go</button>'
    )
