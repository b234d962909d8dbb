"""A checkbox "Remember on this device". Rule: it is ticked only while the values are stored."""

from collections.abc import Callable
from typing import Any

from tabloop.browser.page import Page
from tabloop.browser.storage import PREFIX, forget, recall, remember
from tabloop.browser.web import window
from tabloop.core.json_text import Json
from tabloop.ui.strings import Strings

__all__ = ["RememberBox"]


class RememberBox:
    """Stores what was entered in one form; `value` returns it as JSON.

    Other tabs may store the same: only unticking the box removes what is stored.
    """

    def __init__(
        self, page: Page, strings: Strings, element: str, name: str, value: Callable[[], object]
    ) -> None:
        self._page = page
        self._strings = strings
        self._box = page.element(element)
        self._name = name
        self._value = value
        self._box.checked = self.stored() is not None
        page.listen(self._box, "change", self._pressed)
        page.listen(window, "storage", self._stored_elsewhere)

    def stored(self) -> Json:
        """Return what is stored, `None` if nothing is or it cannot be read."""
        return recall(self._name)

    def save(self) -> None:
        """Store the value if the box is ticked; untick it and say so if the browser refuses."""
        if self._box.checked and not remember(self._name, self._value()):
            self._box.checked = False
            self._page.status(self._strings("keep.notRemembered"), "problem")

    def clear(self) -> None:
        """Untick the box; remove what it has stored."""
        if self._box.checked:
            forget(self._name)
        self._box.checked = False

    def _pressed(self, _event: Any) -> None:
        if self._box.checked:
            self.save()
        else:
            forget(self._name)

    def _stored_elsewhere(self, event: Any) -> None:
        """Another tab has stored something else, or removed all: this is not remembered now."""
        if not event.key or event.key == PREFIX + self._name:  # JavaScript's null: all is removed
            self._box.checked = self._box.checked and self.stored() == self._value()
