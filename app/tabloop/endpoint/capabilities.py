"""What endpoints turned out to be like. Rule: only what a refusal or a reply has shown is noted.

There are no settings for what an endpoint lacks: the request holds nothing that is not needed, and
everything else is found out here, once for each tab.
"""

from dataclasses import dataclass, field

__all__ = ["EndpointCapabilities", "KnownEndpoints"]


@dataclass(slots=True)
class EndpointCapabilities:
    """One model at one address, as far as it is known."""

    streams: bool = True
    usage_in_stream: bool = True  # takes `stream_options`
    opens_with_reasoning: bool = False  # its text begins with thinking that no tag opens
    refused_size: int | None = (
        None  # size of the smallest conversation that was refused as too long
    )
    target_size: int = 0  # what a conversation is shortened to from then on; see `shortening`


@dataclass(slots=True)
class KnownEndpoints:
    """The endpoints of one tab."""

    _known: dict[tuple[str, str], EndpointCapabilities] = field(
        default_factory=dict[tuple[str, str], EndpointCapabilities]
    )

    def of(self, url: str, model: str) -> EndpointCapabilities:
        """Return what is known; noted there, it is known for the next request as well."""
        return self._known.setdefault((url, model), EndpointCapabilities())
