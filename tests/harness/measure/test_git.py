"""git is asked, and nothing of the repository runs or changes."""

import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path, PurePosixPath

import pytest

from corpora import RequestError
from harness.measure.git import GitError, Repository, describe_commit
from tests.harness.compare import versions
from tests.harness.compare.versions import read_all

Made = versions.Repository


pytestmark = pytest.mark.usefixtures("plain_git")


@pytest.fixture
def made(tmp_path: Path) -> Made:
    """A repository with one commit of a package."""
    folder = tmp_path / "made"
    folder.mkdir()
    made = Made(folder)
    made.commit("first\n", "first")
    return made


def export(made: Made, path: str, into: Path, revision: str = "HEAD") -> None:
    repository = Repository.find(made.folder)
    with repository.open_commit(repository.find_commit(revision)) as snapshot:
        entry = snapshot.find(PurePosixPath(path))
        assert entry is not None
        snapshot.export(entry, into)


def describe(place: Path) -> tuple[str, bool]:
    described = describe_commit(place.parent, place)
    assert described.error == ""
    return described.commit, described.dirty


def commit_all(made: Made) -> None:
    made.git("add", "--all")
    made.git("commit", "--quiet", "--message", "more")


def test_a_folder_is_written_as_git_stores_it(made: Made, tmp_path: Path) -> None:
    """Whatever filters its attributes ask for: one fails, one would change line ends."""
    made.write("*.bin filter=absent\n*.py text eol=crlf ident\n", ".gitattributes")
    (made.folder / "segmenter" / "a b\n\udce9.bin").write_bytes(b"\x00\r\n\xff$Id$")
    made.write("$Id$\none\r\n", "segmenter/deep/er/x.py")
    commit_all(made)
    made.git("config", "filter.absent.smudge", "false")
    made.git("config", "filter.absent.required", "true")
    export(made, "segmenter", tmp_path / "out")
    assert {
        str(path.relative_to(tmp_path)): path.read_bytes()
        for path in (tmp_path / "out").rglob("*")
        if path.is_file()
    } == {
        "out/__init__.py": b"first\n",
        "out/a b\n\udce9.bin": b"\x00\r\n\xff$Id$",
        "out/deep/er/x.py": b"$Id$\none\n",
    }


def test_a_repository_of_sha256_is_read(tmp_path: Path) -> None:
    folder = tmp_path / "made"
    folder.mkdir()
    made = Made(folder, "--object-format=sha256")
    made.commit("first\n", "first")
    export(made, "segmenter", tmp_path / "out")
    assert (tmp_path / "out" / "__init__.py").read_text() == "first\n"
    commit, dirty = describe(folder / "segmenter")
    assert (len(commit), dirty) == (64, False)


def test_links_are_followed_within_the_repository(made: Made, tmp_path: Path) -> None:
    made.write("shared\n", "lib/shared.py")
    folder = made.folder / "segmenter"
    for name, target in {
        "file.py": "../lib/shared.py",
        "folder": "../lib",
        "again": "folder",
        "up": "..",
        "itself": "itself",
        "outside": "../../secret",
        "absolute": str(tmp_path),
        "nowhere": "nothing",
    }.items():
        (folder / name).symlink_to(target)
    (made.folder / "link").symlink_to("segmenter")
    (tmp_path / "secret").write_text("secret")
    commit_all(made)
    export(made, "link", tmp_path / "out")
    found = {str(path.relative_to(tmp_path / "out")) for path in (tmp_path / "out").rglob("*")}
    assert found == {
        *("__init__.py", "file.py", "folder", "folder/shared.py", "again", "again/shared.py"),
    } | {name for name in found if name.startswith("up/") or name == "up"}
    assert (tmp_path / "out" / "file.py").read_text() == "shared\n"
    assert not any(path.is_symlink() for path in (tmp_path / "out").rglob("*"))
    assert describe(folder) == (made.git("rev-parse", "HEAD").strip(), False)


def write_object(made: Made, kind: str, content: bytes) -> bytes:
    """Write an object that git itself would not."""
    process = subprocess.run(
        ["git", "hash-object", "-t", kind, "--literally", "-w", "--stdin"],
        cwd=made.folder,
        input=content,
        capture_output=True,
        check=True,
    )
    return bytes.fromhex(process.stdout.decode().strip())


@pytest.mark.parametrize(
    "entries",
    [
        [(b"100644", b"..")],
        [(b"100644", b".")],
        [(b"100644", b"a/../../evil")],
        [(b"120000", b"a"), (b"100644", b"a")],
        [(b"100644", b"a"), (b"100644", b"a")],
    ],
)
def test_a_hostile_tree_writes_nothing_outside(
    entries: list[tuple[bytes, bytes]], made: Made, tmp_path: Path
) -> None:
    blob = write_object(made, "blob", b"../evil")
    tree = write_object(
        made, "tree", b"".join(mode + b" " + name + b"\0" + blob for mode, name in entries)
    )
    top = write_object(made, "tree", b"40000 segmenter\0" + tree)
    commit = made.git("commit-tree", "-m", "hostile", top.hex()).strip()
    place = tmp_path / "place"
    place.mkdir()
    try:
        export(made, "segmenter", place / "out", commit)
    except GitError:
        assert not {path.name for path in tmp_path.rglob("evil")}
    else:  # what has the name twice was left out or written once
        assert [path.name for path in (place / "out").rglob("*")] in ([], ["a"])
    assert not list(tmp_path.rglob("evil"))
    assert list(place.iterdir()) == [place / "out"]


def add_programs(made: Made, marks: Path) -> None:
    """Every program that a repository can make git start, each of which leaves a mark."""
    marks.mkdir()

    def program(name: str) -> str:
        path = marks.parent / f"run-{name}"
        path.write_text(f"#!/bin/sh\ntouch '{marks}/{name}'\ncat\n")
        path.chmod(0o755)
        return str(path)

    for name in ("core.fsmonitor", "core.pager", "core.editor", "core.sshCommand", "diff.external"):
        made.git("config", name, program(name))
    for name in ("clean", "smudge", "process"):
        made.git("config", f"filter.a=b.{name}", program(name))
        made.git("config", f"filter.own.{name}", program(name))
    for name in ("command", "textconv"):
        made.git("config", f"diff.own.{name}", program(name))
    for name in ("rev-parse", "cat-file", "ls-tree"):
        made.git("config", f"alias.{name}", "!" + program(f"alias-{name}"))
    hooks = marks.parent / "hooks"
    hooks.mkdir()
    for name in ("post-checkout", "post-index-change", "reference-transaction"):
        shutil.copy(program(name), hooks / name)
    made.git("config", "core.hooksPath", str(hooks))
    made.write("* filter=own diff=own\n", ".gitattributes")


def test_nothing_of_the_repository_runs_or_changes(made: Made, tmp_path: Path) -> None:
    marks = tmp_path / "marks"
    add_programs(made, marks)
    made.write("changed\n")
    os.utime(made.folder / "segmenter" / "__init__.py", (1, 1))
    before = read_all(made.folder)
    commit, dirty = describe(made.folder / "segmenter")
    assert dirty
    repository = Repository.find(made.folder)
    assert repository.find_commit("first") == commit
    assert not repository.is_shallow()
    assert repository.list_sources(commit) == [PurePosixPath("segmenter/__init__.py")]
    export(made, "segmenter", tmp_path / "out")
    assert (tmp_path / "out" / "__init__.py").read_text() == "first\n"
    assert list(marks.iterdir()) == []
    assert read_all(made.folder) == before
    made.git("-c", "core.fsmonitor=", "diff", "--stat")  # they would run
    assert list(marks.iterdir())


def test_a_git_beside_the_files_is_not_run(
    made: Made, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (made.folder / "git").write_text(f"#!/bin/sh\ntouch '{tmp_path}/mark'\n")
    (made.folder / "git").chmod(0o755)
    git = shutil.which("git")
    assert git is not None
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", os.pathsep.join([".", "", str(Path(git).parent)]))
    assert describe(made.folder / "segmenter")[0]
    assert not (tmp_path / "mark").exists()


def no_change(made: Made) -> None:
    (made.folder / "segmenter" / "__init__.py").touch()


def line_ends(made: Made) -> None:
    (made.folder / "segmenter" / "__init__.py").write_bytes(b"first\r\n")


def another_file(made: Made) -> None:
    made.write("changed\n", "README")
    made.write("notes\n", "segmenter/notes.txt")


def unseen(made: Made) -> None:
    made.git("update-index", "--assume-unchanged", "segmenter/__init__.py")
    made.write("changed\n")


def new_module(made: Made) -> None:
    made.write("", "segmenter/new.py")


def new_package(made: Made) -> None:
    made.write("", "segmenter/new/__init__.py")


def gone(made: Made) -> None:
    (made.folder / "segmenter" / "__init__.py").unlink()


def pipe(made: Made) -> None:
    gone(made)
    os.mkfifo(made.folder / "segmenter" / "__init__.py")


@pytest.mark.parametrize(
    ("change", "dirty"),
    [
        (no_change, False),
        (line_ends, False),
        (another_file, False),
        (unseen, True),
        (new_module, True),
        (new_package, True),
        (gone, True),
        (pipe, True),
    ],
)
def test_what_was_measured_decides_whether_it_is_the_commit(
    change: Callable[[Made], None], dirty: bool, made: Made
) -> None:
    commit = made.git("rev-parse", "HEAD").strip()
    change(made)
    assert describe(made.folder / "segmenter") == (commit, dirty)


def test_a_repository_around_a_folder_that_it_does_not_track_is_none(made: Made) -> None:
    made.write("x\n", "temporary/segmenter/__init__.py")
    assert describe(made.folder / "temporary" / "segmenter") == ("", False)


def test_where_there_is_no_commit_none_is_given(
    made: Made, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "empty").mkdir()
    assert describe(tmp_path / "empty" / "segmenter") == ("", False)
    Made(tmp_path / "empty")
    assert git_error(tmp_path / "empty" / "segmenter") == "Needed a single revision"
    bare = tmp_path / "bare"
    made.git("clone", "--quiet", "--bare", ".", str(bare))
    assert describe(bare / "segmenter") == ("", False)
    monkeypatch.setenv("PATH", "")
    assert git_error(made.folder / "segmenter") == "git is not installed, or not on PATH"
    assert describe(tmp_path / "segmenter") == ("", False)


def test_a_commit_that_git_does_not_tell_is_not_taken_for_none(
    made: Made, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where the repository is another's, a run from a checkout was recorded as from none."""
    monkeypatch.setenv("GIT_TEST_ASSUME_DIFFERENT_OWNER", "1")
    assert git_error(made.folder / "segmenter").startswith("detected dubious ownership")


def git_error(place: Path) -> str:
    described = describe_commit(place.parent, place)
    assert (described.commit, described.dirty) == ("", False)
    return described.error


def test_a_revision_is_one_commit(made: Made) -> None:
    made.git("tag", "--annotate", "--message", "x", "annotated")
    made.git("checkout", "--quiet", "--detach")
    repository = Repository.find(made.folder / "segmenter")
    commit = made.git("rev-parse", "HEAD").strip()
    for name in ("HEAD", "annotated", "first", "main", "@", commit, commit[:9], ":/first"):
        assert repository.find_commit(name) == commit
    for name in ("HEAD^{tree}", "HEAD:segmenter", "HEAD:segmenter/__init__.py"):
        with pytest.raises(RequestError, match="not a commit"):
            repository.find_commit(name)
    for name in ("nowhere", "HEAD~1", commit.translate({ord("0") + n: "a" for n in range(10)})):
        with pytest.raises(GitError, match="Needed a single revision"):
            repository.find_commit(name)


def test_a_name_that_could_be_several_commits_names_none(made: Made) -> None:
    """Git would take one of them: the tag, or the branch."""
    first = made.git("rev-parse", "HEAD").strip()
    made.git("branch", "both")
    made.git("branch", first[:9])
    made.commit("second\n", "second")
    second = made.git("rev-parse", "HEAD").strip()
    made.git("tag", "both")
    made.git("update-ref", "refs/heads/HEAD", first)  # nobody means that one
    made.git("update-ref", f"refs/heads/{first[:8]}", second)
    made.git("config", "core.warnAmbiguousRefs", "false")
    repository = Repository.find(made.folder)
    for name in ("both", "both~0", first[:8], first[:9]):
        with pytest.raises(RequestError, match=r"is ambiguous, .*; name it in full"):
            repository.find_commit(name)
    for name in ("refs/heads/both", "heads/both", first, "HEAD~1"):
        assert repository.find_commit(name) == first
    assert repository.find_commit("tags/both") == second


def test_an_object_that_a_partial_clone_lacks_is_not_fetched(made: Made, tmp_path: Path) -> None:
    made.commit("second\n", "second")
    made.git("config", "uploadpack.allowFilter", "true")
    partial = tmp_path / "partial"
    made.git("clone", "--quiet", "--filter=blob:none", f"file://{made.folder}", str(partial))
    here = Made.__new__(Made)
    here.folder = partial
    before = read_all(partial)
    with pytest.raises(GitError, match="not in this clone, which is a partial one; fetch it first"):
        export(here, "segmenter", tmp_path / "out", "first")
    assert read_all(partial) == before
    here.git("archive", f"--output={os.devnull}", "first", "segmenter")  # as the message says
    export(here, "segmenter", tmp_path / "then", "first")
    assert (tmp_path / "then" / "__init__.py").read_text() == "first\n"


def test_objects_of_another_repository_are_found(made: Made, tmp_path: Path) -> None:
    shared = tmp_path / "shared"
    made.git("clone", "--quiet", "--shared", ".", str(shared))
    here = Made.__new__(Made)
    here.folder = shared
    export(here, "segmenter", tmp_path / "out")
    assert (tmp_path / "out" / "__init__.py").read_text() == "first\n"


def test_a_commit_that_is_replaced_here_is_the_one_that_others_have(
    made: Made, tmp_path: Path
) -> None:
    made.commit("second\n", "second")
    made.git("replace", "second", "first")
    assert made.git("show", "second:segmenter/__init__.py") == "first\n"
    export(made, "segmenter", tmp_path / "out", "second")
    assert (tmp_path / "out" / "__init__.py").read_text() == "second\n"


def test_what_is_not_in_the_work_tree_is_read(made: Made, tmp_path: Path) -> None:
    made.write("x\n", "other/file")
    commit_all(made)
    made.git("sparse-checkout", "set", "other")
    assert not (made.folder / "segmenter").exists()
    export(made, "segmenter", tmp_path / "out")
    assert (tmp_path / "out" / "__init__.py").read_text() == "first\n"


@pytest.mark.parametrize(
    ("count", "allowed"),
    [("1", True), ("999999999", True), ("0", False), ("-1", False), ("9" * 5_000, False)],
)
def test_the_folder_of_another_owner_is_refused_in_the_words_of_git(
    count: str, allowed: bool, made: Made, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Unless the variables allow it, as containers in CI do."""
    monkeypatch.setenv("GIT_TEST_ASSUME_DIFFERENT_OWNER", "1")
    monkeypatch.setenv("GIT_CONFIG_COUNT", count)
    monkeypatch.setenv("GIT_CONFIG_KEY_0", "safe.directory")
    monkeypatch.setenv("GIT_CONFIG_VALUE_0", str(made.folder))
    if allowed:
        assert Repository.find(made.folder).top == made.folder
        return
    with pytest.raises(GitError) as caught:
        Repository.find(made.folder)
    assert str(caught.value) == (
        f"detected dubious ownership in repository at '{made.folder}'; "
        f"allow it with git config --global --add safe.directory {made.folder}"
    )


def test_a_folder_with_a_line_end_in_its_name(tmp_path: Path) -> None:
    folder = tmp_path / "a\nb \n"
    folder.mkdir()
    made = Made(folder)
    made.commit("first\n", "first")
    assert Repository.find(folder).top == folder
    assert describe(folder / "segmenter")[0]
