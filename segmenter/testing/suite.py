"""The tests that a splitter is put to."""

from pathlib import Path
from typing import NoReturn

import pytest
from hypothesis import HealthCheck, Phase, assume, given, reject, settings

from segmenter.testing.cases import Case, load_cases
from segmenter.testing.judge import RuleBrokenError, check
from segmenter.testing.known import ANY_TEXT, KnownViolationsError, read_known_violations
from segmenter.testing.rules import (
    NotApplicableError,
    UnknownRuleError,
    concerns,
    select_rules,
)
from segmenter.testing.strategies import Input, inputs
from segmenter.testing.trial import Factory, RefusedTextError


class SplitterTests:
    """Tests the splitter that the fixture ``splitter`` gives: derive a class, override the fixture.

    It is a factory: called with a limit in code points, it gives a splitter. There is one test a
    rule and named case, and one a rule for texts that Hypothesis finds.

    ``rules`` are names of rules or sets with commas between; ``known_violations`` is the path of
    a file as `segmenter.testing.known` says. Both can come from the command line instead, by
    ``--rules`` and ``--known-violations``, but only where it names ``segmenter.testing`` or a
    ``--splitter``: without these there are no such options.
    """

    rules: str | None = None
    known_violations: str | Path | None = None

    def pytest_generate_tests(self, metafunc: pytest.Metafunc) -> None:
        """Make the tests for the rules that are selected."""
        if "rule" not in metafunc.fixturenames:
            return
        config = metafunc.config
        selected = self.rules or config.getoption("segbench_rules", "lossless")
        path = self.known_violations or config.getoption("segbench_known_violations", None)
        try:
            rules = select_rules(selected)
            known = read_known_violations(Path(path)) if path else {}
        except (UnknownRuleError, KnownViolationsError) as error:
            pytest.fail(str(error), pytrace=False)

        def mark(rule: str, name: str) -> list[pytest.MarkDecorator]:
            if (rule, name) not in known:
                return []
            reason = known[rule, name]
            return [pytest.mark.xfail(reason=reason, strict=True, raises=pytest.fail.Exception)]

        if "case" in metafunc.fixturenames:
            metafunc.parametrize(
                ("rule", "case"),
                [
                    pytest.param(rule, case, id=f"{rule}-{case}", marks=mark(rule, case.name))
                    for rule in rules
                    for case in load_cases().values()
                    if concerns(rule, case.text, case.max_chunk_length)
                ],
            )
        else:
            metafunc.parametrize(
                "rule", [pytest.param(rule, marks=mark(rule, ANY_TEXT)) for rule in rules]
            )

    def test_case(
        self, rule: str, case: Case, splitter: Factory, request: pytest.FixtureRequest
    ) -> None:
        """A rule holds on a named case."""
        known = _is_known(request)
        try:
            _hold(splitter, case, rule, known=known)
        except RefusedTextError as error:
            _excuse(f"the splitter refused the text, see the rule accepts: {error}", known=known)

    def test_any_text(self, rule: str, splitter: Factory, request: pytest.FixtureRequest) -> None:
        """A rule holds on any text."""
        known = _is_known(request)

        @(_FIND_AGAIN if known else _FIND)
        @given(found=inputs())
        def holds(found: Input) -> None:
            assume(concerns(rule, *found))
            try:
                _hold(splitter, Case(ANY_TEXT, rule, *found, origin=""), rule, known=known)
            except RefusedTextError:
                reject()

        holds()


# Deadlines are for timed tests; a splitter that refuses most texts is no fault of the texts; and
# what Hypothesis would explain is not shown.
_FIND = settings(
    deadline=None,
    suppress_health_check=list(HealthCheck),
    phases=[phase for phase in Phase if phase is not Phase.explain],
)
# A known violation is found in every run or in none, and need not be small.
_FIND_AGAIN = settings(
    _FIND,
    derandomize=True,
    database=None,
    max_examples=10 * _FIND.max_examples,
    phases=[Phase.generate],
)


def _is_known(request: pytest.FixtureRequest) -> bool:
    return request.node.get_closest_marker("xfail") is not None


def _excuse(reason: str, *, known: bool) -> NoReturn:
    """Skip what cannot be tried; where a violation is listed, it is not there to be known."""
    if known:
        raise KnownViolationsError(f"listed as a known violation, but {reason}") from None
    pytest.skip(reason)


def _hold(splitter: Factory, case: Case, rule: str, *, known: bool) -> None:
    broken = ""
    try:
        check(splitter, case, rule)
    except RuleBrokenError as error:
        broken = str(error)
    except NotApplicableError as reason:
        _excuse(str(reason), known=known)
    if broken:  # outside of the handler: what is printed is the message alone
        pytest.fail(broken, pytrace=False)
