"""The root of all errors that a person reads; each part adds its own below it.

    Exception
    ├── ToolError              agent.errors: the model reads it as the result of its call
    └── AgentError             core.errors: the person reads it
        ├── ModelError         agent.errors: the endpoint gave no usable reply
        ├── SetupError         agent.errors: the parts given to the agent do not fit together
        ├── TransportError     core.http: no response at all
        ├── PriceError         core.pricing: no price to show
        ├── PaymentError       payments.errors: paying did not work
        │   └── OfferRefused   payments.errors: no offer of a 402 was acceptable
        ├── SettingsError      settings: a setting of the site's owner is wrong
        └── FileError          browser.page_files: a file of the page did not come

Rule: an error carries a code and facts, never a sentence; the page has the words.
"""

from collections.abc import Mapping

__all__ = ["AgentError"]

MAX_DETAIL = 300  # characters


class AgentError(Exception):
    """Something that a person has to know.

    `code` names the kind, `host` is the host that it is about (blank where there is none),
    `detail` holds the other side's own words (at most 300 characters), `facts` short texts for the
    sentence by name.
    """

    def __init__(
        self,
        code: str,
        *,
        host: str = "",
        detail: str = "",
        facts: Mapping[str, str] | None = None,
    ) -> None:
        where = f"{code} at {host}" if host else code
        super().__init__(f"{where}: {detail}" if detail else where)
        self.code: str = code
        self.host = host
        self.detail = detail[:MAX_DETAIL]
        self.facts: Mapping[str, str] = facts or {}
