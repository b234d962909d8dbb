# The package axe_playwright_python has no types:
# pyright: reportMissingTypeStubs=false
"""What axe finds in a page, and what is wider than its window."""

from typing import Any, Literal

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page

__all__ = ["check_accessibility"]


def check_accessibility(page: Page, scheme: Literal["dark", "light"] = "light") -> None:
    """Fail on violations that axe finds, and on content that is wider than the window."""
    page.emulate_media(color_scheme=scheme)
    page.wait_for_timeout(300)  # colours fade in; axe would measure them half way
    axe: Any = Axe()
    results = axe.run(page)
    width = page.evaluate("innerWidth")
    assert results.violations_count == 0, f"{width} {scheme}: {results.generate_report()}"
    assert page.evaluate("document.documentElement.scrollWidth") <= width
