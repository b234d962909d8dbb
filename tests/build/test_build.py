"""The build is pinned, reproducible, whole. Rule: what is imported is in what is shipped."""

import ast
import base64
import gzip
import importlib
import io
import json
import os
import posixpath
import re
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest

import build
from app.build import audit, bundles, environment, hosts, page, scripts, snapshot
from app.build.archive import zipped
from app.build.bundles import Files, contents
from app.build.compressed import ENDINGS, compressed, without_compressed
from app.build.package import packaged
from app.build.parts import Part

ROOT = environment.ROOT
BUNDLES = ("start.bin", "page.bin", "late.bin")
IN_FOLDER = re.compile(r"^build-[0-9a-f]{12}/")
IN_A_PAGE = {"js", "pyodide", "pyodide_js", "pyscript", "polyscript"}
# what needs a page, and what in pydantic serves other programs (mypy, pydantic 1)
NOT_IMPORTED = re.compile(r"tabloop\.(browser|main)\b|pydantic\.(mypy|v1)\b|pyodide_http\b")


@pytest.fixture(scope="session")
def dist() -> Files:
    """All of dist, as the working tree would have it now."""
    assert build.run_steps(build.BUILD[:-1]) == 0
    return page.assemble()


@pytest.fixture(scope="session")
def files(dist: Files) -> Files:
    """The page and the files in the build's folder, without the folder's name."""
    outside = {name: data for name, data in dist.items() if not IN_FOLDER.match(name)}
    return outside | {
        IN_FOLDER.sub("", name): data for name, data in dist.items() if name not in outside
    }


def unpacked(bundle: bytes) -> Iterator[tuple[str, bytes]]:
    data = gzip.decompress(bundle)
    at = 4 + int.from_bytes(data[:4], "little")
    for name, size in json.loads(data[4:at]):
        yield name, data[at : at + size]
        at += size
    assert at == len(data)


def imports(sources: Files) -> set[str]:
    """Modules that Python sources import by full name, inside their functions too."""
    found: set[str] = set()
    for name, source in sources.items():
        for node in ast.walk(ast.parse(source)) if name.endswith(".py") else ():
            if isinstance(node, ast.Import):
                found.update(alias.name for alias in node.names)
            elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
                found.add(node.module)
    return found


def module_name(path: str) -> str:
    return path.removesuffix(".pyc").removesuffix(".py").removesuffix("/__init__").replace("/", ".")


def test_dist_holds_what_the_page_asks_for_and_all_of_it_is_of_one_build(dist: Files) -> None:
    html = dist["index.html"].decode()
    asked = re.findall(r'(?:src|href)="\./([^"?#]+)"', html)
    names = {IN_FOLDER.sub("", name) for name in asked if IN_FOLDER.match(name)}
    assert {"boot.js", "shell.js", "page.bin", "pyscript/core.js", "static/style.css"} <= names
    assert len(names) == len(set(asked) - {"pyscript.toml"})  # the owner's file is outside
    assert [name for name in asked if name not in dist] == []
    assert len({name.split("/")[0] for name in dist if IN_FOLDER.match(name)}) == 1
    assert "build:" not in html


def test_a_package_put_over_an_older_site_leaves_the_owners_files_alone(
    dist: Files, tmp_path: Path
) -> None:
    owners = {"pyscript.toml": b"mine", "owner.css": b"mine", "owner/fr.json": b"mine"}
    (tmp_path / "owner").mkdir()
    for name, data in owners.items():
        (tmp_path / name).write_bytes(data)
    archive = zipped(packaged({**dist, "owner.css": b"new", "owner/fr.json": b"new"}))
    zipfile.ZipFile(io.BytesIO(archive)).extractall(tmp_path)
    now = contents(tmp_path, tmp_path)
    assert now["examples/pyscript.toml"] == dist["pyscript.toml"]
    del now["examples/pyscript.toml"]
    assert "newChat" in now.pop("examples/en.json").decode()
    assert now == {**dist, **owners}


def test_a_web_server_may_read_what_is_unpacked_from_a_package(dist: Files) -> None:
    archive = zipfile.ZipFile(io.BytesIO(zipped(packaged(dist))))
    assert {it.external_attr >> 16 for it in archive.infolist()} == {0o100644}


def test_files_of_two_packages_differ_in_their_time(dist: Files) -> None:
    """Web servers make the ETag of time and size; the size of index.html stays the same."""
    archive = zipfile.ZipFile(io.BytesIO(zipped(packaged(dist), (2026, 12, 2, 7, 0, 2))))
    assert {it.date_time for it in archive.infolist()} == {(2026, 12, 2, 7, 0, 2)}


def test_the_documents_name_the_type_of_every_file(dist: Files) -> None:
    table = (ROOT / "docs" / "hosting.md").read_text("utf-8").split("## nginx")[0]
    unnamed = [n for n in dist if f".{n.rpartition('.')[2]}" not in table]
    assert unnamed == []


def test_files_with_a_fixed_name_lead_to_this_build(dist: Files) -> None:
    for name in ("boot.js", "pyscript/core.js"):
        [address] = re.findall(r'"([^"]+)"', dist[name].decode())
        assert posixpath.normpath(f"{posixpath.dirname(name)}/{address}".lstrip("/")) in dist


def test_the_worker_stores_all_of_this_build_but_the_snapshot(dist: Files) -> None:
    inside = {name for name in dist if IN_FOLDER.match(name)}
    [folder] = {name.split("/")[0] for name in inside}
    script = dist["sw.js"].decode()
    [listed] = re.findall(r"\[[^\[\]]*page\.bin[^\[\]]*\]", script)
    assert folder in script
    assert {f"{folder}/{name}" for name in json.loads(listed)} | {f"{folder}/snapshot.gz"} == inside


def test_no_address_in_the_page_is_absolute(files: Files) -> None:
    addresses = re.findall(
        r'<(?:script|link|img)[^>]+(?:src|href)="([^"]+)"', files["index.html"].decode()
    )
    assert [a for a in addresses if re.match(r"/|\w+:", a) and not a.startswith("data:")] == []


def test_scripts_are_named_so_that_every_host_sends_the_right_type(files: Files) -> None:
    assert [name for name in files if name.endswith((".mjs", ".cjs", ".map"))] == []


def test_the_bundles_hold_each_module_once_and_as_bytecode(files: Files) -> None:
    held = [name for bundle in BUNDLES for name, _ in unpacked(files[bundle])]
    assert len(held) == len(set(held))
    assert [name for name in held if name.endswith(".py")] == []
    page_holds = {name for name, _ in unpacked(files["page.bin"])}
    assert {"site-packages/tabloop/main.pyc", "site-packages/tabloop/locales/en.json"} <= page_holds
    assert "site-packages/tabloop/browser/chat.pyc" not in page_holds  # the snapshot has it
    # data that only a late module reads comes with it
    late = {name for name, _ in unpacked(files["late.bin"])}
    assert {"site-packages/tabloop/searching/words.json", "http/client.pyc"} <= late


def test_what_comes_over_the_wire_before_the_page_is_ready_stays_small(files: Files) -> None:
    """Of a host that compresses the usual types, gzip level 6."""
    html = files["index.html"].decode()
    preloaded = set(re.findall(r'(?:src|href)="\./\S+?/([^"?#]+\.(?:js|css|wasm|bin))"', html))
    always = preloaded | {"index.html", *page.RUNTIME.values()}
    sent = sum(
        len(files[name] if name.endswith(".bin") else gzip.compress(files[name], 6))
        for name in always
    )
    assert sent + len(files["snapshot.gz"]) <= 10_500_000
    assert sent + len(files["start.bin"]) <= 7_800_000


# megabytes before the page is ready: from files, from the snapshot
BUDGETS = {
    "compresses nothing": (18.8, 21.8),
    "gzip for the usual types of text": (17.5, 20.5),
    "gzip for all files": (7.8, 10.5),
    "sends the `.br` files": (6.8, 9.0),
}


def test_each_kind_of_host_sends_little_and_the_documents_say_how_much(dist: Files) -> None:
    whole = dist | compressed(dist)
    said = (ROOT / "docs" / "hosting.md").read_text("utf-8")
    assert hosts.HOSTS.keys() == BUDGETS.keys()
    sizes = list[float]()
    for host, budgets in BUDGETS.items():
        [row] = re.findall(rf"^\| {re.escape(host)} \| ([\d.]+) MB \| ([\d.]+) MB \|$", said, re.M)
        for way, budget, documented in zip(hosts.WAYS, budgets, row, strict=True):
            size = hosts.sent(whole, host, way) / 1e6
            assert size <= budget, (host, way)
            assert abs(size - float(documented)) <= 0.3, (host, way, size)
            sizes.append(size)
    readme = (ROOT / "README.md").read_text("utf-8")
    assert f"loads {min(sizes):.0f} to {max(sizes):.0f} MB" in readme
    assert len(dist["embed.js"]) <= 3_072  # every page of an owner's site loads it


def test_compressed_files_are_only_of_what_never_changes_and_not_in_a_package(dist: Files) -> None:
    made = compressed(dist)
    originals = {name.rpartition(".")[0] for name in made}
    assert {name.split("/")[0] for name in originals} == {
        name.split("/")[0] for name in dist if IN_FOLDER.match(name)
    }
    for name, data in made.items():
        if name.endswith(".gz"):
            assert gzip.decompress(data) == dist[name.removesuffix(".gz")]
        assert len(data) < len(dist[name.rpartition(".")[0]])
    assert without_compressed(dist | made) == dist


def test_a_file_that_is_compressed_again_has_the_same_bytes(
    dist: Files, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = {name: data for name, data in dist.items() if name.endswith("/boot.js")}
    made = compressed(files)
    monkeypatch.setattr(environment, "CACHE", tmp_path)
    assert len(made) == len(ENDINGS)
    assert compressed(files) == made


def test_a_module_that_the_start_imports_and_the_list_lacks_is_named(
    files: Files,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    facts = scripts.pinned()
    names = [name for name in bundles.frozen_modules() if name != "tabloop.core.money"]
    monkeypatch.setattr(environment, "CACHE", tmp_path)
    snapshot.snapshot(files, {**facts, "START_MODULES": names})
    assert "start_modules.txt does not name: tabloop.core.money\n" in capsys.readouterr().out


def test_licences_hold_the_texts_of_all_that_is_shipped(files: Files) -> None:
    text = files["licences.txt"].decode()
    for words in (
        "Mozilla Public License Version 2.0",
        "Apache License",
        "PYTHON SOFTWARE FOUNDATION LICENSE VERSION 2",
        "The MIT License",
    ):
        assert words.lower() in text.lower()
    for package in (
        "@pyscript/core",
        "pyodide",
        "marked",
        "dompurify",
        "pydantic",
        "annotated-types",
    ):
        assert re.search(rf"^{package} \d", text, re.MULTILINE), package


def test_the_list_of_parts_agrees_with_the_locks_and_with_the_licences(files: Files) -> None:
    listed = json.loads(files["sbom.cdx.json"])
    text = files["licences.txt"].decode()
    assert not {"serialNumber", "timestamp"} & {*listed, *listed["metadata"]}
    lock = json.loads(environment.NPM_LOCK.read_bytes())["packages"]
    in_lock = {
        (place.rpartition("node_modules/")[2], entry["version"]): base64.b64decode(
            entry["integrity"].removeprefix("sha512-")
        ).hex()
        for place, entry in lock.items()
        if place and entry["integrity"].startswith("sha512-")
    }
    pins = dict(
        re.findall(
            r"^(\S+==\S+) .*\n.*sha256:(\w+)", (environment.LOCKS / "page.lock").read_text(), re.M
        )
    )
    wheels = {}
    for part in listed["components"]:
        [content] = [one["content"] for one in part["hashes"]]
        name, version = part["name"], part["version"]
        assert f"\n{name} {version}\n" in text
        assert part["licenses"][0]["expression"] in text
        if part["purl"].startswith("pkg:npm/"):
            assert in_lock[name, version] == content
        else:
            wheels[f"{name}=={version}"] = content
    assert wheels == pins
    [core] = [part for part in listed["components"] if part["name"] == "pydantic-core"]
    crates = {(crate["name"], crate["version"]) for crate in core["components"]}
    assert {name for name, _ in crates} >= {"jiter", "pyo3", "regex", "serde_json", "url"}
    assert all(f"{name} {version}: " in text for name, version in crates)


def test_what_ships_is_listed_and_what_does_not_is_not(files: Files) -> None:
    names = {part["name"] for part in json.loads(files["sbom.cdx.json"])["components"]}
    assert {"@pyscript/core", "polyscript", "coincident", "pyodide", "viem", "marked"} <= names
    assert not {"esbuild", "typescript", "ws", "isows", "@scure/bip39", "@types/emscripten"} & names
    of_pyscript = {name for name in files if name.startswith("pyscript/")}
    assert [name for name in of_pyscript if re.search(r"codemirror|xterm|editor|mpy", name)] == []


@pytest.mark.parametrize(
    ("report", "line", "counted"),
    [
        ('{"vulnerabilities": {}}', "npm: no advisory for any package in the lock.", False),
        ('{"vulnerabilities": {"x": {"severity": "high"}}}', "npm: x: high", True),
        ('{"message": "405 Method Not Allowed"}', "(status 405); nothing is known", False),
        ("", "(no report); nothing is known", False),
        ("[]", "(no report); nothing is known", False),
    ],
)
def test_an_audit_without_an_answer_is_not_a_clean_one(
    report: str, line: str, counted: bool
) -> None:
    [(said, is_advisory)] = audit.npm_lines(report)
    assert line in said
    assert is_advisory is counted


def test_an_advisory_about_a_wheel_is_named() -> None:
    part = Part("pypi", "x", "1", "MIT", {})
    unknown = audit.NO_ANSWER.format("x 1", "no list of advisories")
    answers = (b'{"vulnerabilities": [{"id": "A-1"}]}', b'{"vulnerabilities": []}', b"<html>")
    assert [list(audit.wheel_lines(part, answer)) for answer in answers] == [
        [("x 1: A-1", True)],
        [("x 1: no advisory.", False)],
        [(unknown, False)],
    ]


def test_no_lock_or_file_in_dist_says_where_a_package_was_loaded_from(files: Files) -> None:
    locks = {path.name: path.read_bytes() for path in environment.LOCKS.iterdir()}
    locks["package-lock.json"] = environment.NPM_LOCK.read_bytes()
    others = ("pyscript/", "pyodide/", "start.bin", "late.bin", "snapshot.gz")
    ours = {name: data for name, data in files.items() if not name.startswith(others)}
    # compressed bytes can contain any short word by chance
    ours["page.bin"] = gzip.decompress(ours["page.bin"])
    package = re.compile(
        rb"https?://[^\s\"']+\.(whl|tgz|tar\.gz)\b|\"resolved\"|--(extra-)?index-url"
    )
    assert [name for name, data in (locks | ours).items() if package.search(data)] == []


def test_every_pinned_artefact_has_a_hash() -> None:
    packages = json.loads(environment.NPM_LOCK.read_bytes())["packages"]
    assert [
        place for place, entry in packages.items() if place and not entry.get("integrity")
    ] == []
    for lock in environment.LOCKS.glob("*.lock"):
        pins = re.split(r"\n(?=\S)", lock.read_text())
        assert [pin for pin in pins if "==" not in pin or "--hash=sha256:" not in pin] == []


def test_a_page_without_its_marker_is_refused(
    files: Files, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    html = (ROOT / "index.html").read_text("utf-8")
    (tmp_path / "index.html").write_text(html.replace("<!-- build:scripts -->", ""), "utf-8")
    shutil.copy(ROOT / "pyscript.toml", tmp_path)
    monkeypatch.setattr(page, "ROOT", tmp_path)
    with pytest.raises(environment.BuildError, match="build:scripts"):
        page.page(files, "build-0")


def test_a_failing_step_is_named_with_its_remedy(capsys: pytest.CaptureFixture[str]) -> None:
    def fails() -> None:
        environment.run(sys.executable, "-c", "raise SystemExit('the disk is full')")

    assert build.run_steps((build.Step("npm packages", fails, "Buy a disk."),)) == 1
    told = capsys.readouterr().err
    assert "step 'npm packages' failed" in told
    assert "the disk is full" in told
    assert told.endswith("What to do: Buy a disk.\n")
    assert "Traceback" not in told


def test_an_unknown_command_prints_the_commands_that_exist(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert build.main(["bild"]) == 2
    assert "build.py serve" in capsys.readouterr().err


def test_an_unknown_engine_is_named_and_installs_nothing() -> None:
    with pytest.raises(environment.BuildError, match="no engine chrome: chromium, firefox, webkit"):
        build.run_engines(["chromium", "chrome"])


def test_a_cache_that_cannot_be_made_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setattr(build, "CACHE", tmp_path / "file")
    assert build.run_steps(build.BUILD) == 1
    assert "let this folder be written to" in capsys.readouterr().err


def test_an_interrupted_virtual_environment_is_made_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*_command: object) -> str:
        (tmp_path / "venv" / "bin").mkdir(parents=True)
        raise KeyboardInterrupt

    monkeypatch.setattr(environment, "VENV", tmp_path / "venv")
    monkeypatch.setattr(environment, "PYTHON", tmp_path / "venv" / "bin" / "python")
    monkeypatch.setattr(environment, "run", interrupted)
    with pytest.raises(KeyboardInterrupt):
        environment.make_venv()
    assert not (tmp_path / "venv").exists()


@pytest.mark.skipif("TABLOOP_THOROUGH" in os.environ, reason="the fresh copy shows it too")
def test_a_second_build_has_the_same_bytes(
    dist: Files, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    wheels = environment.page_wheels()
    monkeypatch.setattr(environment, "page_wheels", lambda: wheels)
    monkeypatch.setattr(environment, "CACHE", tmp_path)
    made = page.assemble()
    assert made.keys() == dist.keys()
    assert [name for name in dist if made[name] != dist[name]] == []


@pytest.mark.skipif("TABLOOP_THOROUGH" not in os.environ, reason="a minute: set TABLOOP_THOROUGH")
def test_a_fresh_copy_elsewhere_builds_the_same_bytes(dist: Files, tmp_path: Path) -> None:
    """All of it, packages installed anew, in another folder.

    The downloads are shared, and of the compressed files those of unchanged content.
    """
    leave = shutil.ignore_patterns(".git", ".venv", ".cache", "dist", "node_modules", "__pycache__")
    copy = shutil.copytree(ROOT, tmp_path / "elsewhere", ignore=leave)
    whole = dist | compressed(dist)
    for name in ("npm", "compressed"):
        if (environment.CACHE / name).is_dir():
            shutil.copytree(environment.CACHE / name, copy / ".cache" / name)
    subprocess.run([sys.executable, "build.py"], cwd=copy, check=True, timeout=600)
    made = bundles.contents(copy / "dist", copy / "dist")
    assert made.keys() == whole.keys()
    assert [name for name in whole if made[name] != whole[name]] == []


IMPORT_ALL = """\
import { loadPyodide } from 'pyodide';
const [folder, modules] = process.argv.slice(1);
const python = await loadPyodide();
python.FS.mkdirTree('/shipped');
python.FS.mount(python.FS.filesystems.NODEFS, { root: folder }, '/shipped');
console.log(python.runPython(`
import importlib, json, sys, traceback
sys.path[:] = ['/shipped', '/shipped/site-packages']
sys.path_importer_cache.clear()
def attempt(name):
    try:
        importlib.import_module(name)
    except BaseException as error:
        return repr(error)
json.dumps({name: said for name in json.loads('${modules}') if (said := attempt(name))})`));
process.exit(0);
"""


def test_every_imported_module_exists_in_pyodide(files: Files, tmp_path: Path) -> None:
    """From the shipped bundles, so that what NOT_IN_STDLIB names is missed here or by nobody."""
    shipped = {name: data for bundle in BUNDLES for name, data in unpacked(files[bundle])}
    content = shipped | {bundles.SITE + bundles.extension()[0]: files[page.EXTENSION_FILE]}
    for name, data in content.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)

    wheels = bundles.wheel_sources()
    lazy = {name for name in imports(wheels) if name in sys.stdlib_module_names}
    ours = {name for name in imports(bundles.app_sources()) if name.split(".")[0] not in IN_A_PAGE}
    in_site = (name.removeprefix(bundles.SITE) for name in content if name.startswith(bundles.SITE))
    all_modules = {module_name(name) for name in in_site if name.endswith(".pyc")}
    wanted = sorted(m for m in all_modules | lazy | ours if not NOT_IMPORTED.match(m))
    assert {"tabloop.agent.loop", "pydantic.main"} <= set(wanted)

    command = [environment.node()[0], "--input-type=module", "-e", IMPORT_ALL, str(tmp_path)]
    said = environment.run(*command, json.dumps(wanted), cwd=environment.JS)
    assert json.loads(said.splitlines()[-1]) == {}


def test_other_parts_of_pyodides_package_loader_come_from_its_own_file(
    files: Files, monkeypatch: pytest.MonkeyPatch
) -> None:
    late = {name for name, _ in unpacked(files["late.bin"])}
    assert {"pyodide/_whole_package_loader.pyc", "zipfile/__init__.pyc"} <= late
    whole = SimpleNamespace(unpack_buffer="that of Pyodide")
    monkeypatch.setitem(sys.modules, "pyodide._whole_package_loader", whole)
    monkeypatch.setitem(sys.modules, "pyodide_js", SimpleNamespace(loadedPackages=None))
    loader = importlib.import_module("app.build.replaced.pyodide_package_loader")
    assert loader.unpack_buffer == "that of Pyodide"
    with pytest.raises(AttributeError):
        _ = loader.no_such_name
