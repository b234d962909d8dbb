"""Ten questions on the museum's handbook as a model would search for them, and their pages."""

__all__ = ["QUESTIONS"]

QUESTIONS = (
    ("ticket price student", "en/tickets"),
    ("fog horns", "en/lightship"),
    ("air pump divers", "en/diving-bell"),
    ("booking a school class visit", "en/workshops"),
    ("wheelchair parking", "en/accessibility"),
    ("geschlossen Montag", "de/oeffnungszeiten"),
    ("Parkplatz Wohnmobil", "de/anreise"),
    ("Kran Vorführung", "de/dampfkran"),
    ("Seemannsknoten lernen", "de/knotenkurs"),
    ("Spende Quittung", "de/foerderverein"),
)
