"""What the errors of the browser's model mean for a person. Rule: each kind has one sentence."""

from tabloop.agent.errors import ModelError, ModelErrorCode
from tabloop.ondevice.ports import PromptError

__all__ = ["model_error"]

CODES: dict[str, ModelErrorCode] = {
    "AbortError": "device_lost",
    "InvalidStateError": "device_lost",
    "NotReadableError": "device_filtered",
    "NotSupportedError": "device_language",
    "QuotaExceededError": "device_too_long",
}


def model_error(error: PromptError) -> ModelError:
    """Return the error of a run."""
    return ModelError(CODES.get(error.kind, "device_failed"), detail=error.detail)
