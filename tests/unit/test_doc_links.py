"""The documents lead to each other and to files that exist."""

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def linked(page: Path) -> list[Path]:
    """The files that a page links to."""
    targets = re.findall(r"\]\(([\w./-]+\.\w+)(?:#[\w-]+)?\)", page.read_text("utf-8"))
    return [page.parent / target for target in targets]


def test_every_link_of_the_documents_leads_to_a_file() -> None:
    pages = [*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md")]
    assert [path for page in pages for path in linked(page) if not path.exists()] == []


def test_every_document_is_linked_from_the_readme() -> None:
    assert {*(ROOT / "docs").glob("*.md")} <= {*linked(ROOT / "README.md")}
