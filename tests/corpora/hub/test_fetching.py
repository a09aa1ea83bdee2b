"""The named corpora from the hub, its cache, and without either: the real client on a fake hub."""

import io
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import corpora
from corpora import CorpusError, Document
from tests.corpora.hub.fake_hub import FakeHub, Files, commit_of

NARRATIVEQA = "deepmind/narrativeqa"
COVID_QA = "deepset/covid_qa_deepset"
QASPER = "allenai/qasper"
LEGALBENCH = "awinml/legalbench-rag"
REVISION = {
    QASPER: "06806e4608976fc2fac0a090ac425d5b2b29caf4",
    LEGALBENCH: "2b9c248bc8179ef0908fd6ba01d50b156facd48b",
}
TEXT = "\ufeffone\r\ntwo\rthree\u2028four\x85 \u00a0\u3000"


def to_parquet(rows: list[dict[str, Any]], **options: Any) -> bytes:
    import pyarrow as pa
    import pyarrow.parquet as pq

    buffer = io.BytesIO()
    pq.write_table(pa.Table.from_pylist(rows), buffer, **options)
    return buffer.getvalue()


def narrativeqa_files() -> Files:
    return {
        f"data/{split}-00000-of-00001.parquet": to_parquet(
            [
                {"document": {"id": f"{split}{n // 3}", "text": TEXT, "kind": "k"}, "question": "q"}
                for n in range(20)
            ]
        )
        for split in ("train", "validation", "test")
    }


def covid_qa_rows() -> list[dict[str, Any]]:
    return [{"document_id": n // 2, "context": TEXT + str(n // 2)} for n in range(6)]


COVID_QA_DOCUMENTS = [Document(str(n), TEXT + str(n)) for n in range(3)]


def error_of(function: Callable[..., object], *arguments: Any, **options: Any) -> str:
    with pytest.raises(CorpusError) as caught:
        function(*arguments, **options)
    message = str(caught.value)
    assert "\n" not in message
    assert caught.value.__suppress_context__ or not caught.value.__context__
    return message


def load_and_read(name: str, **options: Any) -> list[Document]:
    return list(corpora.load(name, **{"timeout": 20, **options}))


@pytest.fixture
def offline(monkeypatch: pytest.MonkeyPatch) -> None:
    """``HF_HUB_OFFLINE=1``, which the libraries read when they are imported."""
    import datasets
    from huggingface_hub import constants

    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", True)
    monkeypatch.setattr(datasets.config, "HF_HUB_OFFLINE", True)


def test_large_corpora_are_streamed(fake_hub: FakeHub, cache: Path) -> None:
    fake_hub.add(NARRATIVEQA, narrativeqa_files())
    corpus = corpora.load("narrativeqa")
    assert commit_of(NARRATIVEQA, "main") in corpus.origin
    documents = list(corpus)
    assert [d.id for d in documents] == [
        f"{split}{n}" for split in ("train", "validation", "test") for n in range(7)
    ]
    assert {d.text for d in documents} == {TEXT}
    assert not cache.exists() or not list(cache.rglob("*.parquet"))


def test_streaming_fetches_no_other_column_and_no_further_than_asked(fake_hub: FakeHub) -> None:
    import random

    # Noise, so that nothing shrinks: 16 MB of HTML that nobody needs, and 20 kB that is needed.
    noise = random.Random(0)
    rows = [
        {
            "id": str(number),
            "document": {
                "html": noise.randbytes(2_000_000).hex()[:2_000_000],
                "tokens": {"token": ["a", "b"], "is_html": [False, True]},
            },
        }
        for number in range(16)
    ]
    content = to_parquet(rows, row_group_size=4, use_dictionary=False)
    assert len(content) > 15_000_000
    names = [f"dev/validation-0000{n}-of-00002.parquet" for n in range(2)]
    fake_hub.add(
        "google-research-datasets/natural_questions",
        {names[0]: content, names[1]: content, "default/train-00000-of-00001.parquet": b"huge"},
    )
    assert load_and_read("natural_questions", first=2) == [Document("0", "a"), Document("1", "a")]
    assert {name for name, _ in fake_hub.ranges} == {names[0]}
    fetched = 0
    for _, wanted in fake_hub.ranges:
        first, last = wanted.removeprefix("bytes=").split("-")
        fetched += min(int(last) + 1, len(content)) - int(first)
    assert fetched < 200_000, "the ends of the file, and the columns of its first rows"


def test_small_corpora_are_fetched_once(fake_hub: FakeHub) -> None:
    fake_hub.add(
        COVID_QA, {"covid_qa_deepset/train-00000-of-00001.parquet": to_parquet(covid_qa_rows())}
    )
    told: list[tuple[int, int]] = []
    corpus = corpora.load("covid_qa", progress=lambda done, total: told.append((done, total)))
    assert told
    assert told[-1][0] == told[-1][1] > 0
    assert list(corpus) == COVID_QA_DOCUMENTS
    before = len(fake_hub.requests)
    assert load_and_read("covid_qa") == COVID_QA_DOCUMENTS
    assert len(fake_hub.requests) == before, "it was in the cache"


def test_covid_qa_falls_back_to_the_converted_files(fake_hub: FakeHub) -> None:
    fake_hub.add(COVID_QA, {"covid_qa_deepset.py": b"", "README.md": b""})
    fake_hub.add(
        COVID_QA,
        {"covid_qa_deepset/train/0000.parquet": to_parquet(covid_qa_rows())},
        revision="refs/convert/parquet",
    )
    assert load_and_read("covid_qa") == COVID_QA_DOCUMENTS
    assert commit_of(COVID_QA, "refs/convert/parquet") in corpora.load("covid_qa").origin


def test_text_files_are_fetched_as_they_are(fake_hub: FakeHub) -> None:
    files = {"corpus/cuad/a,b%20é.txt": TEXT.encode(), "corpus/maud/x.txt": b"\xef\xbb\xbf\r\n"}
    fake_hub.add(LEGALBENCH, {**files, "README.md": b""}, revision=REVISION[LEGALBENCH])
    documents = load_and_read("legalbench_rag")
    assert {f"corpus/{d.id}": d.text.encode() for d in documents} == files


def test_file_of_another_host(fake_hub: FakeHub, monkeypatch: pytest.MonkeyPatch) -> None:
    pages = [{"title": "T", "contents": [TEXT, "", "x"], "url": "u"}]
    fake_hub.other["v1_0/documents.json"] = json.dumps(pages).encode()
    redirect_url(monkeypatch, f"{fake_hub.url}/v1_0/documents.json")
    assert load_and_read("conditionalqa") == [Document("T", f"{TEXT}\n\nx")]
    before = len(fake_hub.requests)
    load_and_read("conditionalqa")
    assert len(fake_hub.requests) == before


def redirect_url(monkeypatch: pytest.MonkeyPatch, url: str) -> None:
    import dataclasses

    from corpora.catalogue import read_catalogue

    entry = dataclasses.replace(read_catalogue()["conditionalqa"], url=url)
    catalogue = {**read_catalogue(), "conditionalqa": entry}
    monkeypatch.setattr("corpora.read_catalogue", lambda: catalogue)
    monkeypatch.setattr("corpora.hub.preparation.read_catalogue", lambda: catalogue)


def test_file_of_another_host_that_is_gone(
    fake_hub: FakeHub, monkeypatch: pytest.MonkeyPatch
) -> None:
    redirect_url(monkeypatch, f"{fake_hub.url}/gone.json")
    message = error_of(load_and_read, "conditionalqa")
    assert message.startswith("conditionalqa (haitian-sun/ConditionalQA, revision master): ")
    assert "404" in message


def test_offline_and_in_the_cache(fake_hub: FakeHub, request: pytest.FixtureRequest) -> None:
    fake_hub.add(
        COVID_QA, {"covid_qa_deepset/train-00000-of-00001.parquet": to_parquet(covid_qa_rows())}
    )
    load_and_read("covid_qa")
    fake_hub.add(NARRATIVEQA, narrativeqa_files())
    corpora.prepare("narrativeqa")
    request.getfixturevalue("offline")
    before = len(fake_hub.requests)
    assert load_and_read("covid_qa") == COVID_QA_DOCUMENTS
    assert len(load_and_read("narrativeqa")) == 21
    assert len(fake_hub.requests) == before


@pytest.mark.parametrize("name", [e.name for e in corpora.entries() if e.repository])
def test_offline_and_not_in_the_cache(name: str, cache: Path, offline: None) -> None:
    message = error_of(corpora.load, name)
    assert re.fullmatch(
        rf"{name} \(\S+/\S+, .*revision \S+.*\): HF_HUB_OFFLINE is set, and it is not in the "
        rf"cache; unset that and run: segbench prepare {name}",
        message,
    )


@pytest.mark.parametrize("name", [e.name for e in corpora.entries() if e.repository and not e.url])
def test_no_network(name: str, cache: Path) -> None:
    message = error_of(corpora.load, name, timeout=20)  # nothing listens where the hub should be
    assert "it cannot be fetched: [Errno 111] Connection refused" in message
    assert message.endswith(f"with a network, run: segbench prepare {name}")


def test_gated(fake_hub: FakeHub) -> None:
    fake_hub.add(QASPER, {}, revision=REVISION[QASPER])
    fake_hub.gated.add(QASPER)
    message = error_of(corpora.load, "qasper")
    assert message.startswith(
        f"qasper (allenai/qasper, config qasper, revision {REVISION[QASPER]}): it is gated"
    )
    assert message.endswith("hf auth login")


def test_not_there(fake_hub: FakeHub) -> None:
    message = error_of(corpora.load, "narrativeqa")
    assert "the hub has no such data set, or it is private or was renamed" in message


def test_revision_not_there(fake_hub: FakeHub) -> None:
    fake_hub.add(QASPER, {"README.md": b""})
    message = error_of(corpora.load, "qasper")
    assert f"revision {REVISION[QASPER]}): it has no such revision" in message


def test_script_alone(fake_hub: FakeHub) -> None:
    fake_hub.add(QASPER, {"qasper.py": b"", "README.md": b""}, revision=REVISION[QASPER])
    message = error_of(corpora.load, "qasper")
    assert "only a loading script, qasper.py, which `datasets` does not run" in message
    assert message.endswith("--mirror DIR")


def test_files_elsewhere(fake_hub: FakeHub) -> None:
    files = narrativeqa_files()
    del files["data/test-00000-of-00001.parquet"]
    fake_hub.add(NARRATIVEQA, files)
    assert "its files are not where they were: no split test" in error_of(
        corpora.load, "narrativeqa"
    )


@pytest.mark.parametrize("stalled", ["revision/main", "train-00000-of-00001.parquet"])
def test_no_progress(stalled: str, fake_hub: FakeHub) -> None:
    fake_hub.add(NARRATIVEQA, narrativeqa_files())
    fake_hub.stalled.add(stalled)
    message = error_of(load_and_read, "narrativeqa", timeout=0.5)
    assert message.startswith("narrativeqa (deepmind/narrativeqa, config default, ")
    assert "segbench prepare narrativeqa" in message


def test_other_columns(fake_hub: FakeHub) -> None:
    rows = [{"document": {"id": "1", "story": "x"}}]
    fake_hub.add(NARRATIVEQA, {name: to_parquet(rows) for name in narrativeqa_files()})
    message = error_of(load_and_read, "narrativeqa")
    assert "column document.text should be string and is not there" in message
    assert f"split train, revision {commit_of(NARRATIVEQA, 'main')}" in message


def test_empty(fake_hub: FakeHub) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    buffer = io.BytesIO()
    schema = pa.schema({"document_id": pa.int64(), "context": pa.string()})
    pq.write_table(schema.empty_table(), buffer)
    fake_hub.add(COVID_QA, {"covid_qa_deepset/train-00000-of-00001.parquet": buffer.getvalue()})
    assert "it holds no row; fetch it again: segbench prepare covid_qa --force" in error_of(
        load_and_read, "covid_qa"
    )


def test_cache_half_written(fake_hub: FakeHub, cache: Path) -> None:
    content = to_parquet(covid_qa_rows())
    fake_hub.add(COVID_QA, {"covid_qa_deepset/train-00000-of-00001.parquet": content})
    load_and_read("covid_qa")
    (cached,) = (path for path in (cache / "hub").rglob("blobs/*") if path.is_file())
    cached.write_bytes(content[: len(content) // 2])
    message = error_of(load_and_read, "covid_qa")
    assert f"split train, revision {commit_of(COVID_QA, 'main')}): " in message
    assert "train-00000-of-00001.parquet cannot be read: Parquet" in message
    assert message.endswith("fetch it again: segbench prepare covid_qa --force")
    corpora.prepare("covid_qa", force=True)
    assert load_and_read("covid_qa") == COVID_QA_DOCUMENTS


def test_cache_that_lacks_a_file_is_completed(fake_hub: FakeHub, cache: Path) -> None:
    fake_hub.add(NARRATIVEQA, narrativeqa_files())
    corpora.prepare("narrativeqa")
    next((cache / "hub").rglob("snapshots/*/data/test-*")).unlink()
    before = len(fake_hub.requests)
    corpus = corpora.load("narrativeqa")
    assert "on the hub" in corpus.origin
    assert len(fake_hub.requests) > before
    assert len(list(corpus)) == 21


@pytest.mark.parametrize("in_mirror", [False, True])
def test_prepare(in_mirror: bool, fake_hub: FakeHub, tmp_path: Path) -> None:
    mirror = tmp_path / "mirror" if in_mirror else None
    fake_hub.add(NARRATIVEQA, narrativeqa_files())
    record = corpora.prepare("narrativeqa", mirror=mirror)
    assert record.summary.documents == 21
    assert record.summary.code_points == 21 * len(TEXT)
    assert record.summary.longest_whitespace_run == 4
    assert record.differences(corpora.entries()[6]) == (
        "narrativeqa has 21 documents, the catalogue expects 1,572",
    )
    corpus = corpora.load("narrativeqa", mirror=mirror)
    assert corpus.notes == ("narrativeqa has 21 documents, the catalogue expects 1,572",)
    list(corpus)
    assert corpus.digest == record.summary.digest
    presence = corpora.find("narrativeqa", mirror=mirror)
    assert presence.place == (str(mirror) if mirror else "cache")
    assert presence.summary == record.summary
    if mirror:
        folder = mirror / NARRATIVEQA
        assert json.loads((folder / "segbench.json").read_text())["summary"]["documents"] == 21
        for name, content in narrativeqa_files().items():
            assert (folder / name).read_bytes() == content


def test_prepare_again_fetches_nothing(fake_hub: FakeHub) -> None:
    fake_hub.add(NARRATIVEQA, narrativeqa_files())
    first = corpora.prepare("narrativeqa")
    before = len(fake_hub.requests)
    assert corpora.prepare("narrativeqa") == first
    assert not [each for each in fake_hub.requests[before:] if "/resolve/" in each]


def test_prepare_resumes(fake_hub: FakeHub, monkeypatch: pytest.MonkeyPatch) -> None:
    import random

    from huggingface_hub import constants

    monkeypatch.setattr(constants, "DOWNLOAD_CHUNK_SIZE", 1000)
    files = narrativeqa_files()
    noise = random.Random(1).randbytes(100_000).hex()
    name = "data/train-00000-of-00001.parquet"
    files[name] = to_parquet([{"document": {"id": "1", "text": noise}}])
    fake_hub.add(NARRATIVEQA, files)
    fake_hub.cut.add(name)
    record = corpora.prepare("narrativeqa")
    assert record.summary.documents == 1 + 7 + 7
    resumed = [wanted for of, wanted in fake_hub.ranges if of == name]
    assert resumed, "the rest was asked for by a range"
    assert not any(wanted.startswith("bytes=0-") for wanted in resumed)


def test_data_that_changed_after_they_were_prepared(fake_hub: FakeHub, tmp_path: Path) -> None:
    fake_hub.add(NARRATIVEQA, narrativeqa_files())
    corpora.prepare("narrativeqa", mirror=tmp_path)
    path = tmp_path / NARRATIVEQA / "data/test-00000-of-00001.parquet"
    path.write_bytes(to_parquet([{"document": {"id": "1", "text": "other"}}]))
    message = error_of(load_and_read, "narrativeqa", mirror=tmp_path)
    assert re.search(r"its digest is \w{64}, and was \w{64} when it was prepared; ", message)
    assert message.endswith(f"segbench prepare narrativeqa --mirror {tmp_path} --force")
    assert len(load_and_read("narrativeqa", mirror=tmp_path, first=5)) == 5


def test_digest_that_is_not_the_catalogues_is_shown(
    fake_hub: FakeHub, monkeypatch: pytest.MonkeyPatch
) -> None:
    import dataclasses

    from corpora.catalogue import read_catalogue

    entry = dataclasses.replace(read_catalogue()["covid_qa"], documents=3, digest="0123")
    monkeypatch.setattr("corpora.read_catalogue", lambda: {"covid_qa": entry})
    fake_hub.add(
        COVID_QA, {"covid_qa_deepset/train-00000-of-00001.parquet": to_parquet(covid_qa_rows())}
    )
    digest = corpora.prepare("covid_qa").summary.digest
    assert corpora.load("covid_qa").notes == (
        f"covid_qa has the digest {digest}, the catalogue's is 0123",
    )


@pytest.mark.parametrize("name", ["builtin", "synthetic", "nothing", "hf:a/b#c"])
def test_prepare_what_is_not_fetched(name: str) -> None:
    message = error_of(corpora.prepare, name)
    assert message.startswith(f"{name} is not fetched from anywhere; what can be is qasper, ")


def test_prepare_where_nothing_can_be_written(fake_hub: FakeHub, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    message = error_of(corpora.prepare, "covid_qa", mirror=tmp_path / "file" / "mirror")
    assert "cannot be made" in message


def test_find_tells_what_is_not_here(cache: Path, tmp_path: Path) -> None:
    for mirror in (None, tmp_path):
        presence = corpora.find("legalbench_rag", mirror=mirror)
        assert presence.place is None
        assert presence.source == f"hf://datasets/{LEGALBENCH}@{REVISION[LEGALBENCH]}"
    assert corpora.find("conditionalqa").source.endswith("/v1_0/documents.json")
