"""The chart that a question asks for stands first, whichever tool was called first."""

import re

import pytest
from tabloop.agent.displays import Chart
from tabloop.ui.answer_state import charts_of
from tabloop.ui.charts import charts_html
from tabloop.ui.strings import load_strings

from tests.unit.test_bundestakt_charts import SESSIONS, claims_output, session_output

EN = load_strings("en")


async def groups(slug: str = "21-92-2026-09-09") -> list[tuple[Chart, ...]]:
    """Verdicts first, then the charts of a session."""
    outputs = (await claims_output(), await session_output(slug))
    return [charts_of(output.display) for output in outputs]


def titles(html: str) -> list[str]:
    return re.findall(r"<h3>(.*?)</h3>", html)


@pytest.mark.parametrize(
    ("question", "first"),
    [
        ("Which groups interrupted most in the latest session?", "Interjections by party"),
        ("Wer hat am häufigsten dazwischengerufen?", "Interjections by party"),
        ("Zwischenrufe am 9. September 2026?", "Interjections by party"),
        ("Wie lange hat die SPD gesprochen?", "Speaking time by party"),
        ("Who spoke the longest?", "Speaking time by party"),
        ("What statements about industry are false?", "Verdicts by party"),
        ("What happened on 9 September 2026?", "Verdicts by party"),
    ],
)
async def test_the_chart_that_was_asked_for_stands_first(question: str, first: str) -> None:
    found = titles(str(charts_html(EN, await groups(), number=1, question=question)))
    assert found[0] == first
    assert len(found) == len(set(found)) == sum(map(len, await groups()))


async def test_each_chart_keeps_its_number_for_the_copy_as_csv() -> None:
    given = [chart for group in await groups() for chart in group]
    html = str(charts_html(EN, await groups(), number=1, question="Who interrupted most?"))
    figures = html.split("<figure")[1:]
    for figure in figures:
        number = int(re.findall(r'data-value="(\d+)"', figure)[0])
        assert titles(figure) == [EN.text(given[number].title)]


async def test_every_chart_of_a_session_can_be_asked_for() -> None:
    for session in SESSIONS:
        for chart in charts_of((await session_output(session["slug"])).display):
            assert chart.asked_by
