"""Whether a person sees an element. Rule: in the window, and with nothing in front of it."""

from playwright.sync_api import Locator, expect

__all__ = ["check_in_sight"]

# the first point at an edge of the element that is outside the window or covered; blank if none
HIDDEN_POINT = """element => {
    const box = element.getBoundingClientRect();
    const inset = 3;
    const [left, right, centre] = [box.left + inset, box.right - inset, (box.left + box.right) / 2];
    const [top, bottom, middle] = [box.top + inset, box.bottom - inset, (box.top + box.bottom) / 2];
    // not the corners, which may be round
    for (const [x, y] of [[left, middle], [right, middle], [centre, top], [centre, bottom]]) {
        const seen = document.elementFromPoint(x, y);
        if (!seen) return `outside the window: ${x}, ${y} of ${innerWidth} x ${innerHeight}`;
        if (!element.contains(seen) && !seen.contains(element)) {
            return `covered at ${x}, ${y} by ${seen.outerHTML.slice(0, 120)}`;
        }
    }
    return '';
}"""


def check_in_sight(locator: Locator) -> None:
    """Fail unless all of the element is in the window and nothing covers it."""
    expect(locator).to_be_visible()
    hidden = locator.evaluate(HIDDEN_POINT)
    assert not hidden, f"{locator}: {hidden}"
