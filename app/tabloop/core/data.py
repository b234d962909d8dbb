"""The text files that belong to the package: locales, prompts and tables.

Rule: only this module knows where they are. A bundle or a wheel has them inside the package, a
checkout has locales and prompts beside it.
"""

from pathlib import Path

__all__ = ["data_text"]

_PACKAGE = Path(__file__).parents[1]


def data_text(name: str) -> str:
    """Return the file with this path, such as "locales/en.json". Raises `FileNotFoundError`."""
    inside = _PACKAGE / name
    path = inside if inside.is_file() else _PACKAGE.parent / name
    return path.read_text(encoding="utf-8")
