"""Places in the page, found anew at each look. Rule: by role and name where there is one."""

from dataclasses import dataclass
from typing import Any

from tests.engines.driver import Driver, Element, poll

__all__ = ["Spot", "page_text"]

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
const isShown = (one) => one.getClientRects().length > 0;
const all = arguments[0].reduce((scopes, [css, name, last]) => {
    const inside = scopes.flatMap((scope) => [...scope.querySelectorAll(css)])
        .filter((one) => isShown(one) && nameOf(one).startsWith(name));
    return last ? inside.slice(-1) : inside;
}, [document]);
const [one] = all;
"""


def page_text(driver: Driver) -> str:
    """Return the end of what the page says now, for messages of failed tests."""
    return str(driver.evaluate("return document.body.innerText.slice(-500)"))


@dataclass(frozen=True, slots=True)
class Spot:
    """What is in sight of these places; each is (CSS, start of the name, only the last)."""

    driver: Driver
    path: tuple[tuple[str, str, bool], ...] = ()

    def within(self, role: str, name: str = "", *, last: bool = False) -> "Spot":
        """Return a place inside this one; a role that is none of ours is CSS."""
        return Spot(self.driver, (*self.path, (ROLES.get(role, role), name, last)))

    def read(self, expression: str) -> Any:
        """Return an expression of JavaScript on `one` (undefined where nothing is) and `all`."""
        return self.driver.evaluate(f"{FIND} return {expression};", self.path)

    @property
    def count(self) -> int:
        return int(self.read("all.length"))

    @property
    def text(self) -> str:
        """What a person reads there; blank where nothing is."""
        return str(self.read('one?.innerText ?? ""')).strip()

    def click(self) -> None:
        """Press the first one, once it is there and not switched off."""
        self.driver.click(self._first)

    def until(self, expression: str) -> None:
        """Wait until the expression holds."""
        what = f"{self.path}: {expression}"
        poll(what, lambda: self.read(expression), lambda: page_text(self.driver))

    def until_text(self, part: str) -> None:
        """Wait until a text stands there."""
        what = f"{part!r} in {self.path}"
        poll(what, lambda: part in self.text, lambda: page_text(self.driver))

    def _first(self) -> Element | None:
        # what is sticky at an edge of the window may cover what is only just in sight
        one = self.read("(one?.scrollIntoView({ block: 'center' }), one ?? null)")
        return one if one and self.read("one?.ariaDisabled !== 'true'") else None
