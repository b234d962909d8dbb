"""What `?check` tells the site's owner. Rule: each finding that is not good names a remedy."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from tabloop.core.german_text import shorten
from tabloop.settings import SettingsError
from tabloop.ui.html import Html, fragment, h
from tabloop.ui.start_problems import problem_sentence
from tabloop.ui.strings import Strings

__all__ = [
    "Finding",
    "Part",
    "ShippedFile",
    "check_page",
    "fault_finding",
    "file_findings",
    "index_findings",
    "missing_finding",
    "search_file",
    "service_finding",
    "settings_findings",
]

State: TypeAlias = Literal["ok", "paid", "failed"]  # the signs of a list of checks
SHOWN = 5  # names of missing strings in a sentence
LINE = 120  # characters of a line of pyscript.toml


@dataclass(frozen=True, slots=True)
class Finding:
    """One line of the list: `ok` is good, `paid` can be better, `failed` has to be mended.

    `quoted` is a line of the owner's file, shown below the sentence.
    """

    state: State
    sentence: str
    quoted: str = ""


@dataclass(frozen=True, slots=True)
class Part:
    """A heading with its findings; `html` are findings that are list items already."""

    title: str
    findings: Sequence[Finding] = ()
    html: Html | None = None


@dataclass(frozen=True, slots=True)
class ShippedFile:
    """A file as it came: its type, and its bytes on the line and unpacked.

    `sent` is 0 if the browser had it already.
    """

    name: str
    type: str
    wanted: str
    sent: int
    size: int


def settings_findings(
    strings: Strings, problems: Sequence[SettingsError], notes: Sequence[str]
) -> Iterator[Finding]:
    """Yield what is wrong with pyscript.toml and the owner's files, or that nothing is."""
    for problem in problems:
        yield Finding("failed", problem_sentence(strings, problem))
    for note in notes:
        yield Finding("failed", note)
    if strings.missing:
        names = ", ".join(strings.missing[:SHOWN])
        count = len(strings.missing)
        yield Finding("paid", strings("ownerCheck.strings", n=count, names=names))
    if not (problems or notes or strings.missing):
        yield Finding("ok", strings("ownerCheck.settingsFine"))


def fault_finding(strings: Strings, fault: SettingsError) -> Finding:
    """Return what to do about what keeps the page from starting; the page says already what."""
    line = re.search(r"\(at line (\d+), column \d+\)$", fault.detail)
    if fault.kind == "syntax" and line and fault.found:
        # in a line of its own: quotation marks around it would hide that one is missing in it
        sentence = strings("ownerCheck.mendLine", line=line[1])
        return Finding("failed", sentence, shorten(fault.found, LINE))
    return Finding("failed", strings("ownerCheck.mend"))


def file_findings(strings: Strings, file: ShippedFile) -> Iterator[Finding]:
    """Yield whether a file has the right type and came compressed."""
    facts = {"file": file.name, "type": file.type or "?", "wanted": file.wanted}
    right = file.type.startswith(file.wanted)
    yield Finding("ok" if right else "failed", _said(strings, "type", good=right, facts=facts))
    if not file.sent:
        yield Finding("paid", strings("ownerCheck.compressionUnknown", file=file.name))
        return
    sizes = {"sent": file.sent // 1000, "size": file.size // 1000}
    small = file.sent < file.size
    sentence = _said(strings, "compressed", good=small, facts=facts | sizes)
    yield Finding("ok" if small else "failed", sentence)


def index_findings(
    strings: Strings, headers: Mapping[str, str], *, secure: bool
) -> Iterator[Finding]:
    """Yield what the headers of index.html (lower-case names) mean for updates and for frames."""
    if not secure:
        yield Finding("failed", strings("ownerCheck.insecure"))
    cached = headers.get("cache-control", "")
    fresh = any(word in cached for word in ("no-cache", "no-store", "max-age=0"))
    what = "cache" if fresh or cached else "noCache"
    sentence = _said(strings, what, good=fresh, facts={"found": cached})
    yield Finding("ok" if fresh else "paid", sentence)
    policy = headers.get("content-security-policy", "")
    framed = "frame-ancestors" in policy or "x-frame-options" in headers
    yield Finding("ok" if framed else "paid", _said(strings, "frames", good=framed, facts={}))
    if policy.replace("frame-ancestors", "").count("-src"):
        yield Finding("paid", strings("ownerCheck.policy", policy=policy))


def missing_finding(strings: Strings, status: int) -> Finding:
    """Return how the host answers a file that is not there."""
    right = status == 404
    facts = {"status": str(status)}
    return Finding("ok" if right else "paid", _said(strings, "missing", good=right, facts=facts))


def search_file(search: str) -> str:
    """Return the file that the search needs: Pagefind's script, or the index itself."""
    return f"{search}pagefind.js" if search.endswith("/") else search


def service_finding(
    strings: Strings, setting: str, address: str, status: int | None, origin: str
) -> Finding:
    """Return whether what a setting names answers; `status` is None where nothing can be read."""
    facts = {"setting": setting, "address": address, "origin": origin}
    if status is None:
        return Finding("failed", strings("ownerCheck.serviceSilent", **facts))
    if status in (404, 410) or status >= 500:
        return Finding("failed", strings("ownerCheck.serviceStatus", status=str(status), **facts))
    return Finding("ok", strings("ownerCheck.serviceFine", **facts))


def check_page(strings: Strings, parts: Sequence[Part]) -> Html:
    """Return the whole check."""
    return fragment(
        h("h2", {}, strings("ownerCheck.title")),
        h("p", {"class": "note"}, strings("ownerCheck.lead")),
        *(_part(part) for part in parts),
    )


def _part(part: Part) -> Html:
    items = (h("li", {"data-state": f.state}, h("span", {}, *_texts(f))) for f in part.findings)
    return fragment(
        h("h3", {}, part.title), h("ul", {"class": "checks"}, *items, part.html or None)
    )


def _texts(finding: Finding) -> Iterator[str | Html]:
    yield finding.sentence
    if finding.quoted:
        yield h("code", {"dir": "ltr"}, finding.quoted)


def _said(strings: Strings, what: str, *, good: bool, facts: Mapping[str, str | int]) -> str:
    return strings(f"ownerCheck.{what}{'Fine' if good else 'Wrong'}", **facts)
