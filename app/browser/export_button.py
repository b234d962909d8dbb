# pyright: standard
"""The button "Export": the conversation as a Markdown file, made when it is pressed."""

from typing import Any

from app.browser.clock import now
from app.browser.conversation_view import ConversationView
from app.browser.files import save
from app.browser.page import Page
from app.views.export import as_markdown
from app.views.strings import Strings

__all__ = ["ExportButton"]


class ExportButton:
    """Saves what the page shows."""

    def __init__(self, page: Page, strings: Strings, view: ConversationView) -> None:
        self._page = page
        self._strings = strings
        self._view = view
        page.listen(page.at("export"), "click", self._pressed)

    def _pressed(self, _event: Any) -> None:
        day = now().date().isoformat()
        text = as_markdown(self._strings, self._view.exported(), day)
        save(f"tabloop-{day}.md", text, "text/markdown;charset=utf-8")
        self._page.status(self._strings("status.exported"))
