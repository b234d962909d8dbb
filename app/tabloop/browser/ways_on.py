"""What the buttons below an answer do before it is asked again.

Rule: whatever decides about money is named here, so that the chat itself never does.
"""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

__all__ = ["WaysOn"]


@dataclass(frozen=True, slots=True)
class WaysOn:
    """`use_search` switches to search mode, `use_own_key` opens the panel of the endpoint.

    `connect` connects a wallet and returns whether one is connected. `accept_terms` accepts the
    changed terms that the answer's error has shown. `use_free` lets the browser's own model answer
    if it is there, `use_device` downloads it if need be; both return whether it answers now.
    """

    use_search: Callable[[], None]
    connect: Callable[[], Awaitable[bool]]
    use_own_key: Callable[[], None]
    accept_terms: Callable[[Exception | None], None]
    use_free: Callable[[], Awaitable[bool]]
    use_device: Callable[[], Awaitable[bool]]
