"""Asks a model by the page's own loop. Rule: an error of a model is an outcome, not a crash."""

import time
from collections.abc import AsyncIterator, Sequence

from tabloop.agent.conversation import Conversation, Exchange
from tabloop.agent.events import RunFinished, StepFinished, ToolCallResult, ToolCallStart
from tabloop.agent.loop import Agent
from tabloop.agent.ports import ChatModel
from tabloop.agent.strategies import default_strategy

from tests.quality.questions import Question
from tests.quality.record import Declining, prompt_for, tools_for
from tests.quality.scoring import Outcome, Score, score

__all__ = ["ask", "ask_all"]

HOPS = 4  # as in the page's settings


async def ask_all(model: ChatModel, asked: Sequence[Question]) -> AsyncIterator[Score]:
    """Yield the score of each question, one after the other."""
    for question in asked:
        yield score(question, await ask(model, question))


async def ask(model: ChatModel, question: Question) -> Outcome:
    """Return what the model made of one question."""
    conversation = Conversation()
    earlier = [Exchange(asked, answer) for asked, answer in question.before]
    conversation.restore(earlier, "", answered=False)
    messages = conversation.ask(question.ask, prompt_for(question))
    agent = Agent(model, tools_for(question), approver=Declining(), strategy=default_strategy(HOPS))
    tool, arguments, text, problem = "", None, "", ""
    tokens, first, sources, began = 0, "", set[str](), time.monotonic()
    async for event in agent.run(messages):
        match event:
            case ToolCallStart() if not first:
                first, tool = event.tool_call_id, event.name
            case ToolCallResult():
                if event.tool_call_id == first:
                    arguments = event.arguments
                sources |= {source.url for source in event.sources}
            case StepFinished() if event.usage:
                tokens += event.usage.prompt_tokens + event.usage.completion_tokens
            case RunFinished():
                text, problem = event.text, _problem(event)
            case _:
                pass
    seconds = time.monotonic() - began
    return Outcome(text, tool, arguments, len(sources), seconds, tokens, problem)


def _problem(ended: RunFinished) -> str:
    if ended.error is not None:
        return str(getattr(ended.error, "code", "")) or type(ended.error).__name__
    return "" if ended.outcome == "stop" else ended.outcome
