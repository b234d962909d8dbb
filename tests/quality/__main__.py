"""`python build.py quality`: asks an endpoint, or the browser's own model, and prints a table."""

import argparse
import asyncio
import os
import sys
from collections.abc import Sequence

from tabloop.contrib.httpx_transport import HttpxTransport
from tabloop.endpoint.chat_completions import ChatCompletionsModel

from tests.quality.asking import ask_all
from tests.quality.questions import Question, questions, sampled
from tests.quality.scoring import Score
from tests.quality.table import as_json, line, table

NO_MODEL = 3  # the exit code where the browser has none


def main(arguments: Sequence[str] | None = None) -> int:
    """Ask the questions; return the exit code (0: asked, 3: the browser has no model)."""
    options = _options(arguments)
    asked = questions()
    if options.sample:
        asked = sampled(asked, options.sample)
    if options.browser:
        from tests.quality.browser import NoModel, ask_browser  # noqa: PLC0415 -- needs Playwright

        try:
            scores = ask_browser(asked, _told)
        except NoModel as error:
            print(error, file=sys.stderr)
            return NO_MODEL
    else:
        scores = asyncio.run(_ask_endpoint(asked, options))
    print(as_json(scores) if options.json else f"\n{table(scores)}")
    return 0


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python build.py quality", description=__doc__)
    whom = parser.add_mutually_exclusive_group(required=True)
    whom.add_argument("--llm-url", help="an OpenAI-compatible endpoint")
    whom.add_argument("--browser", action="store_true", help="the model of Chrome or Edge")
    parser.add_argument("--llm-model", default="", help="the model's name at the endpoint")
    parser.add_argument("--llm-key-env", default="", help="the variable that holds the key")
    parser.add_argument("--sample", type=int, default=0, help="ask only so many of the questions")
    parser.add_argument("--json", action="store_true", help="print answers and results as JSON")
    options = parser.parse_args(arguments)
    if options.llm_url and not options.llm_model:
        parser.error("--llm-url needs --llm-model")
    if options.llm_key_env and not os.environ.get(options.llm_key_env):
        parser.error(f"the variable {options.llm_key_env} is not set")
    if options.sample < 0:
        parser.error("--sample is at least 1")
    return options


async def _ask_endpoint(asked: Sequence[Question], options: argparse.Namespace) -> list[Score]:
    async with HttpxTransport() as transport:
        model = ChatCompletionsModel(
            transport,
            url=options.llm_url,
            model=options.llm_model,
            key=os.environ.get(options.llm_key_env, ""),
        )
        return [_told(scored) async for scored in ask_all(model, asked)]


def _told(scored: Score) -> Score:
    """Print a line on stderr, so that a long run shows where it is."""
    print(line(scored), file=sys.stderr, flush=True)
    return scored


if __name__ == "__main__":
    sys.exit(main())
