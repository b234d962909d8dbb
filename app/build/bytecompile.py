"""Byte-compiles a zip of sources in Pyodide. Rule: the same sources give the same bytes."""

import importlib.util
import marshal
import zipfile

FIXED_DATE = (2026, 1, 1, 0, 0, 0)
UNCHECKED_HASH = (0b01).to_bytes(4, "little")

Contents = list[tuple[str, bytes]]


def bytecode(source: bytes, path: str, optimize: int) -> bytes:
    """Return a `.pyc` that Python loads without checking the source (PEP 552, unchecked hash)."""
    code = compile(source, path, "exec", dont_inherit=True, optimize=optimize)
    header = importlib.util.MAGIC_NUMBER + UNCHECKED_HASH + importlib.util.source_hash(source)
    return header + marshal.dumps(code)


def compiled(sources: str, root: str, optimize: int) -> Contents:
    """Return name and content of each file, `.py` as `.pyc`; `root` is the folder in tracebacks."""
    files: Contents = []
    with zipfile.ZipFile(sources) as archive:
        for name in sorted(archive.namelist()):
            data = archive.read(name)
            if name.endswith(".py"):
                files.append((f"{name}c", bytecode(data, f"{root}/{name}", optimize)))
            else:
                files.append((name, data))
    return files


def write_zip(target: str, files: Contents) -> None:
    """Write a zip file; the build reads it again."""
    with zipfile.ZipFile(target, "w") as archive:
        for name, data in files:
            entry = zipfile.ZipInfo(name, FIXED_DATE)
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, data, compresslevel=9)


def build(sources: str, target: str, root: str, optimize: int) -> None:
    """Compile the zip `sources` to the zip `target`; bytecompile.js calls it."""
    write_zip(target, compiled(sources, root, optimize))
