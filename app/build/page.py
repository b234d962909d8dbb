"""Makes all of dist: the page with its boot tags, the runtime, the bundles.

Rule: dist holds exactly the files made here; unchanged files are not written again. The files of
one build lie in a folder named by their hash, so that a browser never mixes two builds.
"""

from __future__ import annotations

import gzip
import json
import re
import tomllib
from collections.abc import Iterator
from html import escape
from itertools import takewhile

from app.build.bundles import Files, bundles, contents, extension
from app.build.compressed import compressed
from app.build.environment import APP, DIST, NPM, ROOT, BuildError, digest, node, say
from app.build.licences import licences
from app.build.parts import PYSCRIPT, PYSCRIPT_DIST, shipped_parts
from app.build.sbom import SBOM, sbom
from app.build.scripts import SCRIPTS, WORKER, bundled, pinned
from app.build.snapshot import snapshot
from app.build.wheel import wheel

EXTENSION_FILE = "pydantic_core.wasm"
# name in npm -> name in dist: some hosts send .mjs with a wrong media type
RUNTIME = {
    "pyodide.mjs": "pyodide/pyodide.js",
    "pyodide.asm.mjs": "pyodide/pyodide.asm.js",
    "pyodide.asm.wasm": "pyodide/pyodide.asm.wasm",
}
# Files with a fixed name that lead into the build's folder: for pages of a site's owner
ENTRIES = {
    "boot.js": 'export * from "./{folder}/boot.js";\n',
    "pyscript/core.js": 'import "../{folder}/pyscript/core.js";\n',
}
EXAMPLES = ROOT / "docs" / "examples"
# in the order in which later ones win
STYLES = (
    *("base", "controls", "page", "conversation", "prose", "composer", "card", "charts"),
    "media",
)
BOOT_TAGS = """\
<script type="module" src="./boot.js"></script>
<script type="module" src="./pyscript/core.js"></script>
<script type="py" config="{config}" async>
from tabloop.main import main
await main()
</script>
<!-- without this PyScript loads its plugins again, for MicroPython -->
<mpy-config type="json" hidden>{micropython}</mpy-config>"""


def preloads(files: Files) -> Iterator[str]:
    """Yield preload links for all files of the start, so that their download begins at once."""
    # the name of PyScript's main file has a hash
    [body] = [name for name in files if re.fullmatch(r"pyscript/core-\w+\.js", name)]
    modules = [script.name for script in SCRIPTS if script.preload] + ["pyscript/core.js", body]
    for name in [*modules, *(n for n in RUNTIME.values() if n.endswith(".js"))]:
        yield f'<link rel="modulepreload" href="./{name}">'
    # boot.js chooses between start.bin and the snapshot
    for name in (RUNTIME["pyodide.asm.wasm"], EXTENSION_FILE, "page.bin"):
        yield f'<link rel="preload" as="fetch" crossorigin href="./{name}">'


def boot_tags() -> str:
    """Return the script tags, with PyScript's part of pyscript.toml as JSON.

    PyScript's TOML parser supports only a part of TOML and might fail at the table [tabloop].
    """
    settings = tomllib.loads((ROOT / "pyscript.toml").read_text("utf-8"))
    config = {key: value for key, value in settings.items() if key != "tabloop"}
    micropython = json.dumps({"plugins": config["plugins"]})
    return BOOT_TAGS.format(config=escape(json.dumps(config)), micropython=micropython)


def page(files: Files, folder: str) -> bytes:
    """Return index.html with boot tags; `files` are those in `folder`. Raises `BuildError`."""
    html = (ROOT / "index.html").read_text("utf-8")
    parts = {"build:preload": "\n".join(preloads(files)), "build:scripts": boot_tags()}
    for marker, part in parts.items():
        before, *after = html.split(f"<!-- {marker} -->")
        if len(after) != 1:
            raise BuildError(f"index.html must hold <!-- {marker} --> exactly once.")
        html = before + part + after[0]
    for name in files:
        html = html.replace(f"./{name}", f"./{folder}/{name}")
    return html.encode()


def styles() -> bytes:
    """Return all styles as one file, because each further one delays the first paint."""
    return b"\n".join((APP / "styles" / f"{name}.css").read_bytes() for name in STYLES)


def sent(name: str, data: bytes) -> int:
    """Return how many bytes a host sends that compresses the usual types, to 0.1 MB."""
    packed = data if name.endswith((".bin", ".gz")) else gzip.compress(data, 6)
    return round(len(packed), -5)  # another zlib gives a few bytes more or less


def assemble() -> Files:
    """Return all files of dist: name with forward slashes -> content."""
    node()  # before there are threads, because it may have to be installed
    files = {target: (NPM / "pyodide" / name).read_bytes() for name, target in RUNTIME.items()}
    files |= {EXTENSION_FILE: extension()[1]}
    files |= bundles()
    facts = pinned()
    files["snapshot.gz"], size = snapshot(files, facts)
    facts |= {"FILE_SIZES": {name: [sent(name, data), len(data)] for name, data in files.items()}}
    facts |= {"SNAPSHOT_SIZE": size, "BUILD": digest(*files.values())[:16]}
    files |= {script.name: bundled(script, facts) for script in SCRIPTS}
    pyscript = contents(PYSCRIPT_DIST, PYSCRIPT_DIST)
    files |= {f"pyscript/{n}": data for n, data in pyscript.items() if PYSCRIPT.fullmatch(n)}
    files |= contents(APP / "static", APP) | {"static/style.css": styles()}
    name, data = wheel()
    parts = shipped_parts()
    embed = files.pop("embed.js")  # pages of owners name it, so its address never changes
    return in_folder(files) | {
        "embed.js": embed,
        name: data,  # for other pages; this one has the package in its bundles
        **{f"examples/{path.name}": path.read_bytes() for path in sorted(EXAMPLES.glob("*.html"))},
        "licences.txt": licences(parts),
        SBOM: sbom(parts),
        # unchanged: the site's owner edits it in a copy of dist
        "pyscript.toml": (ROOT / "pyscript.toml").read_bytes(),
    }


def in_folder(files: Files) -> Files:
    """Return the build's files in their folder, and those outside that name it."""
    folder = f"build-{digest(*files, *files.values())[:12]}"
    entries = {name: text.format(folder=folder).encode() for name, text in ENTRIES.items()}
    inside = {f"{folder}/{name}": data for name, data in files.items()}
    # a browser keeps a snapshot of its own
    kept = [name for name in files if name != "snapshot.gz"]
    worker = bundled(WORKER, {"BUILD_FOLDER": folder, "BUILD_FILES": kept})
    return inside | entries | {"index.html": page(files, folder), "sw.js": worker}


def write_dist() -> None:
    """Write the files of `assemble` to dist: only changed ones; others in dist are deleted."""
    files = assemble()
    files |= compressed(files)
    stale = [DIST / name for name in contents(DIST, DIST).keys() - files.keys()]
    changed = [
        n for n, d in files.items() if not (DIST / n).is_file() or (DIST / n).read_bytes() != d
    ]
    for name in changed:
        unfinished = DIST / f"{name}.unfinished"
        unfinished.parent.mkdir(parents=True, exist_ok=True)
        unfinished.write_bytes(files[name])
        unfinished.replace(DIST / name)  # atomic: a page that loads now gets the old or new file
    for path in stale:
        path.unlink()
        for folder in takewhile(lambda folder: folder != DIST, path.parents):
            if not any(folder.iterdir()):
                folder.rmdir()
    size = sum(map(len, files.values())) / 1e6
    say(f"dist/ is ready: {len(files)} files, {size:.1f} MB, {len(changed) + len(stale)} changed")
