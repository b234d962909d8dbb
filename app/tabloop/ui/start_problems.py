"""Why the page did not start. Rule: the sentence names the setting, its value, and what fits."""

from tabloop.core.networks import NETWORKS
from tabloop.settings import SettingsError
from tabloop.ui.strings import Strings

__all__ = ["settings_sentence"]


def settings_sentence(strings: Strings, error: SettingsError) -> str:
    """Return the sentence about a wrong `pyscript.toml`, for the site's owner."""
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
            return strings("start.wrong", key=error.key, found=error.found, wanted=wanted)
        case "unknown":
            sentence = strings("start.unknown", key=error.key)
            if error.near:
                return f"{sentence} {strings('start.didYouMean', near=error.near)}"
            return sentence
