"""No module but the builder writes markup, and nothing but its markup gets into the page."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[2] / "app" / "tabloop"
BUILDER, DOOR = PACKAGE / "ui" / "html.py", PACKAGE / "browser" / "markup.py"
READERS = [  # they read tags in replies, and in the indexes of a site
    *(PACKAGE / "endpoint" / name for name in ("errors.py", "reasoning.py", "written_calls.py")),
    *(PACKAGE / "tools" / "site" / name for name in ("indexes.py", "lists.py", "plain.py")),
]
# A tag, whole or cut by a value in an f-string. Not a group of a regular expression, and not the
# beginning of a Markdown link as in `(<{url}>)`.
MARKUP = re.compile(r"(?<!\?)(?<!\?P)</?[a-z!]|</|(?<!\()<$", re.IGNORECASE)
INTO_THE_PAGE = {
    "innerHTML",
    "outerHTML",
    "insertAdjacentHTML",
    "setHTMLUnsafe",
    "createContextualFragment",
    "parseFromString",
}


def trees(*without: Path) -> Iterator[tuple[str, ast.Module]]:
    for path in sorted(PACKAGE.rglob("*.py")):
        if path not in without:
            yield str(path.relative_to(PACKAGE)), ast.parse(path.read_text("utf-8"))


def markup_in(tree: ast.AST) -> list[str]:
    """Return the strings that look like markup; a string that stands alone is a docstring."""
    alone = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    return [
        node.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant)
        and isinstance(node.value, str)
        and id(node) not in alone
        and MARKUP.search(node.value)
    ]


def names_in(tree: ast.AST) -> set[str]:
    """Return the names of attributes, and the text of strings, which `getattr` could name."""
    nodes = list(ast.walk(tree))
    attributes = {node.attr for node in nodes if isinstance(node, ast.Attribute)}
    return attributes | {str(node.value) for node in nodes if isinstance(node, ast.Constant)}


def imports_in(tree: ast.AST) -> set[str]:
    nodes = list(ast.walk(tree))
    whole = {alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names}
    return whole | {str(node.module) for node in nodes if isinstance(node, ast.ImportFrom)}


@pytest.mark.parametrize(
    "code",
    [
        'x = "<b>"',
        'x = f"<{tag}>"',
        'x = f"<p class={y}>{z}"',
        'x = y + "</p>"',
        'x = "a<!-- b"',
        'x = "<" + tag',
        'x = f"{a}<{tag}"',
        'f("<IMG src=x")',
    ],
)
def test_markup_is_found(code: str) -> None:
    assert markup_in(ast.parse(code))


@pytest.mark.parametrize(
    "code", ['"""<b>"""', 'x = "a < b"', 'x = f"[{a}](<{b}>)"', 'x = r"(?P<a>b)(?<!c)"', 'x = "->"']
)
def test_other_text_is_not_taken_for_markup(code: str) -> None:
    assert not markup_in(ast.parse(code))


def test_no_module_but_the_builder_writes_markup() -> None:
    found = {
        name: strings for name, tree in trees(BUILDER, *READERS) if (strings := markup_in(tree))
    }
    assert found == {}


def test_no_module_but_the_builder_escapes_or_declares_text_to_be_markup() -> None:
    for name, tree in trees(BUILDER):
        calls = [node.func for node in ast.walk(tree) if isinstance(node, ast.Call)]
        made = [func for func in calls if isinstance(func, ast.Name) and func.id == "Html"]
        assert not made, name
        assert imports_in(tree).isdisjoint({"html", "xml.sax.saxutils", "markupsafe"}), name


def test_markup_gets_into_the_page_through_one_module() -> None:
    found = {name for name, tree in trees(DOOR) if names_in(tree) & INTO_THE_PAGE}
    assert found == set()
