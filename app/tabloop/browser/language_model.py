"""The browser's `LanguageModel` behind the port of `tabloop.ondevice`.

Rule: each promise goes through the bridge, and each reply that is not read to its end is aborted.
"""

import asyncio
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from typing import Any, Literal

from tabloop.browser.bridge import bridge, fault_of
from tabloop.browser.web import JsException, create_proxy, document, js_object, window
from tabloop.ondevice.ports import Prompt, PromptError

__all__ = ["Availability", "BrowserModel", "exists", "forbidden"]

OVERFLOWS = ("contextoverflow", "quotaoverflow")  # the second in older browsers
Availability = Literal["unavailable", "downloadable", "downloading", "available"]


def exists() -> bool:
    """Return whether this browser has the interface."""
    return bool(getattr(window, "LanguageModel", None))


def forbidden() -> bool:
    """Return whether a policy of the page, or of the page around it, forbids it here."""
    policy = getattr(document, "featurePolicy", None)
    return bool(policy) and not policy.allowsFeature("language-model")


class BrowserModel:
    """The model for texts in `language`; English is the language of the instructions.

    `listed` is whether the browser lists that language. If it does not, it is tried all the same.
    """

    def __init__(self, language: str) -> None:
        self._language = language
        self.listed = True

    async def availability(self) -> Availability:
        """Return its state. Raises `PromptError`."""
        self.listed = True
        state = await _called(window.LanguageModel, "availability", self._options())
        if state == "unavailable":
            self.listed = False
            state = await _called(window.LanguageModel, "availability", self._options())
            self.listed = state == "unavailable"
        return state

    async def download(self, on_progress: Callable[[float], object], signal: Any) -> None:
        """Download what is missing. `on_progress` gets the part that has come, from 0 to 1.

        Call it while a press is handled: browsers ask for that. Aborting the `signal` ends the
        wait, and maybe not the download. Raises `PromptError`.
        """

        def told(event: Any) -> None:
            on_progress(float(event.loaded))

        def watch(monitor: Any) -> None:
            monitor.addEventListener("downloadprogress", progress)

        progress, monitor = create_proxy(told), create_proxy(watch)
        options = self._options(monitor=monitor, signal=signal)
        _checked(await _called(window.LanguageModel, "create", options)).destroy()

    async def create(self, prompts: Sequence[Prompt]) -> "BrowserSession":
        """See the port."""
        begin = {"initialPrompts": _messages(prompts)}
        return await _opened(
            window.LanguageModel, "create", lambda signal: self._options(**begin, signal=signal)
        )

    def _options(self, **more: object) -> Any:
        if self.listed:
            text = {"type": "text", "languages": [*dict.fromkeys(("en", self._language))]}
            more["expectedInputs"] = [text]
            more["expectedOutputs"] = [{**text, "languages": [self._language]}]
        return js_object({"samplingMode": "most-predictable", **more})


class BrowserSession:
    """See the port."""

    def __init__(self, session: Any) -> None:
        self._session = session
        self.overflowed = False
        self._noticed = create_proxy(self._notice)
        self._destroyed = False
        for name in OVERFLOWS:
            session.addEventListener(name, self._noticed)

    @property
    def context(self) -> float:
        """See the port."""
        return self._number("contextWindow", "inputQuota")

    @property
    def used(self) -> float:
        """See the port."""
        return self._number("contextUsage", "inputUsage")

    async def measure(self, prompts: Sequence[Prompt]) -> float:
        """See the port."""
        name = "measureContextUsage"
        if not hasattr(self._session, name):
            name = "measureInputUsage"
        return _number(await _called(self._session, name, _js_messages(prompts)))

    async def prompt(
        self, prompts: Sequence[Prompt], constraint: Mapping[str, Any] | None
    ) -> AsyncGenerator[object, None]:
        """See the port."""
        abort = window.AbortController.new()
        options: dict[str, object] = {"signal": abort.signal}
        if constraint is not None:  # the instructions describe the form already
            options |= {"responseConstraint": constraint, "omitResponseConstraintInput": True}
        try:
            stream = await _called(
                self._session, "promptStreaming", _js_messages(prompts), js_object(options)
            )
            if not hasattr(stream, "getReader"):
                raise PromptError("DataError")
            reader = await _called(stream, "getReader")
            while not getattr(piece := await _called(reader, "read"), "done", False):
                yield getattr(piece, "value", None)
        finally:
            abort.abort()  # does nothing after the end

    async def clone(self) -> "BrowserSession":
        """See the port."""
        return await _opened(self._session, "clone", lambda signal: js_object({"signal": signal}))

    def destroy(self) -> None:
        """See the port."""
        if not self._destroyed:
            self._destroyed = True
            for name in OVERFLOWS:
                self._session.removeEventListener(name, self._noticed)
            self._noticed.destroy()
            self._session.destroy()

    def _notice(self, _event: Any) -> None:
        self.overflowed = True

    def _number(self, name: str, older: str) -> float:
        value = getattr(self._session, name, None)
        return _number(getattr(self._session, older, None) if value is None else value)


def _messages(prompts: Sequence[Prompt]) -> list[dict[str, str]]:
    return [{"role": prompt.role, "content": prompt.content} for prompt in prompts]


def _js_messages(prompts: Sequence[Prompt]) -> Any:
    return js_object({"list": _messages(prompts)}).list


async def _opened(target: Any, name: str, options: Callable[[Any], Any]) -> BrowserSession:
    """Open a session; being cancelled aborts that. Raises `PromptError`."""
    abort = window.AbortController.new()
    try:
        return BrowserSession(_checked(await _called(target, name, options(abort.signal))))
    except asyncio.CancelledError:
        abort.abort()
        raise


def _checked(session: Any) -> Any:
    if not hasattr(session, "promptStreaming"):
        raise PromptError("DataError")
    return session


def _number(value: object) -> float:
    if not isinstance(value, int | float):
        raise PromptError("DataError")
    return float(value)


async def _called(target: Any, name: str, *given: object) -> Any:
    """Call a method of the browser. Raises `PromptError`."""
    try:
        return await bridge.call(target, name, *given)
    except JsException as error:
        fault = fault_of(error)
        raise PromptError(fault.kind, fault.detail) from None
