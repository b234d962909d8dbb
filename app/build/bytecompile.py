"""Byte-compiles a zip of sources in Pyodide. Rule: the same sources give the same bytes."""

import gzip
import importlib.util
import json
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


def write_bundle(target: str, files: Contents) -> None:
    """Write a bundle for boot.js: a gzip file, because few hosts compress `.bin`.

    Content: u32 little-endian length of the header, header `[[name, size], ...]` as JSON, files.
    """
    header = json.dumps([[name, len(data)] for name, data in files]).encode()
    parts = [len(header).to_bytes(4, "little"), header, *(data for _, data in files)]
    write_gzip(target, [("", b"".join(parts))])


def write_gzip(target: str, files: Contents) -> None:
    """Write the content of the only file, with gzip."""
    [(_, data)] = files
    with open(target, "wb") as output:
        output.write(gzip.compress(data, compresslevel=9, mtime=0))


def build(sources: str, target: str, root: str, optimize: int) -> None:
    """Compile the zip `sources` to `target` (`.zip`, `.bin`, `.gz`); bytecompile.js calls it."""
    write = {"zip": write_zip, "bin": write_bundle, "gz": write_gzip}[target.rpartition(".")[2]]
    write(target, compiled(sources, root, optimize))
