"""The rows of a run as an HTML table and as Markdown. Rule: all that the drawing shows is here."""

from collections.abc import Sequence

from tabloop.core.markdown import escaped
from tabloop.ui.html import Html, h
from tabloop.ui.money import amount
from tabloop.ui.run import Row, Run
from tabloop.ui.strings import Strings

__all__ = ["run_markdown", "run_table"]

COLUMNS = ("when", "way", "what", "size", "took", "tokensHead", "paid")
NUMBERS = ("when", "size", "took", "tokensHead", "paid")


def run_table(strings: Strings, run: Run) -> Html:
    """Return the table, without columns that are empty."""
    columns, lines = _table(strings, run)
    heads = (h("th", {"scope": "col", **_kind(name)}, strings(f"run.{name}")) for name in columns)
    body = (
        h("tr", {}, *(h("td", _kind(name), cell) for name, cell in zip(columns, line, strict=True)))
        for line in lines
    )
    return h(
        "table",
        {},
        h("caption", {}, run.summary),
        h("thead", {}, h("tr", {}, *heads)),
        h("tbody", {}, *body),
    )


def run_markdown(strings: Strings, run: Run) -> str:
    """Return the same table in Markdown, below the summary."""
    columns, lines = _table(strings, run)
    heads = [strings(f"run.{name}") for name in columns]
    rule = ["---:" if name in NUMBERS else "---" for name in columns]
    cells = [[escaped(cell) for cell in line] for line in lines]
    rows = [f"| {' | '.join(line)} |" for line in (heads, rule, *cells)]
    return "\n".join([escaped(run.summary), "", *rows])


def _kind(name: str) -> dict[str, str | int | None]:
    return {} if name in NUMBERS else {"class": "words"}


def _table(strings: Strings, run: Run) -> tuple[list[str], Sequence[Sequence[str]]]:
    lines = [_cells(strings, run, row) for row in run.rows]
    used = [index for index in range(len(COLUMNS)) if any(line[index] for line in lines)]
    return [COLUMNS[index] for index in used], [[line[index] for index in used] for line in lines]


def _cells(strings: Strings, run: Run, row: Row) -> tuple[str, ...]:
    ends = (run.lanes[row.lane], run.lanes[0])
    way = " → ".join(ends if row.inward else reversed(ends)) if row.lane else run.lanes[0]
    paid = [amount(strings, row.cost.charged)] if row.cost.charged else []
    if row.cost.uncertain:
        paid.append(strings("cost.uncertain", amount=amount(strings, row.cost.uncertain)))
    return (
        _decimal(strings, row.at),
        way,
        f"✗ {row.text}" if row.failed else row.text,
        "" if row.size is None else strings.number(row.size),
        "" if row.took is None else _decimal(strings, row.took),
        "" if row.tokens is None else strings.number(row.tokens),
        ", ".join(paid),
    )


def _decimal(strings: Strings, value: float) -> str:
    return f"{value:.1f}".replace(".", strings("format.decimal"))
