"""The site owner's settings: the table `[tabloop]` of pyscript.toml.

Rule: settings about money and endpoints are right, or the page does not start. How the page looks
and what it says never keeps it from starting.
"""

from tabloop.settings.errors import SettingsError, Wanted
from tabloop.settings.reading import PaymentSettings, Settings, read_settings
from tabloop.settings.site import SiteLink, SiteSettings

__all__ = [
    "PaymentSettings",
    "Settings",
    "SettingsError",
    "SiteLink",
    "SiteSettings",
    "Wanted",
    "read_settings",
]
