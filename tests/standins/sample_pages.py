"""The pages that sample records link to. Rule: the first line of each says it is sample data."""

from html import escape

from tests.standins.sample_words import Record

__all__ = ["index_page", "not_found_page", "sitzung_page"]

NOTE = (
    "Beispieldaten: Personen, Fraktionen, Zahlen und Quellen auf dieser Seite sind frei erfunden. "
    "Sie gehört zu Tabloops lokalem Ersatz für Bundestakt. "
    "(Sample data: everything on this page is made up.)"
)
STYLE = (
    "body{font:1rem/1.5 system-ui,sans-serif;max-width:44rem;margin:2rem auto;padding:0 1rem;"
    "color-scheme:light dark}.note{border:2px dashed;padding:.5rem 1rem}"
    "article{border-top:1px solid;padding:.5rem 0}:target{outline:3px solid;outline-offset:.5rem}"
    ".text{white-space:pre-line}"
)


def sitzung_page(session: Record, claims: list[Record]) -> str:
    """Return the page of one session; each claim has the id `claim-<id>`."""
    points = "".join(
        f"<h3>{escape(point['titel'])}</h3><p>{escape(point['text'])}</p>"
        for point in session["in30Sekunden"]
    )
    checked = "".join(_claim(claim) for claim in claims)
    return _page(
        session["kernthema"],
        f"<p>Sitzung {session['sitzungNr']} vom {escape(session['datum'])}</p>"
        f"<h2>In 30 Sekunden</h2>{points}<h2>Geprüfte Aussagen</h2>{checked}",
    )


def index_page(sessions: list[Record]) -> str:
    """Return the list of all sessions."""
    items = "".join(
        f'<li><a href="/sitzung/{escape(session["slug"])}">{escape(session["datum"])}: '
        f"{escape(session['kernthema'])}</a></li>"
        for session in sessions
    )
    return _page("Alle Sitzungen", f"<ul>{items}</ul>")


def not_found_page() -> str:
    """Return the page for an unknown address."""
    return _page("Seite nicht gefunden", '<p><a href="/">Alle Sitzungen</a></p>')


def _claim(claim: Record) -> str:
    return (
        f'<article id="claim-{claim["id"]}"><h3>„{escape(claim["aussage"])}“</h3>'
        f"<p>{escape(claim['sprecher'])} ({escape(claim['fraktion'])}): "
        f"<strong>{escape(claim['bewertung'])}</strong></p>"
        f'<p class="text">{escape(claim["begruendung"])}</p></article>'
    )


def _page(title: str, body: str) -> str:
    return (
        '<!doctype html>\n<html lang="de"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{escape(title)}: Beispieldaten</title><style>{STYLE}</style></head>"
        f'<body><p class="note">{NOTE}</p><h1>{escape(title)}</h1>{body}</body></html>\n'
    )
