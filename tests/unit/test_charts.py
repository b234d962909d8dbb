"""Charts on the page: proportional lengths, every number as text, foreign text escaped."""

import csv
import io
import itertools
import re
from collections.abc import AsyncIterator, Sequence
from typing import Any
from xml.etree import ElementTree as ET

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tabloop.agent.displays import Chart, Note, Series
from tabloop.agent.events import Event, RunFinished, RunStarted, ToolCallResult, ToolCallStart
from tabloop.contrib.ag_ui import to_ag_ui
from tabloop.core.phrases import Phrase
from tabloop.tools.bundestakt import words
from tabloop.tools.bundestakt.api import BundestaktApi, Sitzung
from tabloop.tools.bundestakt.charts import claim_charts, session_charts
from tabloop.ui.answer_state import AnswerState, charts_of, reduce
from tabloop.ui.chart_bars import MAX_ROWS
from tabloop.ui.chart_scale import percent, ticks
from tabloop.ui.chart_table import chart_csv, chart_markdown
from tabloop.ui.chart_words import UNKNOWN, compact, figure, label, message
from tabloop.ui.charts import chart_html, charts_html
from tabloop.ui.export import ExportedAnswer, as_markdown
from tabloop.ui.html import Html
from tabloop.ui.strings import Strings, load_strings

from tests.standins import sample_data
from tests.unit.fake_transport import FakeTransport, answer

EN, DE = load_strings("en"), load_strings("de")
HOSTILE = "<img src=x onerror=alert(1)> \"'&=HYPERLINK(1)\x00\u2028|`"


def chart(
    kind: Any = "bars",
    labels: Sequence[str] = ("AfD", "SPD"),
    *values: Sequence[float | None],
    **more: Any,
) -> Chart:
    names = (words.YES, words.NO, words.ABSTAINED, words.MINUTES)
    rows = [Series(name, tuple(row)) for name, row in zip(names, values, strict=False)]
    return Chart(
        kind,
        words.SPEAKING_TIME,
        words.PARTY,
        tuple(labels),
        tuple(rows) or (Series(words.MINUTES, tuple(range(1, len(labels) + 1))),),
        words.MINUTES,
        **more,
    )


def parsed(html: Html) -> ET.Element:
    return ET.fromstring(f"<root>{html}</root>")


def drawn(item: Chart, strings: Strings = EN) -> ET.Element:
    return parsed(chart_html(strings, item))


def by_class(root: ET.Element, name: str) -> list[ET.Element]:
    return [node for node in root.iter() if name in (node.get("class") or "").split()]


def number_of(node: ET.Element, attribute: str) -> float:
    return float((node.get(attribute) or "0").removesuffix("%"))


def marks(node: ET.Element) -> list[ET.Element]:
    return [mark for mark in by_class(node, "mark") if mark.tag == "rect"]


def table(root: ET.Element) -> list[list[str]]:
    return [["".join(cell.itertext()) for cell in row] for row in root.iter("tr")]


def real_charts() -> list[Chart]:
    found: list[Chart] = []
    for item in sample_data.sitzungen()["sitzungen"]:
        found += session_charts(Sitzung(item["slug"], "", item["datum"], "", "", (), item))
    return found


async def all_claims() -> list[Chart]:
    transport = FakeTransport([answer(sample_data.claims())])
    claims = await BundestaktApi(transport, "https://bundestakt.test").claims()
    return list(claim_charts(claims, shown=10))


# ---------------------------------------------------------------- number by number


@pytest.mark.parametrize("strings", [EN, DE], ids=["en", "de"])
async def test_picture_table_csv_and_source_have_the_same_numbers(strings: Strings) -> None:
    charts = [*real_charts(), *await all_claims()]
    assert len(charts) > 40
    for item in charts:
        root = drawn(item, strings)
        head, *body = table(root)
        assert head[: len(item.series) + 1] == [
            strings.text(item.heading),
            *(strings.text(series.name) for series in item.series),
        ]
        exported = list(csv.reader(io.StringIO(chart_csv(strings, item), newline="")))
        tracks = by_class(root, "track")
        assert len(body) == len(item.labels) == len(exported) - 1 == len(tracks)
        lengths: list[tuple[float, float]] = []
        for index, row in enumerate(body):
            values = [series.values[index] for series in item.series]
            assert row[0] == label(strings, item, index)
            assert row[1 : len(values) + 1] == [figure(strings, value) for value in values]
            if item.kind == "stacked":
                assert row[-1] == figure(strings, sum(value or 0 for value in values))
            assert exported[index + 1] == [row[0], *(str(value) for value in values)]
            nonzero = [value for value in values if value]
            rects = marks(tracks[index])
            assert len(rects) == len(nonzero) or item.kind == "bars"
            lengths += [
                (number_of(rect, "width"), value)
                for rect, value in zip(rects, nonzero, strict=False)
            ]
        whole = max(length / value for length, value in lengths)
        assert all(abs(length - value * whole) < 0.02 for length, value in lengths)


def test_the_parts_of_a_stack_do_not_overlap_and_fill_its_length() -> None:
    for item in real_charts():
        if item.kind != "stacked":
            continue
        for track in by_class(drawn(item), "track"):
            end = 0.0
            for rect in marks(track):
                assert number_of(rect, "x") == pytest.approx(end, abs=0.01)
                end = number_of(rect, "x") + number_of(rect, "width")
            assert end < 100


VALUES = st.none() | st.integers(0, 10**7) | st.floats(0, 1e6, allow_nan=False)


@given(st.lists(VALUES, min_size=1, max_size=60), st.sampled_from(("bars", "columns", "stacked")))
def test_lengths_are_in_proportion_whatever_the_numbers(
    values: list[float | None], kind: str
) -> None:
    labels = [f"2026-01-{index:02}" for index in range(len(values))]
    item = chart(kind, labels, values)
    root = drawn(item)
    attribute = "height" if kind == "columns" else "width"
    shown = values if kind == "columns" else values[:MAX_ROWS]
    lengths = [number_of(rect, attribute) for rect in marks(root)]
    expected = [value for value in shown if value] if kind != "bars" else [v or 0 for v in shown]
    known = [value for value in shown if value]
    if known and (kind != "columns" or max(known) > 1e-6):
        visible = [value / max(known) * max(lengths) for value in expected]
        if kind != "bars":  # what is less than a thousandth has no mark
            visible = [length for length in visible if length > 0.0005]
        assert lengths == pytest.approx(visible, abs=0.02)
    elif not known:
        assert not any(lengths)
    assert len(table(root)) == len(values) + 1


# ---------------------------------------------------------------- scale


@pytest.mark.parametrize(
    ("top", "wanted"),
    [
        (0, (0, 1)),
        (-3, (0, 1)),
        (1, (0, 1)),
        (2, (0, 1, 2)),
        (3, (0, 1, 2, 3)),
        (5, (0, 2, 4, 6)),
        (10, (0, 5, 10)),
        (97, (0, 50, 100)),
        (180, (0, 50, 100, 150, 200)),
        (4847, (0, 2000, 4000, 6000)),
        (0.3, (0, 0.1, 0.2, 0.3)),
        (2.5, (0, 1, 2, 3)),
        (1e12, (0, 5e11, 1e12)),
    ],
)
def test_an_axis_has_round_numbers(top: float, wanted: tuple[float, ...]) -> None:
    assert ticks(top) == wanted


@given(st.integers(1, 10**18) | st.floats(1e-6, 1e15))
def test_an_axis_reaches_the_top_in_few_even_steps(top: float) -> None:
    lines = ticks(top)
    assert lines[0] == 0
    assert lines[-1] >= top * (1 - 1e-6)
    assert 2 <= len(lines) <= 6
    assert lines[-2] < top
    steps = [after - before for before, after in itertools.pairwise(lines)]
    assert steps == pytest.approx([steps[0]] * len(steps))
    if float(top).is_integer():
        assert all(float(line).is_integer() for line in lines)


@pytest.mark.parametrize(
    ("top", "bottom", "wanted"),
    [
        (7, -2.5, (-5, 0, 5, 10)),
        (0, -3, (-3, -2, -1, 0)),
        (-2, -3, (-3, -2, -1, 0)),
        (0.1, -0.25, (-0.3, -0.2, -0.1, 0, 0.1)),
        (1, -1, (-1, 0, 1)),
        (0, -1e-12, (0, 1)),
    ],
)
def test_an_axis_goes_below_zero_where_numbers_do(
    top: float, bottom: float, wanted: tuple[float, ...]
) -> None:
    assert ticks(top, bottom) == wanted


def test_a_zero_has_no_length() -> None:
    for value in (None, 0, float("nan"), float("inf"), 10**400):
        assert percent(value, 10) == 0


@pytest.mark.parametrize("kind", ["bars", "columns", "stacked"])
@pytest.mark.parametrize("value", [5e-324, 1e-10, 1e299, 1.7e308, 10**300, 10**400, -5])
def test_no_number_is_too_small_or_too_large_for_a_figure(kind: str, value: float) -> None:
    if kind == "stacked" and value < 0:
        pytest.skip("a sum of parts has none")
    item = chart(kind, ("A", "B"), (value, 1), (value, None))
    assert len(table(drawn(item))) == 3
    assert message(DE, item)
    assert chart_csv(EN, item)


def test_a_length_without_a_total_is_refused() -> None:
    assert percent(3, 0) == 0


# ---------------------------------------------------------------- below zero

SIGNED = st.none() | st.integers(-(10**7), 10**7) | st.floats(-1e6, 1e6, allow_nan=False)


@given(st.lists(st.tuples(SIGNED, SIGNED), min_size=1, max_size=MAX_ROWS))
def test_bars_grow_from_one_zero_to_the_side_of_their_sign(
    rows: list[tuple[float | None, float | None]],
) -> None:
    labels = [f"L{index}" for index in range(len(rows))]
    root = drawn(chart("bars", labels, *zip(*rows, strict=True)))
    below = any(value is not None and value < 0 for row in rows for value in row)
    zeros = {number_of(line, "x1") for line in by_class(root, "zero")}
    assert len(zeros) == below
    zero = zeros.pop() if zeros else 0
    whole = max(abs(value or 0) for row in rows for value in row)
    tracks = by_class(root, "track")
    longest = max(number_of(rect, "width") for track in tracks for rect in marks(track))
    for row, track in zip(rows, tracks, strict=True):
        texts = list(track.iter("text"))
        for value, rect, text in zip(row, marks(track), texts, strict=True):
            start, width = number_of(rect, "x"), number_of(rect, "width")
            assert width == pytest.approx(abs(value or 0) / (whole or 1) * longest, abs=0.02)
            end = start if (value or 0) < 0 else start + width
            assert (start + width if (value or 0) < 0 else start) == pytest.approx(zero, abs=0.01)
            assert number_of(text, "x") == pytest.approx(end, abs=0.01)
            # on a phone the number has room between the end of its bar and that of the track
            needed = (len("".join(text.itertext())) * 7.2 + 6) / 230 * 100
            assert not below or (end if (value or 0) < 0 else 100 - end) >= needed - 0.01


@given(st.lists(SIGNED, min_size=1, max_size=40))
def test_columns_grow_from_one_zero_up_or_down(values: list[float | None]) -> None:
    root = drawn(chart("columns", [str(index) for index in range(len(values))], values))
    zero = number_of(by_class(root, "base")[0], "y1")
    whole = max(abs(value or 0) for value in values)
    columns = by_class(root, "column")
    rects = [(value, *marks(node)) for value, node in zip(values, columns, strict=True)]
    longest = max((number_of(rect, "height") for _, *some in rects for rect in some), default=0)
    for value, *some in rects:
        assert bool(some) or abs(value or 0) <= whole * 1e-5 or whole <= 1e-6
        for rect in some:
            top, tall = number_of(rect, "y"), number_of(rect, "height")
            assert tall == pytest.approx(abs(value or 0) / whole * longest, abs=0.02)
            assert (top if (value or 0) < 0 else top + tall) == pytest.approx(zero, abs=0.02)


def test_an_axis_names_what_lies_below_zero_and_the_lowest_column_its_number() -> None:
    root = drawn(chart("columns", ("2026-01-01", "2026-01-02"), (7, -2.5), label_kind="day"))
    axis = ["".join(text.itertext()) for text in by_class(root, "axis")[0]]
    assert axis == ["-5", "0", "5", "10"]
    assert ["".join(text.itertext()) for text in by_class(root, "peak")] == ["7", "-2.5"]


def test_the_message_says_both_ends_where_numbers_are_below_zero() -> None:
    item = chart("bars", ("Berlin", "Oslo", "Rom"), (7, -2.5, None))
    assert message(EN, item).endswith(
        "3 entries. The largest is Berlin: 7 minutes. The smallest is Oslo: -2.5 minutes."
    )
    assert message(DE, item).endswith("Am kleinsten ist Oslo: -2,5 Minuten.")
    cold = chart("columns", ("A", "B"), (-3, -9))
    assert message(EN, cold).endswith(
        "The largest is A: -3 minutes. The smallest is B: -9 minutes."
    )
    assert message(EN, chart("bars", ("A",), (-3,))).endswith("one entry, A: -3 minutes.")
    pair = chart("bars", ("A", "B"), (4, 5), (-3, -9))
    assert message(EN, pair).endswith(
        "The largest is B (yes): 5 minutes. The smallest is B (no): -9 minutes."
    )


def test_a_part_below_zero_is_refused() -> None:
    with pytest.raises(
        ValueError,
        match=r"^The series no has a negative number: a part of a sum cannot be below zero\.$",
    ):
        chart("stacked", ("A",), (1,), (-2,))
    assert chart("stacked", ("A",), (1,), (0,))
    assert chart("stacked", ("A",), (1,), (None,))
    assert chart("bars", ("A",), (-2,))


# ---------------------------------------------------------------- words and numbers


@pytest.mark.parametrize(
    ("value", "english", "german"),
    [
        (0, "0", "0"),
        (1234, "1,234", "1.234"),
        (1234.5, "1,234.5", "1.234,5"),
        (0.25, "0.25", "0,25"),
        (0.004, "0.004", "0,004"),
        (-3, "-3", "-3"),
        (123456789, "123,456,789", "123.456.789"),
        (None, UNKNOWN, UNKNOWN),
        (float("nan"), UNKNOWN, UNKNOWN),
    ],
)
def test_numbers_are_written_as_the_language_does(
    value: float | None, english: str, german: str
) -> None:
    assert figure(EN, value) == english
    assert figure(DE, value) == german


@pytest.mark.parametrize(
    ("value", "english", "german"),
    [
        (999_999, "999,999", "999.999"),
        (1_250_000, "1.2 million", "1,2 Mio."),
        (999_990_000, "1 billion", "1 Mrd."),
        (7_000_000_000_000, "7 trillion", "7 Bio."),
        (2.5e18, "2.5e+18", "2,5e+18"),
        (None, UNKNOWN, UNKNOWN),
    ],
)
def test_huge_numbers_are_short_beside_a_mark(
    value: float | None, english: str, german: str
) -> None:
    assert compact(EN, value) == english
    assert compact(DE, value) == german


@pytest.mark.parametrize(
    ("kind", "text", "english", "german"),
    [
        ("day", "2026-03-09", "9 March 2026", "9. März 2026"),
        (
            "week",
            "2026-01-05",
            "5 January 2026 (week 2)",
            "5. Januar 2026 (KW 2)",
        ),
        (
            "week",
            "2024-12-30",
            "30 December 2024 (week 1)",
            "30. Dezember 2024 (KW 1)",
        ),
        ("month", "2026-03", "March 2026", "März 2026"),
        ("month", "2026-13", "2026-13", "2026-13"),
        ("week", "soon", "soon", "soon"),
        ("text", "2026-03-09", "2026-03-09", "2026-03-09"),
    ],
)
def test_dates_are_written_as_the_language_does(
    kind: Any, text: str, english: str, german: str
) -> None:
    item = chart("columns", [text], label_kind=kind)
    assert label(EN, item, 0) == english
    assert label(DE, item, 0) == german
    assert table(drawn(item, DE))[1][0] == german


def test_a_picture_is_named_by_its_message() -> None:
    item = chart("bars", ("SPD", "AfD"), (95, 1337), subject="2026-09-09")
    (plot,) = (node for node in drawn(item).iter() if node.get("role") == "img")
    assert plot.get("aria-label") == (
        "Chart. Speaking time by party, 9 September 2026: 2 entries. "
        "The largest is AfD: 1,337 minutes."
    )
    assert message(DE, item) == (
        "Diagramm. Redezeit nach Fraktion, 9. September 2026: 2 Einträge. "
        "Am größten ist AfD: 1.337 Minuten."
    )


def test_a_stack_says_what_its_largest_is_made_of() -> None:
    item = chart("stacked", ("A", "B"), (1, 300), (5, 200), (None, 9))
    assert message(EN, item).endswith(
        "The largest is B: 509 minutes. Of these: yes 300, no 200, abstained 9."
    )


@pytest.mark.parametrize("kind", ["bars", "columns", "stacked"])
@pytest.mark.parametrize("values", [(0, 0), (None, None), (0, None), (float("nan"), 0)])
def test_zeros_and_gaps_are_told_apart(kind: str, values: tuple[float | None, ...]) -> None:
    item = chart(kind, ("A", "B"), values)
    root = drawn(item)
    assert not any(number_of(rect, "width") and number_of(rect, "height") for rect in marks(root))
    assert "none of them above zero" in message(EN, item)
    cells = [row[1] for row in table(root)[1:]]
    assert cells == ["0" if value == 0 else UNKNOWN for value in values]
    gaps = cells.count(UNKNOWN)
    text = "".join(root.itertext())
    assert ("not known" in text) == bool(gaps)
    assert chart_csv(EN, item).splitlines()[1:] == [
        f"{name},{'0' if value == 0 else ''}" for name, value in zip("AB", values, strict=True)
    ]


def test_a_single_entry_is_described_in_the_singular() -> None:
    assert message(EN, chart("bars", ("A",), (3,))).endswith("one entry, A: 3 minutes.")


# ---------------------------------------------------------------- many


@pytest.mark.parametrize(("count", "kind"), [(13, "month"), (53, "week"), (366, "day")])
def test_many_columns_have_few_dates(count: int, kind: Any) -> None:
    labels = [f"{2025 + (index % 366) // 200}-0{1 + index % 9}-07" for index in range(count)]
    if kind == "month":
        labels = [text[:7] for text in labels]
    root = drawn(chart("columns", labels, label_kind=kind))
    assert len(marks(root)) == count
    few, many = by_class(root, "few")[0], by_class(root, "many")[0]
    assert 2 <= len(few) <= 3
    assert 4 <= len(many) <= 7
    assert all(0 <= number_of(text, "x") <= 100 for text in many)
    assert len(table(root)) == count + 1


def test_of_thirty_rows_half_are_drawn_and_all_are_in_the_table() -> None:
    root = drawn(chart("bars", [f"Party {index}" for index in range(30)]))
    assert len(by_class(root, "track")) == MAX_ROWS == 15
    assert "The first 15 of 30 are drawn" in "".join(by_class(root, "note")[0].itertext())
    assert len(table(root)) == 31


def test_a_legend_names_every_series_with_a_pattern_of_its_own() -> None:
    root = drawn(chart("stacked", ("A",), (1,), (2,), (3,)))
    (legend,) = by_class(root, "legend")
    assert ["".join(item.itertext()) for item in legend] == ["yes", "no", "abstained"]
    fills = [rect.get("fill") or rect.get("class") for rect in legend.iter("rect")]
    assert len(set(fills)) == 3
    ids = {f"url(#{node.get('id')})" for node in root.iter("pattern")}
    assert {fill for fill in fills if fill and fill.startswith("url")} == ids
    # the marks stand in the order of the legend, with the same fills
    assert [
        rect.get("fill") or rect.get("class") for rect in marks(by_class(root, "track")[0])
    ] == fills


def test_two_figures_of_a_page_share_no_id() -> None:
    group = (chart("stacked", ("A",), (1,), (2,)), chart("stacked", ("B",), (1,), (2,)))
    html = str(charts_html(EN, [group], number=1)) + str(charts_html(EN, [group], number=2))
    more = str(charts_html(EN, [group], number=2, first=2))
    ids = re.findall(r' id="([^"]+)"', html + more)
    assert len(ids) == len(set(ids))


# ---------------------------------------------------------------- foreign text


def test_plain_words_are_shown_as_their_author_wrote_them_and_phrases_in_the_language() -> None:
    item = Chart(
        "columns",
        "Chill <now>",
        "Place",
        ("A", Phrase("Both", "Beide")),
        (Series("day.time", (7, 1)), Series(words.NO, (-2, 3))),
        "°C",
        notes=(Note("Measured {at} noon."),),
    )
    root = drawn(item, DE)
    assert "".join(next(root.iter("h3")).itertext()) == "Chill <now>"
    assert "".join(by_class(root, "about")[0].itertext()) == "°C"
    assert "".join(by_class(root, "note")[0].itertext()) == "Measured {at} noon."
    assert table(root) == [["Place", "day.time", "nein"], ["A", "7", "-2"], ["Beide", "1", "3"]]
    assert message(DE, item).endswith("ist A (day.time): 7 °C. Am kleinsten ist A (nein): -2 °C.")
    assert chart_csv(DE, item).splitlines()[0] == "Place,day.time,nein"
    assert "**Chill \\<now\\> (°C)**" in chart_markdown(DE, item)


@pytest.mark.parametrize("kind", ["bars", "columns", "stacked"])
def test_hostile_labels_are_text_and_nothing_else(kind: str) -> None:
    item = chart(kind, (HOSTILE, "SPD"), (3, 1), (2, 2), subject=HOSTILE)
    html = charts_html(EN, [(item,)], number=1)
    root = parsed(html)
    tags = {node.tag for node in root.iter()}
    assert tags.isdisjoint({"img", "script", "a", "iframe", "style"})
    assert not any(
        name.startswith("on") or name == "style" for n in root.iter() for name in n.attrib
    )
    assert table(root)[1][0].startswith("<img src=x onerror=alert(1)>")


@given(st.text(min_size=1, max_size=30), st.sampled_from(("bars", "columns", "stacked")))
def test_any_label_makes_a_well_formed_figure(text: str, kind: str) -> None:
    item = chart(kind, (text, "x"), subject=text)
    root = parsed(charts_html(DE, [(item,)], number=1))
    assert table(root)[1][0] == label(DE, item, 0)
    assert "\n" not in chart_markdown(DE, item).split("\n\n", 1)[0]


def test_long_labels_stand_above_their_bars_in_full() -> None:
    text = (
        "Antrag der Fraktion: Verteidigung und Beschaffung neu ordnen und verlässlich finanzieren"
    )
    root = drawn(chart("stacked", (text,), (300,), (200,)))
    assert by_class(root, "above")
    assert "".join(by_class(root, "label")[0].itertext()) == text


# ---------------------------------------------------------------- csv


@given(st.lists(st.text(max_size=20), min_size=1, max_size=5), st.data())
def test_csv_reads_back_unchanged(labels: list[str], data: st.DataObject) -> None:
    values = data.draw(st.lists(VALUES, min_size=len(labels), max_size=len(labels)))
    item = chart("bars", labels, values)
    text = chart_csv(EN, item)
    assert text.endswith("\r\n")
    head, *body = csv.reader(io.StringIO(text, newline=""))
    assert head == ["Party", "yes"]
    assert [None if row[1] == "" else float(row[1]) for row in body] == values
    for index, row in enumerate(body):
        assert row[0].removeprefix("'") == label(EN, item, index).removeprefix("'")


@pytest.mark.parametrize("text", ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r\n=1", " =1"])
def test_no_label_is_a_formula_in_a_spreadsheet(text: str) -> None:
    (row,) = list(csv.reader(io.StringIO(chart_csv(EN, chart("bars", (text,), (1,))))))[1:]
    assert row[0][0] == "'"


def test_csv_quotes_as_rfc_4180_says_and_keeps_iso_dates() -> None:
    item = chart("bars", ('a "b", c',), (1234.5,))
    assert chart_csv(DE, item) == 'Fraktion,ja\r\n"a ""b"", c",1234.5\r\n'
    weeks = chart("columns", ("2026-01-05",), (7,), label_kind="week")
    assert chart_csv(EN, weeks) == "Party,yes\r\n2026-01-05,7\r\n"


# ---------------------------------------------------------------- in an answer


def shown(*displays: object) -> AnswerState:
    state = reduce(AnswerState(), RunStarted())
    for index, display in enumerate(displays):
        state = reduce(state, ToolCallStart(f"c{index}", "get_sitzungen"))
        state = reduce(state, ToolCallResult(f"c{index}", "get_sitzungen", "ok", "{}", {}, display))
    return reduce(state, RunFinished("stop", text="Done."))


def test_a_chart_without_values_is_not_shown() -> None:
    one = chart()
    assert charts_of(one) == (one,)
    assert charts_of((one, "<svg>", None)) == (one,)
    for nothing in (None, "x", (), {"chart": 1}, chart("bars", ())):
        assert charts_of(nothing) == ()


def test_the_first_chart_of_a_result_is_open_and_the_others_are_one_press_away() -> None:
    group = tuple(chart("bars", (name,), (1,)) for name in "ABC")
    html = str(charts_html(EN, [group], number=1))
    assert html.index("<details") > html.index("A</span>")
    assert html.index("<details") < html.index("B</span>")
    assert "2 more charts" in html
    assert "details" not in str(charts_html(EN, [group[:1]], number=1))


def test_an_answer_with_many_results_shows_a_limited_number_of_charts() -> None:
    groups = [tuple(chart("bars", (f"{n}{i}",), (1,)) for i in range(3)) for n in range(4)]
    html = str(charts_html(EN, groups, number=1))
    before, _, folded = html.partition("<details")
    assert before.count("<figure") == 2
    assert folded.count("<figure") == 10
    assert [int(n) for n in re.findall(r'data-value="(\d+)"', html)] != []


def test_the_button_of_a_figure_names_its_own_chart_wherever_it_stands() -> None:
    groups = [tuple(chart("bars", (f"{n}{i}",), (1,)) for i in range(2)) for n in range(3)]
    flat = [item for group in groups for item in group]
    root = parsed(charts_html(EN, groups, number=1))
    for figure_node in root.iter("figure"):
        name = "".join(by_class(figure_node, "label")[0].itertext())
        button = next(node for node in figure_node.iter() if node.get("data-value"))
        assert flat[int(button.get("data-value") or -1)].labels == (name,)


def test_the_same_chart_is_shown_once() -> None:
    group = (chart(), chart("bars", ("X",), (1,)))
    assert shown(group, group, None, group[1]).charts == (group,)


def test_the_export_has_the_numbers_as_a_table() -> None:
    item = chart("stacked", ("A|B", "SPD"), (1234.5, 2), (None, 1), subject="2026-09-09")
    text = as_markdown(DE, [ExportedAnswer("?", shown((item,)))], "2026-09-10")
    assert "**Redezeit nach Fraktion, 9. September 2026 (Minuten)**" in text
    assert "| Fraktion | ja | nein | gesamt |\n| --- | ---: | ---: | ---: |" in text
    assert f"| A\\|B | 1.234,5 | {UNKNOWN} | 1.234,5 |\n| SPD | 2 | 1 | 3 |" in text


async def test_a_run_written_as_ag_ui_carries_the_chart_as_json() -> None:
    async def run() -> AsyncIterator[Event]:
        display = (chart(notes=(Note("Two are missing.", 2),)),)
        yield ToolCallResult("c", "t", "ok", "{}", {}, display)

    events = [event async for event in to_ag_ui(run(), thread_id="t", run_id="r")]
    (display,) = (event["value"]["display"] for event in events if event["type"] == "CUSTOM")
    assert display[0]["labels"] == ["AfD", "SPD"]
    assert display[0]["notes"] == [{"text": "Two are missing.", "n": 2}]


def test_a_series_that_does_not_fit_its_labels_is_refused() -> None:
    with pytest.raises(ValueError, match=r"^The series yes has 1 numbers for 2 labels\.$"):
        chart("bars", ("A", "B"), (1,))


# --- dates below the columns ----------------------------------------------------------------------


def dates_below(root: ET.Element, room: str) -> list[str]:
    [group] = by_class(root, room)
    return ["".join(text.itertext()) for text in group.iter("text")]


@pytest.mark.parametrize(
    ("days", "phone", "desk"),
    [
        (
            ("2025-12-30", "2025-12-31", "2026-01-01"),
            ["30 Dec 2025", "31 Dec", "1 Jan 2026"],
            ["30 Dec 2025", "31 Dec", "1 Jan 2026"],
        ),
        (
            ("2025-12-31", "2026-01-01", "2026-01-02"),
            ["31 Dec 2025", "1 Jan", "2 Jan 2026"],
            ["31 Dec 2025", "1 Jan 2026", "2 Jan"],
        ),
        (
            ("2026-01-01", "2026-01-02", "2026-01-03"),
            ["1 Jan 2026", "2 Jan", "3 Jan"],
            ["1 Jan 2026", "2 Jan", "3 Jan"],
        ),
    ],
)
def test_the_year_is_told_where_the_dates_begin_and_where_it_changes(
    days: tuple[str, ...], phone: list[str], desk: list[str]
) -> None:
    root = drawn(chart("columns", days, label_kind="day"))
    assert dates_below(root, "few") == phone
    assert dates_below(root, "many") == desk


def test_no_label_of_another_server_is_so_long_that_it_blocks_the_page() -> None:
    drawn = chart_html(EN, chart(labels=("\u0e33" * 50_000, "SPD"))).markup
    assert len(drawn) < 10_000
    assert "\u0e33…" in drawn


def test_a_chart_with_thousands_of_labels_is_not_drawn() -> None:
    many = chart(labels=[f"Group {n}" for n in range(5_000)])
    assert not charts_html(EN, [[many]], number=1)
    both = charts_html(EN, [[many, chart()]], number=1).markup
    assert 'id="chart-1-1-table"' in both  # its place among all charts, for the CSV
