"""Which files of a version are measured, and what is said of one that is not there."""

import os
from pathlib import Path

import pytest
from click.testing import Result

from harness.compare.checkouts import SegmenterLocation, open_checkout
from tests.harness.compare.versions import NEEDLESS, SPLITTER, Compare, Repository, read_all

PASSING = """
class TextSegmenter:
    def __init__(self, limit):
        self.limit = limit

    def split(self, text):
        return HELP(text, self.limit)
"""
HELP = "def HELP(text, limit): return [text[at:at + limit] for at in range(0, len(text), limit)]\n"


def error_line(result: Result) -> str:
    assert result.exit_code == 3, result.output
    (line,) = result.stderr.splitlines()
    return line


def commit(repository: Repository, tag: str) -> None:
    repository.git("add", "--all")
    repository.git("commit", "--quiet", "--message", tag)
    repository.git("tag", tag)


def at(folder: Path) -> Repository:
    made = Repository.__new__(Repository)
    made.folder = folder
    return made


@pytest.fixture
def installed(repository: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder from which every Python that is started here imports as well."""
    folder = tmp_path / "site"
    folder.mkdir()
    # The sides are started without PYTHONPATH, so this stands in for an installation.
    import harness.compare.sides as sides

    clean = sides.clean_variables
    monkeypatch.setattr(
        sides, "clean_variables", lambda seed: {**clean(seed), "PYTHONPATH": str(folder)}
    )
    monkeypatch.syspath_prepend(folder)
    return folder


# What git says


@pytest.mark.parametrize("base", ["HEAD~1", "plain"])
def test_a_shallow_history_can_be_deepened(
    base: str,
    repository: Repository,
    compare: Compare,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    repository.commit(SPLITTER + "\n", "later")
    clone = tmp_path / "clone"
    repository.git(
        "clone", "--quiet", "--depth=1", "--no-tags", f"file://{repository.folder}", str(clone)
    )
    monkeypatch.chdir(clone)
    line = error_line(compare("--base", base))
    assert f"{base!r} is neither a folder nor a revision that git finds" in line
    assert "the history here is shallow: git fetch --unshallow" in line
    at(clone).git("fetch", "--quiet", "--unshallow", "--tags")
    with open_checkout(base, SegmenterLocation.parse("segmenter")) as found:
        assert found.commit == repository.git("rev-parse", "plain").strip()


def test_the_folder_of_another_owner_can_be_allowed(
    repository: Repository, compare: Compare, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GIT_TEST_ASSUME_DIFFERENT_OWNER", "1")
    line = error_line(compare("--base", "HEAD"))
    assert "detected dubious ownership in repository at" in line
    assert f"git config --global --add safe.directory {repository.folder}" in line


@pytest.mark.usefixtures("repository")
def test_where_git_is_not_it_is_said(compare: Compare, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    assert "git is not installed, or not on PATH" in error_line(compare("--base", "HEAD"))


def test_outside_of_a_repository_git_says_so(
    compare: Compare, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "elsewhere"
    (folder / "segmenter").mkdir(parents=True)
    (folder / "segmenter" / "__init__.py").write_text(SPLITTER)
    monkeypatch.chdir(folder)
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path))
    assert "not a git repository" in error_line(compare("--base", "HEAD"))


@pytest.mark.parametrize(
    ("base", "advice"),
    [
        ("origin/main", "fetch it first: git fetch origin main"),
        ("a" * 40, f"fetch it first: git fetch origin {'a' * 40}"),
        ("nowhere", "correct it, or fetch it"),
    ],
)
@pytest.mark.usefixtures("repository")
def test_a_revision_that_is_not_here_can_be_fetched(
    base: str, advice: str, compare: Compare
) -> None:
    assert advice in error_line(compare("--base", base))


def test_a_repository_without_a_commit_is_named(
    compare: Compare, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "new"
    folder.mkdir()
    Repository(folder).write(SPLITTER)
    monkeypatch.chdir(folder)
    assert "HEAD has no commit yet" in error_line(compare("--base", "HEAD"))


# What is read


def test_other_files_are_not_read(repository: Repository, compare: Compare) -> None:
    repository.write("*.bin filter=lfs\n", ".gitattributes")
    repository.write("version https://git-lfs.github.com/spec/v1\n", "data/large.bin")
    commit(repository, "with-data")
    repository.git("config", "filter.lfs.smudge", "git-lfs smudge -- %f")
    repository.git("config", "filter.lfs.process", "git-lfs filter-process")
    repository.git("config", "filter.lfs.required", "true")
    result = compare("--base", "with-data")
    assert result.exit_code == 0, result.stderr
    with open_checkout("with-data", SegmenterLocation.parse("segmenter")) as found:
        files = [path for path in found.folder.rglob("*") if path.is_file()]
        assert files == [found.folder / "segmenter" / "__init__.py"]


def add_submodule(repository: Repository, tmp_path: Path) -> Repository:
    inner = tmp_path / "inner"
    inner.mkdir()
    made = Repository(inner)
    made.commit(SPLITTER, "first")
    repository.git("submodule", "--quiet", "add", f"file://{inner}", "vendor")
    commit(repository, "vendored")
    return made


def test_a_submodule_is_entered(repository: Repository, compare: Compare, tmp_path: Path) -> None:
    add_submodule(repository, tmp_path)
    result = compare("--base", "vendored", "--segmenter", "vendor/segmenter")
    assert result.exit_code == 0, result.stderr
    with open_checkout(None, SegmenterLocation.parse("vendor/segmenter")) as here:
        assert here.commit == repository.git("rev-parse", "HEAD").strip()
    repository.write("changed\n", "vendor/segmenter/__init__.py")
    with open_checkout(None, SegmenterLocation.parse("vendor/segmenter")) as here:
        assert here.commit.endswith("-dirty")


def test_a_submodule_that_is_not_here_is_named(
    repository: Repository, compare: Compare, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    inner = add_submodule(repository, tmp_path)
    needed = inner.git("rev-parse", "HEAD").strip()
    clone = tmp_path / "clone"
    repository.git("clone", "--quiet", ".", str(clone))
    monkeypatch.chdir(clone)
    arguments = ["--base", "HEAD", "--head", "HEAD", "--segmenter", "vendor/segmenter"]
    line = error_line(compare(*arguments))
    assert f"vendor is a submodule at commit {needed}, which is not here" in line
    assert "git submodule update --init vendor" in line
    at(clone).git("submodule", "--quiet", "update", "--init", "vendor")
    with open_checkout("HEAD", SegmenterLocation.parse("vendor/segmenter")) as found:
        assert (found.folder / "vendor" / "segmenter" / "__init__.py").read_text() == SPLITTER


@pytest.mark.parametrize("path", ["a b/é.py", "a\nb/x.py", "\udce9/x.py", "a:b.py", "-x/y.py"])
def test_a_path_may_be_odd(path: str, repository: Repository) -> None:
    repository.write(SPLITTER, path)
    commit(repository, "odd")
    with open_checkout("odd", SegmenterLocation.parse(path)) as found:
        assert (found.folder / path).read_text() == SPLITTER
    with open_checkout(None, SegmenterLocation.parse(path)) as here:
        assert here.commit == found.commit


def test_a_bare_repository_has_revisions(
    repository: Repository, compare: Compare, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bare = tmp_path / "bare"
    repository.git("clone", "--quiet", "--bare", ".", str(bare))
    monkeypatch.chdir(bare)
    before = read_all(bare)
    result = compare("--base", "plain", "--head", "main")
    assert result.exit_code == 0, result.stderr
    assert read_all(bare) == before


def test_a_repository_around_the_temporary_folder_is_not_asked(
    repository: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    around = tmp_path / "around"
    around.mkdir()
    Repository(around).commit("other\n", "other")
    monkeypatch.setattr("tempfile.tempdir", str(around))
    with open_checkout("plain", SegmenterLocation.parse("segmenter")) as found:
        assert found.folder.is_relative_to(around)
        assert found.commit == repository.git("rev-parse", "plain").strip()


# Programs of a folder


def test_no_program_of_a_folder_runs(
    repository: Repository, compare: Compare, tmp_path: Path
) -> None:
    other = tmp_path / "other"
    repository.git("clone", "--quiet", ".", str(other))
    mark = tmp_path / "mark"
    program = tmp_path / "program"
    program.write_text(f"#!/bin/sh\ntouch '{mark}'\ncat\n")
    program.chmod(0o755)
    made = at(other)
    made.write("* filter=own\n", ".gitattributes")
    for name in ("core.fsmonitor", "filter.own.clean", "core.pager", "core.sshCommand"):
        made.git("config", name, str(program))
    os.utime(other / "segmenter" / "__init__.py", (1, 1))
    before = read_all(other)
    result = compare("--base", "plain", "--head", str(other))
    assert result.exit_code == 0, result.stderr
    assert not mark.exists()
    assert read_all(other) == before
    made.git("status")
    assert mark.exists()


# What is measured came from the version


def test_a_copy_that_is_installed_is_not_measured_under_both_names(
    repository: Repository, compare: Compare, installed: Path
) -> None:
    at(installed).write(SPLITTER, "ours/splitter.py")
    at(installed).write("", "ours/__init__.py")
    repository.write("from ours.splitter import TextSegmenter\n", "lib/text_segmenter.py")
    commit(repository, "vendored")
    result = compare("--base", "vendored", "--segmenter", "lib/text_segmenter.py")
    line = error_line(result)
    assert f"came from {installed}/ours/splitter.py, which is not of this version" in line
    assert "both versions would be measured with the same code" in line


@pytest.mark.parametrize("place", ["ours", "src/ours", "packages/one/src/ours"])
@pytest.mark.parametrize("lazily", [False, True])
def test_a_sibling_that_is_installed_is_refused_by_its_file(
    place: str, lazily: bool, repository: Repository, compare: Compare, installed: Path
) -> None:
    """The whole project is installed, and imports itself by its name."""
    helped = "from ours.helper import HELP"
    source = f"{helped}\n{PASSING}"
    if lazily:
        source = PASSING.replace("        return", f"        {helped}\n        return")
    for root in (repository.folder / place, installed / "ours"):
        at(root).write("", "__init__.py")
        at(root).write(HELP, "helper.py")
        at(root).write(source, "text_segmenter.py")
    commit(repository, "together")
    location = f"{place}/text_segmenter.py"
    result = compare("--base", "together", "--head", "together", "--segmenter", location)
    assert f"ours came from {installed}/ours/__init__.py, not from {place}" in error_line(result)
    assert "--segmenter FOLDER:MODULE:ATTRIBUTE" in error_line(result)
    root, _, _ = place.rpartition("ours")
    whole = f"{root.rstrip('/') or '.'}:ours.text_segmenter:TextSegmenter"
    result = compare("--base", "together", "--segmenter", whole)
    assert result.exit_code == 0, result.output


def test_a_file_of_the_repository_is_not_of_an_earlier_version(
    repository: Repository, compare: Compare
) -> None:
    repository.write(HELP, "tools/package/helper.py")
    repository.write("", "tools/package/__init__.py")
    reach = f"import sys; sys.path.append({str(repository.folder / 'tools' / 'package')!r})\n"
    repository.commit(f"{reach}from helper import HELP\n{PASSING}", "reaching")
    line = error_line(compare("--base", "reaching"))
    assert "reaching: its segmenter cannot be imported: ImportError: helper came from" in line
    assert f"{repository.folder}/tools/package/helper.py, which is not of this version" in line


def test_a_library_that_the_repository_does_not_have_may_be_imported(
    repository: Repository, compare: Compare, installed: Path
) -> None:
    """Also one that is installed into a virtual environment within the repository."""
    at(installed).write(HELP, "library.py")
    repository.write("", "examples/library/__init__.py")  # another thing of that name
    repository.commit(f"from library import HELP\n{PASSING}", "helped")
    result = compare("--base", "helped")
    assert result.exit_code == 0, result.output


def test_nothing_is_written_beside_the_sources(repository: Repository, compare: Compare) -> None:
    repository.write("", "src/ours/__init__.py")
    repository.write(HELP, "src/ours/helper.py")
    repository.write(f"from .helper import HELP\n{PASSING}", "src/ours/deep/text.py")
    repository.write(f"from ours.helper import HELP\n{PASSING}", "src/ours/deep/text.py")
    commit(repository, "deep")
    before = read_all(repository.folder)
    result = compare("--base", "deep", "--segmenter", "src:ours.deep.text:TextSegmenter")
    assert result.exit_code == 0, result.output
    assert read_all(repository.folder) == before


# Where it is


@pytest.mark.parametrize(
    ("location", "source"),
    [
        ("packages/server/src:pkg.deep.text:TextSegmenter", "from pkg.help import HELP"),
        ("packages/server/src:pkg.deep.text:TextSegmenter", "from ..help import HELP"),
        ("packages/server/src:pkg.deep.text:Holder.Inner", "import pkg.help; HELP = pkg.help.HELP"),
        ("packages/server/src/pkg:Deep", "from pkg.help import HELP"),
    ],
)
def test_a_module_deep_in_a_package_can_be_named(
    location: str, source: str, repository: Repository, compare: Compare
) -> None:
    package = "packages/server/src/pkg"
    repository.write(
        "def __getattr__(name): from .deep.text import TextSegmenter as T; return T\n",
        f"{package}/__init__.py",
    )
    repository.write(HELP, f"{package}/help.py")
    held = "class Holder:\n    Inner = TextSegmenter\n"
    repository.write(f"{source}\n{PASSING}\n{held}", f"{package}/deep/text.py")
    commit(repository, "deep")
    result = compare("--base", "deep", "--segmenter", location)
    assert result.exit_code == 0, result.output


def test_a_file_that_moved_is_named_where_it_was(repository: Repository, compare: Compare) -> None:
    repository.write(SPLITTER, "lib/text_segmenter.py")
    commit(repository, "before")
    (repository.folder / "src").mkdir()
    repository.git("mv", "lib/text_segmenter.py", "src/text_segmenter.py")
    repository.write(NEEDLESS, "src/text_segmenter.py")
    commit(repository, "moved")
    here = ["--segmenter", "src/text_segmenter.py"]
    for head in ([], ["--head", "moved"]):
        line = error_line(compare("--base", "before", *head, *here))
        assert "before has no src/text_segmenter.py, but lib/text_segmenter.py" in line
        assert "--base-segmenter" in line
    there = ["--base-segmenter", "lib/text_segmenter.py"]
    result = compare("--base", "before", *here, *there)
    assert result.exit_code == 1, result.output
    assert "Slower: " in result.stdout


@pytest.mark.parametrize(
    "location", ["src/text_segmenter.py", "fresh", "src:fresh.inner:TextSegmenter"]
)
@pytest.mark.parametrize("committed", [False, True])
def test_a_file_that_is_new_passes(
    location: str, committed: bool, repository: Repository, compare: Compare, tmp_path: Path
) -> None:
    repository.write("", "src/other.py")
    repository.write("", "tests/text_segmenter.py")  # of that name, but it stays
    commit(repository, "before")
    for path in ("src/text_segmenter.py", "fresh/__init__.py", "src/fresh/inner.py"):
        repository.write(SPLITTER, path)
    head: list[str] = []
    if committed:
        commit(repository, "added")
        head = ["--head", "added"]
    result = compare("--base", "before", *head, "--segmenter", location)
    assert result.exit_code == 0, result.output
    assert f"has {location}, before has nothing there" in result.stdout
    assert '"answer": "new"' in (tmp_path / "out" / "compare.json").read_text()


def test_a_new_file_that_fails_is_not_passed(repository: Repository, compare: Compare) -> None:
    repository.write("raise LookupError('so')\n", "src/text_segmenter.py")
    line = error_line(compare("--base", "plain", "--segmenter", "src/text_segmenter.py"))
    assert "LookupError: so" in line


def test_a_file_that_is_gone_or_nowhere_is_not_passed(
    repository: Repository, compare: Compare
) -> None:
    repository.write(SPLITTER, "lib/text_segmenter.py")
    commit(repository, "before")
    repository.git("rm", "--quiet", "lib/text_segmenter.py")
    line = error_line(compare("--base", "before", "--segmenter", "lib/text_segmenter.py"))
    assert "the working tree has no lib/text_segmenter.py" in line
    folder = ["--base", ".", "--base-segmenter", "nowhere.py"]
    assert ". has no nowhere.py" in error_line(compare(*folder))
