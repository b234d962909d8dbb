"""A real paid server in a process: x402's middleware, facilitator, and a local chain.

Rule: it ends with the block that started it. If this process dies, it also ends, because its
standard input is closed.
"""

import asyncio
import json
import os
import shutil
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import aiohttp

from tests.standins.base import StandIn

__all__ = ["PaidServer"]

FOLDER = Path(__file__).parent / "paid"
START_WITHIN = 60.0  # seconds; the first start compiles the contracts
END_WITHIN = 5.0


class PaidServer:
    """The process. `facts` has `url`, `rpcs` (by network), `network`, `payTo` and `authorizer`.

    `services` are the free stand-ins that answer paid requests, by route (`llm`, `image`).
    """

    def __init__(self, services: Mapping[str, StandIn]) -> None:
        self.facts: Mapping[str, Any] = {}
        self._services = services
        self._process: asyncio.subprocess.Process | None = None

    @staticmethod
    def missing() -> str:
        """Return what has to be installed, blank if nothing is missing."""
        if not (FOLDER / "node_modules" / "@x402").is_dir():
            return "its npm packages: python build.py test, or serve --paid, installs them"
        return "" if _node() else "node"

    async def start(self) -> None:
        """Start the process; the services must run already. Idempotent.

        Raises `RuntimeError` with its output if it does not start.
        """
        if self.facts:
            return
        settings = {route: service.url for route, service in self._services.items()}
        process = await asyncio.create_subprocess_exec(
            _node() or "node",
            FOLDER / "server.js",
            json.dumps(settings),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.STDOUT,
        )
        self._process = process
        assert process.stdout
        said: list[str] = []
        with suppress(TimeoutError):
            async with asyncio.timeout(START_WITHIN):
                while line := (await process.stdout.readline()).decode():
                    if line.startswith('{"url"'):
                        self.facts = json.loads(line)
                        return
                    said.append(line)
        await self.stop()
        raise RuntimeError(f"the paid server did not start: {''.join(said)[-2000:]}")

    async def stop(self) -> None:
        """End the process. Idempotent."""
        process, self._process = self._process, None
        if process is None:
            return
        if process.stdin:
            process.stdin.close()
        try:
            async with asyncio.timeout(END_WITHIN):
                await process.wait()
        except TimeoutError:
            process.kill()
            await process.wait()

    async def ask(self, path: str, body: object | None = None) -> Any:
        """Return the response of a test address below `/test/`, as JSON or bytes."""
        url = f"{self.facts['url']}/test/{path}"
        async with aiohttp.ClientSession() as session:
            sent = session.post(url, json=body) if body is not None else session.get(url)
            async with sent as response:
                response.raise_for_status()
                is_json = response.content_type == "application/json"
                return await (response.json() if is_json else response.read())


def _node() -> str | None:
    return os.environ.get("TABLOOP_NODE") or shutil.which("node")
