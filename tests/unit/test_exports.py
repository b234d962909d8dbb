"""`__all__` of each module is exactly what the module itself makes public; none grows large."""

import ast
import importlib
import pkgutil
from pathlib import Path

import pytest
import tabloop

IN_A_PAGE = ("tabloop.browser", "tabloop.main")
MODULES = [
    module.name
    for module in pkgutil.walk_packages(tabloop.__path__, "tabloop.")
    if not module.name.startswith(IN_A_PAGE) and not module.ispkg
]


def defined(tree: ast.Module) -> set[str]:
    """Functions and classes; a constant may be public without being offered."""
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
    return {node.name for node in tree.body if isinstance(node, kinds)}


@pytest.mark.parametrize("name", MODULES)
def test_all_is_exactly_what_is_public(name: str) -> None:
    module = importlib.import_module(name)
    assert module.__file__
    tree = ast.parse(Path(module.__file__).read_text(encoding="utf-8"))
    public = {word for word in defined(tree) if not word.startswith("_")}
    assert public <= set(module.__all__)
    assert all(hasattr(module, word) for word in module.__all__)
    assert list(module.__all__) == sorted(module.__all__, key=in_ruffs_order)


def in_ruffs_order(word: str) -> tuple[int, str]:
    """Constants, then classes, then functions."""
    return (0 if word.isupper() else 1 if word[0].isupper() else 2, word)


def test_modules_stay_small() -> None:
    folder = Path(tabloop.__path__[0])
    lines = {
        path.relative_to(folder).as_posix(): len(path.read_text("utf-8").splitlines())
        for path in folder.rglob("*.py")
    }
    assert lines["agent/loop.py"] < 150
    assert {name: count for name, count in lines.items() if count > 250} == {}
