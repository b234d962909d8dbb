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
    "declined": (
        "You declined, so I looked nothing up and have no answer.",
        "Sie haben abgelehnt, deshalb habe ich nichts nachgesehen und keine Antwort.",
    ),
    "interrupted": (
        "The lookup was interrupted before it gave a result. Ask again and I start anew.",
        "Die Abfrage wurde unterbrochen, bevor sie etwas ergab. Auf neue Frage fange ich neu an.",
    ),
    "what_to_draw": (
        "What shall the picture show? I know of no picture that this refers to. Name what is to be "
        "seen, for example: *Draw a picture of a lighthouse in blue*.",
        "Was soll auf dem Bild zu sehen sein? Ich weiß von keinem Bild, auf das sich das bezieht. "
        "Nennen Sie es, zum Beispiel: *Zeichne ein Bild von einem blauen Leuchtturm*.",
    ),
    "reported": (
        "(The tool reported `{status}`: {reason})",
        "(Das Werkzeug meldet `{status}`: {reason})",
    ),
    "no_picture": (
        "There is no picture. Whether anything was paid, your wallet shows.",
        "Es gibt kein Bild. Ob etwas bezahlt wurde, zeigt Ihre Wallet.",
    ),
    "no_picture_payment_refused": (
        "No picture was made: the payment did not come about. If you had signed in your wallet "
        "already, the page says what may still be charged.",
        "Es wurde kein Bild gemacht: Die Zahlung ist nicht zustande gekommen. Falls Sie in der "
        "Wallet schon unterschrieben hatten, sagt die Seite, was noch berechnet werden kann.",
    ),
    "no_picture_wrong_network": (
        "No picture was made: it cannot be paid on the network that your wallet is on. Choose "
        "another network in the wallet and ask again. Whether anything was paid, your wallet "
        "shows.",
        "Es wurde kein Bild gemacht: In dem Netzwerk, in dem Ihre Wallet ist, lässt es sich nicht "
        "bezahlen. Wählen Sie in der Wallet ein anderes und fragen Sie noch einmal. "
        "Ob etwas bezahlt wurde, zeigt Ihre Wallet.",
    ),
    "no_picture_generation_failed": (
        "There is no picture: the image service did not deliver one. It may have been charged all "
        "the same; your wallet shows whether it was.",
        "Es gibt kein Bild: Der Bilddienst hat keines geliefert. Berechnet worden sein kann es "
        "trotzdem; ob das so ist, zeigt Ihre Wallet.",
    ),
    "no_picture_user_declined": (
        "You declined, so no picture was made, and nothing was paid for it.",
        "Sie haben abgelehnt, es wurde also kein Bild gemacht und nichts dafür bezahlt.",
    ),
    "no_picture_interrupted": (
        "There is no picture: making it was interrupted. It may have been charged all the same; "
        "your wallet shows whether it was.",
        "Es gibt kein Bild: Die Herstellung wurde unterbrochen. Berechnet worden sein kann es "
        "trotzdem; ob das so ist, zeigt Ihre Wallet.",
    ),
}  # fmt: skip
