"""Answers the claims of MemMachine's pull request #1855, which ``claims.toml`` holds."""

import tomllib
from collections.abc import Callable, Sequence
from concurrent.futures import BrokenExecutor
from dataclasses import dataclass, replace
from pathlib import Path

from corpora import Corpus
from harness.claims.answers import ANSWERS, REFUTED, UNMEASURED, ClaimRow
from harness.claims.evidence import Evidence
from harness.measure.machine import describe_environment, describe_texts, now
from harness.measure.spooling import spool_corpora
from harness.report import tables
from harness.report.bench import write_page
from harness.results.errors import MeasurementError
from harness.results.folder import CLAIMS_FILES, CLAIMS_PAGE, open_results, write_claims
from harness.results.model import Claim
from harness.results.verdict import Verdict
from harness.retrieval.questions import QuestionSet
from harness.runner.executor import open_process_pool
from harness.runner.pool import SplitterPool
from harness.runner.process import SplitterError


@dataclass(frozen=True, slots=True)
class Answered:
    """Every claim with its answer; ``failed`` are those whose measurement failed."""

    claims: Sequence[Claim]
    failed: Sequence[str]

    @property
    def verdict(self) -> Verdict:
        """A refuted claim outweighs one that could not be measured."""
        if any(claim.status.startswith(REFUTED) for claim in self.claims):
            return Verdict.BAD
        return Verdict.NOT_MEASURED if self.failed else Verdict.WELL


def read_claims() -> dict[str, ClaimRow]:
    """The claims by their numbers, in order."""
    text = Path(__file__).with_name("claims.toml").read_text(encoding="utf-8")
    return tomllib.loads(text)


def answer_claims(
    real: Sequence[Corpus],
    synthetic: Corpus,
    folder: Path,
    command: str,
    *,
    progress: Callable[[str], None],
    sets: Sequence[QuestionSet] = (),
) -> Answered:
    """Answer every claim, and write ``claims.json`` and ``claims.md`` into a folder.

    ``command`` is what was typed; ``progress`` is called with a line when a stage begins; ``sets``
    are the questions that are asked of old and new segments. Raises CorpusError if a corpus cannot
    be read, and MeasurementError if nothing can be written.
    """
    claims = []
    failed = []
    with (
        open_results(folder, CLAIMS_FILES),
        SplitterPool() as pool,
        spool_corpora([*real, synthetic]) as corpora,
        open_process_pool() as executor,
    ):
        evidence = Evidence(corpora[:-1], corpora[-1], pool, executor, progress, sets)
        contenders = evidence.contenders
        environment = describe_environment(command, contenders.splitters, contenders.installations)
        for name, row in read_claims().items():
            try:
                answer = ANSWERS[name](evidence, row)
            except (MeasurementError, SplitterError, BrokenExecutor) as error:
                failed.append(name)
                claims.append(Claim(name, row["says"], "", f"{UNMEASURED}: {error}"))
            else:
                claims.append(Claim(name, row["says"], answer.measured, answer.status))
    write_claims(folder, claims)
    read = describe_texts([*real, synthetic])
    shown = [tables.claims(claims), tables.texts(read)]
    write_page(folder / CLAIMS_PAGE, replace(environment, finished=now()), shown)
    return Answered(claims, failed)
