"""What is known of each kind of endpoint before it is asked.

Rule: each fact has a source, and what a tab learns from an endpoint itself counts more. A fact
stands here only if it saves a refused request or a question to the person.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from tabloop.agent.ports import NO_TOOL_LIMITS, ToolLimits
from tabloop.endpoint.capabilities import EndpointCapabilities, JsonSchemaUse

__all__ = ["PROFILES", "KnownEndpoints", "Profile", "profile_of"]


@dataclass(frozen=True, slots=True)
class Profile:
    """One kind of endpoint.

    `hosts` are host names, with a port where only the port tells the kind. `base` is the path of
    the API, to which `/chat/completions` and `/models` are added. `context` and `price` are the
    fields of an entry of the model list (see `model_list`), blank if it has none.
    `json_schema`: when it takes a `response_format` of that type, whichever model it is asked for.
    `sources` has a source for each fact that is not the default. `checked` names the facts that
    were compared with that source, with the server's own code or with a running server.
    """

    name: str
    hosts: tuple[str, ...]
    base: str = "/v1"
    streams: bool = True
    wanted_back: frozenset[str] = frozenset()
    json_schema: JsonSchemaUse = "never"
    tool_limits: ToolLimits = NO_TOOL_LIMITS
    context: str = ""
    price: str = ""
    sources: Mapping[str, str] = field(default_factory=dict[str, str])
    checked: frozenset[str] = frozenset()

    def capabilities(self) -> EndpointCapabilities:
        """Return what is known of an endpoint of this kind at first."""
        return EndpointCapabilities(
            streams=self.streams,
            wanted_back=self.wanted_back,
            json_schema=self.json_schema,
            tool_limits=self.tool_limits,
        )


_LOCAL = ("localhost", "127.0.0.1")


def _local(port: int) -> tuple[str, ...]:
    return tuple(f"{host}:{port}" for host in _LOCAL)


PROFILES = (
    Profile(
        "OpenAI",
        ("api.openai.com",),
        json_schema="always",
        sources={
            "base": "https://platform.openai.com/docs/api-reference/chat/create",
            "json_schema": "https://platform.openai.com/docs/guides/structured-outputs",
        },
    ),
    Profile(
        "Mistral",
        ("api.mistral.ai",),
        context="max_context_length",
        json_schema="without tools",
        sources={
            "base": "https://docs.mistral.ai/api/",
            "context": "https://docs.mistral.ai/api/#tag/models",
            "json_schema": "https://docs.mistral.ai/capabilities/structured-output/custom_structured_output/",
        },
    ),
    Profile(
        "Ollama",
        _local(11434),
        json_schema="without tools",
        sources={
            "base": "https://docs.ollama.com/api/openai-compatibility",
            "json_schema": "https://docs.ollama.com/capabilities/structured-outputs",
        },
        checked=frozenset({"base"}),
    ),
    Profile(
        "llama.cpp",
        _local(8080),
        context="meta.n_ctx",  # not n_ctx_train: the server may be started with less
        json_schema="without tools",
        sources={
            "base": "https://github.com/ggml-org/llama.cpp/blob/master/tools/server/README.md",
            "context": "https://github.com/ggml-org/llama.cpp/blob/master/tools/server/README.md",
            "json_schema": "https://github.com/ggml-org/llama.cpp/blob/master/tools/server/README.md",
        },
        checked=frozenset({"base", "context"}),
    ),
    Profile(
        "LM Studio",
        _local(1234),
        json_schema="without tools",
        sources={
            "base": "https://lmstudio.ai/docs/developer/openai-compat",
            "json_schema": "https://lmstudio.ai/docs/developer/openai-compat/structured-output",
        },
        checked=frozenset({"base"}),
    ),
    Profile(
        "vLLM",
        _local(8000),
        context="max_model_len",
        json_schema="without tools",
        sources={
            "base": "https://docs.vllm.ai/en/latest/serving/openai_compatible_server.html",
            "context": "https://docs.vllm.ai/en/latest/serving/openai_compatible_server.html",
            "json_schema": "https://docs.vllm.ai/en/latest/features/structured_outputs/",
        },
        checked=frozenset({"context"}),
    ),
    Profile(
        "OpenRouter",
        ("openrouter.ai",),
        base="/api/v1",
        context="context_length",
        price="pricing.prompt",
        sources={
            "base": "https://openrouter.ai/docs/api-reference/overview",
            "context": "https://openrouter.ai/docs/overview/models",
            "price": "https://openrouter.ai/docs/overview/models",
        },
    ),
    Profile(
        "Gemini",
        ("generativelanguage.googleapis.com",),
        base="/v1beta/openai",
        wanted_back=frozenset({"extra_content"}),
        json_schema="without tools",
        sources={
            "base": "https://ai.google.dev/gemini-api/docs/openai",
            "wanted_back": "https://ai.google.dev/gemini-api/docs/thought-signatures",
            "json_schema": "https://ai.google.dev/gemini-api/docs/openai",
        },
        checked=frozenset({"base", "wanted_back"}),
    ),
    Profile(
        "DeepSeek",
        ("api.deepseek.com",),
        wanted_back=frozenset({"reasoning_content"}),
        sources={
            "base": "https://api-docs.deepseek.com/",
            "wanted_back": "https://api-docs.deepseek.com/guides/thinking_mode",
        },
        checked=frozenset({"wanted_back"}),
    ),
    Profile(
        "Groq",
        ("api.groq.com",),
        base="/openai/v1",
        context="context_window",
        sources={
            "base": "https://console.groq.com/docs/openai",
            "context": "https://console.groq.com/docs/models",
        },
        checked=frozenset({"context"}),
    ),
    Profile(
        "LiteLLM",
        _local(4000),
        sources={"base": "https://docs.litellm.ai/docs/proxy/user_keys"},
        checked=frozenset({"base"}),
    ),
    Profile(
        "paid proxy",
        ("llm-agent.fretchen.eu",),
        base="",
        streams=False,
        tool_limits=ToolLimits(count=8, size=8192),
        sources={
            "tool_limits": "https://llm-agent.fretchen.eu/openapi.json",
            "base": "https://llm-agent.fretchen.eu/openapi.json",
            "streams": "https://llm-agent.fretchen.eu/openapi.json",
        },
    ),
)
OTHER = Profile("", ())


def profile_of(url: str) -> Profile:
    """Return the profile of the endpoint at this URL; one without a name if it is not known."""
    netloc = urlsplit(url).netloc.lower()
    return next((profile for profile in PROFILES if netloc in profile.hosts), OTHER)


@dataclass(slots=True)
class KnownEndpoints:
    """The capabilities of all endpoints that this tab has used."""

    _known: dict[tuple[str, str], EndpointCapabilities] = field(
        default_factory=dict[tuple[str, str], EndpointCapabilities]
    )

    def of(self, url: str, model: str) -> EndpointCapabilities:
        """Return the shared, mutable capabilities of a model at a URL."""
        return self._known.setdefault((url, model), profile_of(url).capabilities())
