# pyright: standard
"""The group "Model endpoint". Rule: a key lives in memory, unless the person has it remembered."""

from dataclasses import dataclass, field, replace
from typing import Any

from tabloop.browser.markup import set_html
from tabloop.browser.page import Page
from tabloop.browser.storage import forget, recall, remember
from tabloop.browser.web import js_object
from tabloop.core.addresses import is_endpoint, is_name
from tabloop.core.http import Transport
from tabloop.endpoint.check import CheckStep, check_endpoint, owner_of
from tabloop.settings import Settings
from tabloop.ui.endpoint import (
    address_refusal,
    address_remark,
    check_html,
    owner_line,
)
from tabloop.ui.strings import Strings

__all__ = ["Endpoint", "EndpointPanel"]

NAME = "endpoint"
PAID = "llm/v1"  # this contract refuses `stream`, and each message costs: it is never tried there


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Where the next message goes. `stream`: it is known to send text as it is written."""

    url: str
    model: str
    key: str = ""
    stream: bool = field(default=False, compare=False)


class EndpointPanel:
    """Address, model and key; a change counts from the next message on."""

    def __init__(
        self, page: Page, strings: Strings, transport: Transport, settings: Settings
    ) -> None:
        self._page = page
        self._strings = strings
        self._transport = transport
        self._default = Endpoint(settings.llm_url, settings.llm_model, stream=settings.stream)
        self._described = ""  # the address whose owner is shown
        self._service = ""  # the contract that this owner states
        self._wrong = False  # what stands in the field is no address; `chosen` is the one before
        self._aside = False  # search mode answers, and the endpoint is not in use
        self._verdict = ""  # the check's last word in the status line
        self.chosen = _recalled() or self._default
        self._remember = page.element("endpoint-remember")
        self._remember.checked = self.chosen != self._default
        self._show()
        for name in ("url", "model", "key"):
            page.listen(page.element(f"endpoint-{name}"), "change", self._changed)
        page.listen(page.element("endpoint-url"), "input", lambda _event: self._drop_findings())
        page.listen(self._remember, "change", self._changed)
        page.listen(page.element("endpoint-reset"), "click", self._reset)
        page.listen(
            page.element("endpoint-check"), "click", lambda _event: page.start(self._check())
        )
        # not at the start: no other origin is asked before the person does something
        for event in ("focusin", "pointerenter"):
            page.listen(
                page.element("endpoint"), event, lambda _event: page.start(self._describe())
            )

    def set_aside(self, aside: bool) -> None:
        """Show whether the endpoint is in use; one that is not cannot keep a question back."""
        self._aside = aside
        self._page.element("endpoint").disabled = aside
        self._page.element("endpoint-unused").hidden = not aside
        self._refuse()

    def _show(self) -> None:
        self._page.element("endpoint-url").value = self.chosen.url
        self._page.element("endpoint-model").value = self.chosen.model
        self._page.element("endpoint-key").value = self.chosen.key
        self._page.element("endpoint-reset").hidden = self.chosen == self._default

    def _drop_findings(self) -> None:
        """Drop what was said of an address, while another is typed and not after it.

        What goes away on leaving the field would move the button that is being pressed.
        """
        self._described = ""
        self._page.element("endpoint-whom").textContent = ""
        self._page.element("endpoint-steps").replaceChildren()
        if self._verdict and self._page.element("status").textContent == self._verdict:
            self._page.status(self._strings("status.ready"))

    def _refuse(self) -> None:
        """Let nothing be sent to an address that the person has given up."""
        refused = self._wrong and not self._aside
        self._page.refuse(address_refusal(self._strings) if refused else "")

    def _changed(self, _event: Any) -> None:
        field = self._page.element("endpoint-url")
        url = field.value.strip().rstrip("/")
        self._wrong = not is_endpoint(url)
        field.setAttribute("aria-invalid", "true" if self._wrong else "false")
        self._refuse()
        if self._wrong:
            self._page.element("endpoint-whom").textContent = address_remark(self._strings)
            self._page.element("endpoint-reset").hidden = False
            return
        if url != self.chosen.url:  # what was known of the other one does not hold here
            key = self._page.element("endpoint-key")
            if key.value == self.chosen.key:  # given for the other address, and for no other
                key.value = ""
        typed = self._page.element("endpoint-model").value.strip()
        model = typed if is_name(typed) else self.chosen.model
        known = next(
            (it for it in (self.chosen, self._default) if (it.url, it.model) == (url, model)), None
        )
        self.chosen = Endpoint(
            url,
            model,
            self._page.element("endpoint-key").value.strip(),
            stream=known is not None and known.stream,
        )
        self._keep()
        self._show()

    def _keep(self) -> None:
        if self._remember.checked:
            chosen = self.chosen
            remember(
                NAME,
                {
                    "url": chosen.url,
                    "model": chosen.model,
                    "key": chosen.key,
                    "stream": chosen.stream,
                },
            )
        else:
            forget(NAME)

    def _reset(self, _event: Any) -> None:
        self.chosen = self._default
        self._wrong = False
        self._remember.checked = False
        self._page.element("endpoint-url").setAttribute("aria-invalid", "false")
        self._drop_findings()
        self._refuse()
        forget(NAME)
        self._show()
        self._page.element("endpoint-url").focus()

    async def _describe(self) -> None:
        url = self.chosen.url
        unused = self._wrong or self._aside
        typing = (
            self._page.element("endpoint-url").value.strip().rstrip("/") != url
        )  # it is given up
        if unused or typing or self._described == url:
            return
        self._described = url
        owner = await owner_of(self._transport, url)
        if self.chosen.url == self._described == url and not self._wrong:
            self._service = owner.service if owner else ""
            self._page.element("endpoint-whom").textContent = owner_line(self._strings, owner)

    async def _check(self) -> None:
        if self._wrong:
            self._page.element("endpoint-url").focus()  # the sentence below describes it
            return
        button, asked = self._page.element("endpoint-check"), replace(self.chosen)
        button.disabled = True
        self._page.status(self._strings("status.checking"), "running")
        steps: list[CheckStep] = []
        try:
            self._described = ""
            await self._describe()
            async for step in check_endpoint(
                self._transport,
                url=asked.url,
                model=asked.model,
                key=asked.key,
                may_stream=self._service != PAID,
            ):
                if self._wrong or self.chosen.url != asked.url:
                    steps.clear()
                    break  # nobody asks about that one any more
                steps.append(step)
                shown = self._page.element("endpoint-steps")
                set_html(shown, check_html(self._strings, steps, model=asked.model))
                shown.lastElementChild.scrollIntoView(js_object({"block": "nearest"}))
            if self.chosen == asked and any(step.name == "Streaming" for step in steps):
                self.chosen = replace(asked, stream=True)
                self._keep()
        finally:
            button.disabled = False
        if not steps:
            self._page.status(self._strings("status.ready"))
            return
        failed = any(step.error for step in steps)
        self._verdict = self._strings("status.checkFailed" if failed else "status.checked")
        self._page.status(self._verdict, "problem" if failed else "ok")


def _recalled() -> Endpoint | None:
    stored = recall(NAME)
    if not isinstance(stored, dict):
        return None
    url, model, key = (stored.get(name) for name in ("url", "model", "key"))
    if not (is_endpoint(url) and isinstance(model, str) and isinstance(key, str) and model):
        return None
    return Endpoint(str(url), model, key, stream=stored.get("stream") is True)
