"""A run's events as a drawing (SVG), for any page or notebook. Rule: only events are needed.

recording = Recording()
async for event in agent.run(messages):
    recording.add(event)
Path("run.svg").write_text(draw_run(recording.moments), "utf-8")
"""

from collections.abc import Sequence

from tabloop.agent.recording import Moment, Recording
from tabloop.core.phrases import Language
from tabloop.ui.run_drawing import run_svg
from tabloop.ui.run_reader import read_run
from tabloop.ui.strings import load_strings

__all__ = ["Moment", "Recording", "draw_run"]


def draw_run(moments: Sequence[Moment], *, model: str = "", language: Language = "en") -> str:
    """Return the SVG of a run; `model` is the model's name."""
    strings = load_strings(language)
    return run_svg(strings, read_run(strings, moments, model=model)).markup
