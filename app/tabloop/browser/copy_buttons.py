"""The buttons that copy an answer, code or a chart. Rule: the button says whether it worked."""

import asyncio
from collections.abc import Callable
from typing import Any

from tabloop.browser.answer_view import AnswerView
from tabloop.browser.files import copy
from tabloop.browser.page import Page
from tabloop.ui.chart_table import chart_csv
from tabloop.ui.copying import copied_sources, copied_text
from tabloop.ui.html import h
from tabloop.ui.strings import Strings

__all__ = ["CopyButtons"]

COPIED_FOR = 2.0  # seconds


class CopyButtons:
    """`answer_with` returns the answer that a button belongs to."""

    def __init__(
        self, page: Page, strings: Strings, answer_with: Callable[[Any], AnswerView]
    ) -> None:
        self._page = page
        self._strings = strings
        self._answer_with = answer_with
        page.on_action(
            {"copy": self._answer, "copy-code": self._code, "chart-csv": self._chart},
        )

    def _answer(self, button: Any) -> None:
        answer = self._answer_with(button)
        text = copied_text(self._strings, answer.state)
        html = answer.plain_html() + copied_sources(self._strings, answer.state).markup
        if answer.left_out:  # the text has all of it, and the page has not
            html = ""
        self._page.start(self._copy(text, button, html))

    def _code(self, button: Any) -> None:
        code = button.nextElementSibling.textContent
        self._page.start(self._copy(code, button, h("pre", {}, h("code", {}, code)).markup))

    def _chart(self, button: Any) -> None:
        chart = self._answer_with(button).chart(int(button.dataset.value))
        self._page.start(self._copy(chart_csv(self._strings, chart), button))

    async def _copy(self, text: str, button: Any, html: str = "") -> None:
        if not await copy(text, html):
            self._page.status(self._strings("status.notCopied"), "problem")
            return
        self._page.status(self._strings("status.copied"))
        copied = self._strings("answer.copied")
        if button.textContent == copied:  # pressed again: the first press restores the name
            return
        name, button.textContent = button.textContent, copied
        await asyncio.sleep(COPIED_FOR)
        button.textContent = name
