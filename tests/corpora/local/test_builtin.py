"""The texts of the Python that runs."""

import sys
from collections import Counter
from pathlib import Path

import pytest

import corpora
from corpora import CorpusError
from corpora.local import builtin


def families() -> Counter[str]:
    return Counter(d.id.partition("/")[0] for d in corpora.load("builtin"))


def test_every_family_is_there() -> None:
    counts = families()
    assert set(counts) == {"code", "prose", "legal"}
    assert counts["code"] == len(builtin.MODULES)


def test_size_suits_a_quick_run() -> None:
    lengths = {d.id: len(d.text) for d in corpora.load("builtin")}
    assert 1_000_000 < sum(lengths.values()) < 2_000_000
    assert all(lengths.values())


def test_code_is_the_files_bytes() -> None:
    import dataclasses

    texts = {d.id: d.text for d in corpora.load("builtin")}
    assert texts["code/dataclasses.py"].encode() == Path(dataclasses.__file__).read_bytes()


def test_legal_text_remains_where_the_licence_file_is_missing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(builtin.sysconfig, "get_path", lambda _: str(tmp_path / "lib"))
    legal = {d.id: d.text for d in corpora.load("builtin") if d.id.startswith("legal/")}
    assert legal == {"legal/copyright": sys.copyright}


def test_python_without_sources(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(builtin.importlib.util, "find_spec", lambda _: None)
    with pytest.raises(CorpusError, match="builtin has no code"):
        families()


def test_python_without_help_topics(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pydoc_data.topics", None)
    with pytest.raises(CorpusError, match="builtin has no prose"):
        families()
