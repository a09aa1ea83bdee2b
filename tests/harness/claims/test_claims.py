"""The claims, answered on tiny texts with what this environment has: no network."""

import json
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from corpora import Corpus, Document
from harness.claims import claims, evidence
from harness.claims.answers import ANSWERS, Finding
from harness.claims.claims import Answered, answer_claims, read_claims
from harness.claims.derivation import Reembedding, compare_derived, derive_sentences, derive_whole
from harness.claims.evidence import Evidence, compare_shard
from harness.claims.refinding import compare_finding
from harness.measure.spooling import spool_corpora
from harness.results.model import Claim
from harness.results.verdict import Verdict
from harness.retrieval.questions import Gold, QuestionSet, make_question
from harness.runner.pool import SplitterPool
from harness.splitters.contenders import Contenders
from harness.splitters.registry import load_splitter
from harness.splitters.venvs import Installation
from tests.harness.inline import InlineExecutor

TEXT = "One sentence. Another one!\n\n    Indented, and then\n    some more.\n" * 20
LOST = "nothing is here"


def corpus(name: str, *texts: str) -> Corpus:
    documents = [Document(str(number), text) for number, text in enumerate(texts)]
    return Corpus(name, lambda: iter(documents))


def gather_here(*_: object) -> Contenders:
    """LangChain's present release in place of the old ones; nothing else."""
    present = load_splitter("langchain-memmachine")
    here = [
        load_splitter("segmenter"),
        present,
        load_splitter("langchain-memmachine-moved"),
        *(replace(present, name=name) for name in evidence.EARLIER),
    ]
    installation = Installation("3.11.4", None, {"langchain-text-splitters": "1.1.3"}, 1)
    absent = ("memmachine", "langchain-0.0.100", "langchain-0.0.200")
    return Contenders(here, {s.name: installation for s in here}, dict.fromkeys(absent, LOST))


@pytest.fixture(autouse=True)
def here(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(evidence, "gather", gather_here)


@pytest.fixture(scope="module")
def tiny() -> Iterator[Evidence]:
    """Shared, since what it rests on is measured once."""
    texts = [
        corpus("real", TEXT, "  \n\n "),
        corpus("other", TEXT[5:]),
        corpus("synthetic", " a \n"),
    ]
    with spool_corpora(texts) as (*real, synthetic), SplitterPool() as pool:
        yield Evidence(real, synthetic, pool, InlineExecutor(), lambda _: None)


def answer(name: str, of: Evidence) -> Finding:
    return ANSWERS[name](of, read_claims()[name])


def test_every_claim_has_words_and_a_measurement() -> None:
    rows = read_claims()
    expected = ["F1", "F2", "F3", "F4", "U1", "U2", "U3", "U4", "U5", "A1", "A2"]
    assert list(rows) == [*expected, "M1", "M2", "M3", "M4", "D1", "D2", "D3", "D4"]
    assert list(ANSWERS) == list(rows)
    assert all(row["says"] for row in rows.values())


@pytest.mark.parametrize("name", ["F1", "F2", "F3", "M1", "A1", "D3"])
def test_what_holds_is_confirmed(name: str, tiny: Evidence) -> None:
    found = answer(name, tiny)
    assert found.status == "confirmed", found.measured


def test_f1_counts_the_texts_that_do_not_join(tiny: Evidence) -> None:
    measured = answer("F1", tiny).measured
    # The text of whitespace alone is lost whole.
    assert "3 of 3 at 20 (" in measured
    assert "3 of 3 at 500 (" in measured


def test_counts_are_compared_by_ratio(tiny: Evidence) -> None:
    runs = answer("M2", tiny)
    assert runs.measured.startswith("unavoidable boundaries: 0 at 500, 0 at 128 and 0 at 20 (agree")
    assert "runs over the limit with a newline: 0 at 500" in runs.measured
    assert "; there 0, 1 and 57,621, which for the same length of text are 0.0 at 500" in (
        runs.measured
    )
    assert runs.status == "differs (by no definition do all three figures agree on these texts)"
    means = answer("M3", tiny)
    number = int(re.findall(r"\d+", means.measured)[0])
    ratio = (len(TEXT) + 5 + len(TEXT[5:])) / number / (55_900_000 / 165_663)
    assert abs(ratio - 1) > 0.1
    assert means.status == f"differs (ratio {ratio:.2f})"


def test_migration_tells_what_must_be_embedded_again(tiny: Evidence) -> None:
    found = answer("D4", tiny)
    assert found.status.startswith("not measured: ")
    migration = tiny.shard.migration
    assert migration.after == migration.same + migration.edges + migration.moved
    assert f"{migration.changed:.1%} to embed again" in found.measured
    embedded = answer("D2", tiny)
    assert "segments with edge whitespace at 500: 0 before" in embedded.measured


def test_without_questions_what_is_found_is_not_measured(tiny: Evidence) -> None:
    for claim in ("D2", "D4"):
        assert (
            "whether what is found changes was not measured: no corpus here has questions"
            in answer(claim, tiny).measured
        )


def test_what_is_found_is_asked_of_old_and_new_segments(tmp_path: Path) -> None:
    filler = "All of this is filler that answers nothing at all. " * 60
    texts = [f"{filler}\n\nThe key{n} lies under mat{n}.\n\n{filler}" for n in range(30)]
    documents = [Document(str(number), text) for number, text in enumerate(texts)]
    questions = [
        make_question(
            f"key{n} mat{n}", [Gold(str(n), at, at + len(f"The key{n} lies under mat{n}."))]
        )
        for n, at in enumerate(text.index("The key") for text in texts)
    ]
    sets = [QuestionSet("keys", documents, questions)]
    (tmp_path / "whole.py").write_text("def make(limit):\n    return lambda text: [text]\n")
    whole, own = load_splitter(f"{tmp_path / 'whole.py'}:make"), load_splitter("segmenter")
    with SplitterPool() as pool:
        (same,) = compare_finding(sets, own, own, 100, pool, str)
        (change,) = compare_finding(sets, whole, own, 100, pool, str)
        (none,) = compare_finding(sets, own, own, 100, pool, lambda _: "nothing")
    assert (same.change.mean, same.change.low, same.change.high) == (0, 0, 0)
    assert str(same) == ("keys (30 questions) +0.0000 (+0.0000 to +0.0000), not beyond chance")
    # The budget ends before the sentence in the middle of a segment that is the whole text.
    assert change.change.mean == 1
    assert change.change.beyond_chance
    assert none.change.mean == 0


def test_a_shard_is_compared_document_by_document() -> None:
    splitters = (load_splitter("langchain-memmachine"), load_splitter("segmenter"))
    # "One." and "Two." before; "One. \n\n" and "Two." now.
    with spool_corpora([corpus("a", "One. \n\nTwo.")]) as (spooled,), SplitterPool() as pool:
        (texts,) = spooled.shards()
        shard = compare_shard(texts, *splitters, 8, pool)
    assert (shard.migration.same, shard.migration.edges, shard.migration.moved) == (1, 1, 0)
    assert (shard.whole, shard.sentences) == (Reembedding(2, 1), Reembedding(2, 0))
    assert (shard.edged_before, shard.edged) == (0, 1)
    assert (shard + shard).whole == Reembedding(4, 2)


def test_what_derivers_give() -> None:
    assert derive_whole(' "a"\n') == ['" \\"a\\"\\n"']
    text = ' It costs 3.50. Who pays?! Nobody\n…\n "he" said：好。是 '
    assert derive_sentences(text) == [
        '"It costs 3.50."',
        '"Who pays?!"',
        '"Nobody"',
        '"\\"he\\" said：好。"',
        '"是"',
    ]
    assert compare_derived(["a", "a"], ["a", "b"], derive_whole) == Reembedding(2, 1)
    assert Reembedding().share == 0


def test_all_are_answered_and_what_fails_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = {name: ANSWERS[name] for name in ("F3", "U3", "D3")}
    monkeypatch.setattr(claims, "ANSWERS", kept)
    monkeypatch.setattr(claims, "read_claims", lambda: {n: read_claims()[n] for n in kept})
    said: list[str] = []
    folder = tmp_path / "run"
    answered = answer_claims(
        [corpus("real", TEXT)], corpus("synthetic", "a"), folder, "segbench claims",
        progress=said.append,
    )  # fmt: skip
    assert [claim.status for claim in answered.claims] == [
        "confirmed",
        f"not measured: memmachine is unavailable: {LOST}",
        "confirmed",
    ]
    assert (answered.failed, answered.verdict) == (["U3"], Verdict.NOT_MEASURED)
    read = json.loads((folder / "claims.json").read_text())
    assert [Claim(**each) for each in read] == list(answered.claims)
    assert len(read) == 3
    page = (folder / "claims.md").read_text()
    assert "| U3 |" in page
    assert "segbench claims" in page


def test_a_refuted_claim_is_a_bad_answer() -> None:
    refuted = Claim("F3", "", "", "refuted")
    assert Answered([refuted], ["U3"]).verdict is Verdict.BAD
    assert Answered([replace(refuted, status="differs (ratio 2)")], []).verdict is Verdict.WELL
