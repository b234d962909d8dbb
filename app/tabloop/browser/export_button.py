"""The button "Export". Rule: the Markdown file is made when the button is pressed."""

import re
from typing import Any

from tabloop.browser.answer_view import AnswerView
from tabloop.browser.clock import now
from tabloop.browser.conversation_view import ConversationView
from tabloop.browser.files import save
from tabloop.browser.late_modules import late_modules
from tabloop.browser.page import Page
from tabloop.browser.run_button import run_of
from tabloop.ui.export import as_markdown
from tabloop.ui.strings import Strings

__all__ = ["ExportButton"]


class ExportButton:
    """Saves the conversation as the page shows it; `name` is the site's."""

    def __init__(self, page: Page, strings: Strings, view: ConversationView, name: str) -> None:
        self._page = page
        self._strings = strings
        self._view = view
        self._name = name
        page.listen(page.element("export"), "click", self._pressed)

    def _pressed(self, _event: Any) -> None:
        self._page.start(self._save())

    async def _save(self) -> None:
        await late_modules()
        from tabloop.ui.run_table import run_markdown  # noqa: PLC0415 -- loaded when needed

        def run(answer: AnswerView) -> str:
            return run_markdown(self._strings, run_of(self._strings, answer))

        day = now().date().isoformat()
        text = as_markdown(self._strings, self._view.exported(run), day, self._name)
        words = re.findall(r"\w+", self._name.lower())
        name = f"{'-'.join(words) or 'chat'}-{day}.md"
        if save(name, text, "text/markdown;charset=utf-8"):
            self._page.status(self._strings("status.exported"))
        else:
            self._page.status(self._strings("status.notSaved"), "problem")
