# pyodide_js exists only in a page, and has no types:
# pyright: standard, reportMissingImports=false
"""In the place of pyodide/_package_loader.py: what Pyodide's start needs of its package loader.

Rule: Pyodide's own file is imported when something else of it is used. It needs zipfile, shutil,
tempfile and more, which a start of the page does not need.
"""

import importlib
from pathlib import Path
from site import getsitepackages
from typing import Any

import pyodide_js

__all__ = ["DSO_DIR", "SITE_PACKAGES", "init_loaded_packages"]

loadedPackages = pyodide_js.loadedPackages  # when Pyodide takes a snapshot, it expects this here
SITE_PACKAGES = Path(getsitepackages()[0])
DSO_DIR = Path("/usr/lib")


def init_loaded_packages() -> None:
    """Do nothing, because the page's packages come without the metadata that lists them."""


def __getattr__(name: str) -> Any:
    """Return what Pyodide's own file defines. Raises `AttributeError` if it does not."""
    return getattr(importlib.import_module("pyodide._whole_package_loader"), name)
