"""In the place of pydantic/plugin/_loader.py, which finds plugins in the metadata of packages.

Rule: the page's packages come without metadata, so there are no plugins. Pydantic's own file would
import importlib.metadata, zipfile and shutil to find that out.
"""

__all__ = ["get_plugins"]


def get_plugins() -> tuple[()]:
    """Return no plugins."""
    return ()
