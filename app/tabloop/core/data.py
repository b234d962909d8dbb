"""The text files that belong to the package: locales, prompts, tables and a script.

Rule: only this module knows where they are. A bundle or a wheel has them inside the package, a
checkout has locales, prompts and scripts beside it.
"""

import re
from pathlib import Path

__all__ = ["data_text", "script_expression"]

_PACKAGE = Path(__file__).parents[1]


def data_text(name: str) -> str:
    """Return the file with this path, such as "locales/en.json". Raises `FileNotFoundError`."""
    inside = _PACKAGE / name
    path = inside if inside.is_file() else _PACKAGE.parent / name
    return path.read_text(encoding="utf-8")


def script_expression(name: str) -> str:
    """Return a JavaScript module as one expression, whose value is an object of its exports.

    The module may import nothing; addresses in it are relative to the page.

    Raises:
        FileNotFoundError: There is no such file.
    """
    module = data_text(name)
    exported = re.findall(r"^export (?:async )?(?:const|function) (\w+)", module, re.MULTILINE)
    body = re.sub(r"^export ", "", module, flags=re.MULTILINE)
    body = body.replace("import.meta.url", "document.baseURI")  # only a module has the former
    return f"(() => {{{body}\nreturn {{ {', '.join(exported)} }};\n}})()"
