"""Finds elements in the page, again at each use. Rule: by role and name if there is one."""

from dataclasses import dataclass
from typing import Any

from tests.engines.driver import Driver, Element, poll

__all__ = ["Locator", "page_text"]

ROLES = {
    "alert": "[role=alert]",
    "button": "button",
    "group": "[role=group], fieldset, ol, ul",
    "img": "img",
    "link": "a[href]",
    "log": "[role=log]",
    "radio": "input[type=radio]",
    "region": "section[aria-label], [role=region]",
    "status": "[role=status]",
    "textbox": "textarea, input[type=text], input[type=url]",
}
FIND = """
const nameOf = (found) => (
    found.getAttribute("aria-label")
    ?? found.getAttribute("aria-labelledby")?.split(" ")
        .map((id) => document.getElementById(id)?.textContent).join(" ")
    ?? found.labels?.[0]?.textContent
    ?? (found.alt || found.textContent)
).replace(/\\s+/g, " ").trim();
const isShown = (found) => found.getClientRects().length > 0;
const all = arguments[0].reduce((scopes, [css, name, last]) => {
    const inside = scopes.flatMap((scope) => [...scope.querySelectorAll(css)])
        .filter((found) => isShown(found) && nameOf(found).startsWith(name));
    return last ? inside.slice(-1) : inside;
}, [document]);
const [first] = all;
"""


def page_text(driver: Driver) -> str:
    """Return the last 500 characters of the page's text, for messages of failed tests."""
    return str(driver.evaluate("return document.body.innerText.slice(-500)"))


@dataclass(frozen=True, slots=True)
class Locator:
    """The visible elements at a path; its steps are (CSS, start of the name, only the last)."""

    driver: Driver
    path: tuple[tuple[str, str, bool], ...] = ()

    def within(self, role: str, name: str = "", *, last: bool = False) -> "Locator":
        """Return a locator for elements inside these; `role` is a role of `ROLES` or CSS."""
        return Locator(self.driver, (*self.path, (ROLES.get(role, role), name, last)))

    def read(self, expression: str) -> Any:
        """Return a JavaScript expression's value; it may use `first` (or undefined) and `all`."""
        return self.driver.evaluate(f"{FIND} return {expression};", self.path)

    @property
    def count(self) -> int:
        return int(self.read("all.length"))

    @property
    def text(self) -> str:
        """The visible text of the first element; blank if there is none."""
        return str(self.read('first?.innerText ?? ""')).strip()

    def click(self) -> None:
        """Click the first element as soon as it is there and enabled."""
        self.driver.click(self._first)

    def until(self, expression: str) -> None:
        """Wait until the JavaScript expression is true."""
        what = f"{self.path}: {expression}"
        poll(what, lambda: self.read(expression), lambda: page_text(self.driver))

    def until_text(self, part: str) -> None:
        """Wait until the first element's text contains `part`."""
        what = f"{part!r} in {self.path}"
        poll(what, lambda: part in self.text, lambda: page_text(self.driver))

    def _first(self) -> Element | None:
        # sticky elements at the edges of the window may cover an element near an edge
        element = self.read("(first?.scrollIntoView({ block: 'center' }), first ?? null)")
        return element if element and self.read("first?.ariaDisabled !== 'true'") else None
