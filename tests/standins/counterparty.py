"""A paid server that is not ours, as a process: x402's middleware, facilitator, and a chain.

Rule: it ends with the block that started it, by its own id; a death of this process ends it too,
because its standard input closes.
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

__all__ = ["Counterparty"]

FOLDER = Path(__file__).parent / "paid"
START_WITHIN = 60.0  # seconds; the first start compiles the contracts
END_WITHIN = 5.0


class Counterparty:
    """`facts` has `url`, `rpc`, `network`, `payTo` and `authorizer` once it runs.

    `behind` are the free stand-ins that answer what is paid for, by its route (`llm`, `image`).
    """

    def __init__(self, behind: Mapping[str, StandIn]) -> None:
        self.facts: Mapping[str, str] = {}
        self._behind = behind
        self._process: asyncio.subprocess.Process | None = None

    @staticmethod
    def missing() -> str:
        """What is not there, or nothing."""
        if not (FOLDER / "node_modules" / "@x402").is_dir():
            return "its npm packages: python build.py test, or serve --paid, installs them"
        return "" if _node() else "node"

    async def start(self) -> None:
        """Run it, once those behind it are up; twice is once.

        Raises `RuntimeError` with what it said when it does not start.
        """
        if self.facts:
            return
        settings = {route: behind.url for route, behind in self._behind.items()}
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
        """End it. Twice is once."""
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
        """Use one of its test addresses, below `/test/`."""
        url = f"{self.facts['url']}/test/{path}"
        async with aiohttp.ClientSession() as session:
            sent = session.post(url, json=body) if body is not None else session.get(url)
            async with sent as response:
                response.raise_for_status()
                is_json = response.content_type == "application/json"
                return await (response.json() if is_json else response.read())


def _node() -> str | None:
    return os.environ.get("TABLOOP_NODE") or shutil.which("node")
