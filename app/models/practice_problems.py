"""The practice model's sentences where it has no answer: it asks back, or says what failed.

Rule: what happened comes first, in words; a tool's own code and reason follow. That nothing was
paid is said only where it is certain.
"""

__all__ = ["PROBLEMS"]

PROBLEMS: dict[str, tuple[str, str]] = {
    "which_statement": (
        "Which statement do you mean? Write it out, for example: "
        "*Is it true that industry loses jobs every month?*",
        "Welche Aussage meinen Sie? Schreiben Sie sie aus, zum Beispiel: "
        "*Stimmt es, dass die Industrie jeden Monat Arbeitsplätze verliert?*",
    ),
    "no_such_day": (
        "There is no {day} in the calendar, so I looked nothing up. Which day do you mean?",
        "Den {day} gibt es im Kalender nicht, nachgesehen habe ich also nichts. "
        "Welchen Tag meinen Sie?",
    ),
    "which_reading": (
        "*{written}* can be {first} or {second}, so I looked nothing up. Which day do you mean? "
        "Write it like this: *{first}* or *{iso}*.",
        "*{written}* kann der {first} oder der {second} sein, nachgesehen habe ich also nichts. "
        "Welchen Tag meinen Sie? Schreiben Sie ihn so: *{first}* oder *{iso}*.",
    ),
    "unread_day": (
        "I could not read *{written}* as a day, so I looked nothing up. Which day do you mean? "
        "Write it like this: *9 September 2026* or *2026-09-09*.",
        "*{written}* konnte ich nicht als Tag lesen, nachgesehen habe ich also nichts. "
        "Welchen Tag meinen Sie? Schreiben Sie ihn so: *9. September 2026* oder *2026-09-09*.",
    ),
    "not_offered": (
        "I cannot do that here: the tool for it is not on offer in this conversation.",
        "Das kann ich hier nicht: Das Werkzeug dafür wird in diesem Gespräch nicht angeboten.",
    ),
    "failed": (
        "I could not look that up, so I have no answer. The tool reported `{status}`: {reason}",
        "Das konnte ich nicht nachsehen, deshalb habe ich keine Antwort. "
        "Das Werkzeug meldet `{status}`: {reason}",
    ),
}  # fmt: skip
