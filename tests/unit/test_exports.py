"""`__all__` of each module of the core is exactly what the module itself makes public."""

import ast
import importlib
import pkgutil
from pathlib import Path

import pytest

import app.agent

MODULES = [module.name for module in pkgutil.iter_modules(app.agent.__path__)]


def defined(tree: ast.Module) -> set[str]:
    names: set[str] = set()
    for node in tree.body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            names.add(node.name)
        elif isinstance(node, ast.AnnAssign | ast.Assign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            names |= {target.id for target in targets if isinstance(target, ast.Name)}
    return names


@pytest.mark.parametrize("name", MODULES)
def test_all_is_exactly_what_is_public(name: str) -> None:
    module = importlib.import_module(f"app.agent.{name}")
    assert module.__file__
    tree = ast.parse(Path(module.__file__).read_text(encoding="utf-8"))
    public = {word for word in defined(tree) if not word.startswith("_")}
    assert set(module.__all__) == public
    assert all(hasattr(module, word) for word in module.__all__)
    assert list(module.__all__) == sorted(module.__all__, key=in_ruffs_order)


def in_ruffs_order(word: str) -> tuple[int, str]:
    """Constants, then classes, then functions."""
    return (0 if word.isupper() else 1 if word[0].isupper() else 2, word)


def test_the_core_stays_small() -> None:
    lines = {
        name: len(Path(app.agent.__path__[0], f"{name}.py").read_text().splitlines())
        for name in MODULES
    }
    assert lines["loop"] < 150
    assert max(lines.values()) <= 250, lines
