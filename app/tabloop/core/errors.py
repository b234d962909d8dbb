"""The root of all errors that a person reads; each part adds its own below it.

    Exception
    ├── ToolError              agent.errors: the model reads it as the result of its call
    └── AgentError             core.errors: the person reads it
        ├── ModelError         agent.errors: the endpoint gave no usable reply
        ├── NoAnswer           agent.errors: a run ended without a whole answer
        ├── SetupError         agent.errors: the parts given to the agent do not fit together
        ├── TransportError     core.http: no whole response
        ├── PriceError         core.pricing: no price to show
        ├── PaymentError       payments.errors: paying did not work
        │   └── OfferRefused   payments.errors: no offer of a 402 was acceptable
        ├── SettingsError      settings: a setting of the site's owner is wrong
        └── FileError          browser.page_files: a file of the page could not be loaded

Rule: an error carries a code and facts, never a sentence; the page has the words.
"""

from collections.abc import Mapping

__all__ = ["AgentError"]

MAX_DETAIL = 300  # characters
MIN_SECRET = 6  # characters; a shorter one is a word


class AgentError(Exception):
    """An error that is shown to a person.

    `code` names the kind, `host` the host that caused it (blank if none did), `detail` quotes the
    server (at most 300 characters), `facts` are named values for the sentence that the page shows.
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
        self._whole = detail
        self.detail = detail[:MAX_DETAIL]
        self.facts: Mapping[str, str] = facts or {}

    def hide(self, secret: str) -> None:
        """Leave out a secret of the person, which a server may quote: "Incorrect key: sk-..."."""
        if len(secret) >= MIN_SECRET and secret in self._whole:
            self._whole = self._whole.replace(secret, "…")
            self.detail = self._whole[:MAX_DETAIL]
            self.args = (str(self).replace(secret, "…"),)
