"""What keeps the page from starting, and what is wrong with pyscript.toml.

Rule: a sentence about a setting names it, its value, and what fits.
"""

from tabloop.core.networks import NETWORKS
from tabloop.settings import SettingsError
from tabloop.ui.strings import Strings
from tabloop.ui.unseen import written_out

__all__ = ["problem_sentence", "settings_sentence", "start_sentence"]


def start_sentence(strings: Strings, error: Exception) -> tuple[str, bool]:
    """Return why the page did not start, and whether it is a bug (that needs a traceback)."""
    if isinstance(error, SettingsError):
        return settings_sentence(strings, error), False
    return strings("start.bug", message=f"{type(error).__name__}: {error}"), True


def settings_sentence(strings: Strings, error: SettingsError) -> str:
    """Return why the page did not start, for the site's owner."""
    return strings("start.failed", reason=_fault(strings, error))


def problem_sentence(strings: Strings, problem: SettingsError) -> str:
    """Return the sentence about a setting that does not keep the page from starting."""
    sentence = _fault(strings, problem)
    if problem.kind == "wrong":
        return strings("start.usesDefault", reason=sentence)
    return sentence


def _fault(strings: Strings, error: SettingsError) -> str:
    networks = ", ".join(f'"{network}"' for network in NETWORKS)
    wanted = strings(f"wanted.{error.wanted}", networks=networks) if error.wanted else ""
    match error.kind:
        case "syntax":
            return strings("start.settingsSyntax", reason=error.detail)
        case "no_table":
            return strings("start.settingsTable")
        case "missing":
            return strings("start.missing", key=error.key, wanted=wanted)
        case "wrong":
            return strings(
                "start.wrong", key=error.key, found=written_out(error.found), wanted=wanted
            )
        case "unknown":
            sentence = strings("start.unknown", key=error.key)
            if error.near:
                return f"{sentence} {strings('start.didYouMean', near=error.near)}"
            return sentence
