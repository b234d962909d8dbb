"""`python -m tests.standins`: serves the page on this machine, with stand-ins for its services.

Rule: the terminal says exactly what answers: stand-ins, real services, or a model.
"""

import argparse
import asyncio
import os
import signal
import sys
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from urllib.parse import urlsplit

import aiohttp

from tests.standins.base import LOOPBACK
from tests.standins.bundestakt import Bundestakt
from tests.standins.images import Images
from tests.standins.llm_proxy import SCRIPT
from tests.standins.paid_server import PaidServer
from tests.standins.paid_servers import PaidStandins
from tests.standins.pass_through import PassThrough
from tests.standins.script_file import ScriptFile
from tests.standins.servers import ServerGroup, Standins
from tests.standins.static_site import StaticSite
from tests.standins.toml_overlay import toml_value

PORT = 8000
DRAWING = 3.0  # seconds for a picture, so that its progress can be seen
HIGHEST_PORT = 65000  # the services use the ports above the page's


def main(arguments: Sequence[str] | None = None) -> int:
    """Serve until Ctrl-C; return the exit code. Wrong arguments exit with 2 and a sentence."""
    options = _options(arguments)
    with suppress(KeyboardInterrupt):
        asyncio.run(_serve(options))
    print("\nStopped.", flush=True)
    return 0


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m tests.standins",
        description="Serve the built page on this machine, with local stand-ins behind it.",
    )
    parser.add_argument("--dist", type=Path, default=Path("dist"), help="the built page")
    parser.add_argument("--port", type=int, default=PORT, help=f"the page's port ({PORT})")
    parser.add_argument("--live", action="store_true", help="use the page's own settings as built")
    parser.add_argument(
        "--paid", action="store_true", help="ask for payment, with a test wallet and test money"
    )
    parser.add_argument("--llm-url", metavar="URL", help="any OpenAI-compatible endpoint")
    parser.add_argument("--llm-model", metavar="NAME", help="the model's name there")
    parser.add_argument("--llm-key-env", metavar="VAR", help="the variable that holds its key")
    parser.add_argument("--script", type=Path, metavar="FILE", help="play the turns of a JSON file")
    options = parser.parse_args(arguments)
    for wrong in _wrong(options):
        parser.error(wrong)
    return options


def _wrong(options: argparse.Namespace) -> Iterator[str]:
    """Yield a sentence for each wrong option; only the first is shown."""
    dist: Path = options.dist
    url: str = options.llm_url or ""
    key_env: str = options.llm_key_env or ""
    own = url or options.llm_model or key_env
    if options.paid and (options.live or own):
        yield "--paid has its own endpoint, so it cannot go with --live or --llm-url"
    if options.paid and (missing := PaidServer.missing()):
        yield f"--paid needs what is not there: {missing}"
    if options.script and (options.paid or options.live or own):
        yield "--script answers by itself, so it cannot go with --paid, --live or --llm-url"
    if options.script:
        try:
            ScriptFile(options.script)
        except (OSError, ValueError) as error:
            yield f"--script: {error}"
    if options.live and own:
        yield "--live uses the real endpoints, so it cannot go with --llm-url and its company"
    if own and not (url and options.llm_model):
        yield "--llm-url and --llm-model belong together: give both"
    if own and urlsplit(url).scheme not in ("http", "https"):
        yield f"--llm-url must start with http:// or https://, not {url}"
    if own and not urlsplit(url).hostname:
        yield f"--llm-url names no host: {url}"
    if key_env and not os.environ.get(key_env, "").strip():
        yield f"--llm-key-env: the environment variable {key_env} is not set"
    if not 1 <= options.port <= HIGHEST_PORT:
        yield f"--port must lie between 1 and {HIGHEST_PORT}"
    if not (dist / "index.html").is_file():
        yield f"{dist} holds no built page; run `python build.py` first"


async def _serve(options: argparse.Namespace) -> None:
    with suppress(NotImplementedError):  # event loops on Windows have no signal handlers
        task = asyncio.current_task()
        if task is not None:
            asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, task.cancel)
    with suppress(asyncio.CancelledError):
        group = _server_group(options)
        group.site.precompressed = True
        for server in (group.site, *group.services):
            server.records = False
        async with group as running:
            _say(options, running)
            if options.llm_url:
                await _warn_if_unreachable(options.llm_url)
            await asyncio.Event().wait()


def _server_group(options: argparse.Namespace) -> ServerGroup:
    dist: Path = options.dist
    port: int = options.port
    if options.live:
        return ServerGroup(StaticSite(dist), (), port=port)
    if options.paid or not options.llm_url:
        model = ScriptFile(options.script) if options.script else None
        standins = (
            PaidStandins(dist, port=port, asks=True)
            if options.paid
            else Standins(dist, model=model, port=port)
        )
        if model:
            standins.proxy.call_model(SCRIPT, f"the turns of {options.script}")
        standins.images.seconds = DRAWING
        return standins
    site = StaticSite(dist)
    if not options.llm_key_env:
        settings = {"llm_url": options.llm_url, "llm_model": options.llm_model}
        return ServerGroup(site, (Bundestakt(), Images(DRAWING)), settings, port)

    def is_page(origin: str) -> bool:
        return origin in (site.url, site.url.replace(LOOPBACK, "localhost"))

    key = os.environ[options.llm_key_env].strip()
    llm = PassThrough(options.llm_url, options.llm_model, key, is_page)
    return ServerGroup(site, (Bundestakt(), Images(DRAWING), llm), port=port)


def _say(options: argparse.Namespace, running: ServerGroup) -> None:
    rows = [(server.name, server.url, server.description) for server in running.services]
    if options.live:
        rows = [("live", "the endpoints in pyscript.toml", "real services, paid from a wallet")]
    elif options.llm_url and not options.llm_key_env:
        rows = [("your model", options.llm_url, options.llm_model), *rows]
    widths = [max(len(row[column]) for row in rows) for column in (0, 1)]
    lines = [
        "",
        "Tabloop is ready. Open this address in a browser:",
        "",
        f"    {running.page_url}",
        "",
        "Behind the page:",
        *(f"    {a:<{widths[0]}}  {b:<{widths[1]}}  {c}" for a, b, c in rows),
        "",
        *settings_lines(running),
        "Ctrl-C ends it.",
    ]
    if urlsplit(running.page_url).port != options.port:
        lines[1:1] = [f"Port {options.port} is taken, so the page has the next free one."]
    print("\n".join(lines), flush=True)


def settings_lines(running: ServerGroup) -> Iterator[str]:
    """Yield the served page's settings as TOML lines that can be copied."""
    if running.site.overlaid:
        yield "Its settings, as lines for [tabloop] in a pyscript.toml:"
        yield ""
        yield from (f"    {k} = {toml_value(v)}" for k, v in running.site.overlaid.items())
        yield ""


async def _warn_if_unreachable(url: str) -> None:
    """Warn if the address gives no response at all; an error response is enough."""
    timeout = aiohttp.ClientTimeout(total=5)
    try:
        async with (
            aiohttp.ClientSession(timeout=timeout) as session,
            session.get(url, allow_redirects=False),
        ):
            pass
    except (aiohttp.ClientError, TimeoutError) as error:
        reason = str(error) or "no answer within 5 seconds"
        print(f"\nWarning: {url} does not answer ({reason}).", file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
