"""The tests that a splitter is put to."""

from pathlib import Path
from typing import NoReturn

import pytest
from hypothesis import HealthCheck, Phase, assume, given, reject, settings
from hypothesis.errors import Unsatisfiable

from segmenter.testing import summary
from segmenter.testing.cases import Case, load_cases
from segmenter.testing.checks import (
    NotApplicableError,
    UnknownRuleError,
    concerns,
    select_rules,
)
from segmenter.testing.forked import ForkedSplitter, HangingSplitterError
from segmenter.testing.judge import RuleBrokenError, check
from segmenter.testing.known import ANY_TEXT, KnownViolationsError, read_known_violations
from segmenter.testing.strategies import Input, inputs
from segmenter.testing.trial import (
    Answer,
    Ask,
    Factory,
    RefusedTextError,
    UnusableSplitterError,
)


class SplitterTests:
    """Tests the splitter that the fixture ``splitter`` gives: derive a class, override the fixture.

    It is a factory: called with a limit in code points, it gives a splitter. There is one test per
    rule and named case, and one per rule for texts that Hypothesis finds.

    ``rules`` are names of rules or sets with commas between. ``known_violations`` is the path of
    a file as `segmenter.testing.known` says. ``time_limit`` is how many seconds a splitter may take
    for a text: if it takes longer, or ends its process, it has refused that text. For this it runs
    in a process of its own, one per class as long as the fixture gives the same factory; with 0
    there is no such process and no limit, as debuggers want it.

    All three can come from the command line instead, by ``--rules``, ``--known-violations`` and
    ``--time-limit``, but only if it names ``segmenter.testing`` or a ``--splitter``: otherwise
    these options do not exist.
    """

    rules: str | None = None
    known_violations: str | Path | None = None
    time_limit: float | None = None

    def pytest_generate_tests(self, metafunc: pytest.Metafunc) -> None:
        """Make the tests for the rules that are selected."""
        if "rule" not in metafunc.fixturenames:
            return
        config = metafunc.config
        summary.register(config)
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
        asking = _find_asking(request, self.time_limit)
        self._try(splitter, case, rule, asking, known=_is_known(request))

    def _try(
        self, splitter: Factory, case: Case, rule: str, asking: "_Asking", *, known: bool
    ) -> None:
        try:
            _hold(splitter, case, rule, asking.ask, known=known)
        except RefusedTextError as error:
            _excuse(_REFUSED.format(error), known=known)

    def test_any_text(self, rule: str, splitter: Factory, request: pytest.FixtureRequest) -> None:
        """A rule holds on any text."""
        known = _is_known(request)
        asking = _find_asking(request, self.time_limit)
        refused: list[str] = []

        @(_FIND_AGAIN if known else _FIND)
        @given(found=inputs())
        def holds(found: Input) -> None:
            assume(concerns(rule, *found))
            case = Case(ANY_TEXT, rule, *found, origin="")
            try:
                _hold(splitter, case, rule, asking.ask_or_stop, known=known)
            except RefusedTextError as error:
                refused.append(str(error))
                reject()

        try:
            holds()
        except _StopSearchError as stop:
            case = Case(ANY_TEXT, rule, *stop.found, origin="")
        except Unsatisfiable:
            if not refused:
                raise
            _excuse(_REFUSED.format(refused[0]), known=known)
        else:
            return
        self._try(splitter, case, rule, asking, known=known)


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

#: In seconds, for a text.
TIME_LIMIT = 60.0

_REFUSED = "the splitter refused the text, see the rule accepts: {}"

# Texts that a splitter may hang on before no more are tried: each takes the whole time limit.
_HANGS = 3


class _StopSearchError(BaseException):
    """A splitter hangs on what was found.

    Hypothesis lets this through: to look for a smaller text would take the time limit again and
    again.
    """

    def __init__(self, found: Input) -> None:
        super().__init__(found)
        self.found = found


class _Asking:
    """What the tests of a class ask of its splitters, and on which texts these hang."""

    def __init__(self, time_limit: float) -> None:
        self._time_limit = time_limit
        self._splitter: ForkedSplitter | None = None
        self._hanging: dict[Input, str] = {}

    def ask(self, factory: Factory, text: str, max_chunk_length: int, *, again: bool) -> Answer:
        found = Input(text, max_chunk_length)
        if found in self._hanging:
            raise HangingSplitterError(self._hanging[found])
        if len(self._hanging) >= _HANGS:
            raise NotApplicableError(f"not tried: the splitter did not end on {_HANGS} other texts")
        if self._splitter is None or self._splitter.factory is not factory:
            self.close()
            self._splitter = ForkedSplitter(factory, self._time_limit)
        try:
            return self._splitter.ask(text, max_chunk_length, again=again)
        except HangingSplitterError as error:
            self._hanging[found] = str(error)
            raise

    def ask_or_stop(
        self, factory: Factory, text: str, max_chunk_length: int, *, again: bool
    ) -> Answer:
        try:
            return self.ask(factory, text, max_chunk_length, again=again)
        except HangingSplitterError as error:
            raise _StopSearchError(Input(text, max_chunk_length)) from error

    def close(self) -> None:
        if self._splitter is not None:
            self._splitter.close()


_asking = pytest.StashKey[_Asking]()


def _find_asking(request: pytest.FixtureRequest, time_limit: float | None) -> _Asking:
    """That of the test's class, until its last test."""
    owner = request.node.getparent(pytest.Class)
    asking: _Asking | None = owner.stash.get(_asking, None)
    if asking is None:
        if time_limit is None:
            time_limit = request.config.getoption("segbench_time_limit", TIME_LIMIT)
        asking = owner.stash[_asking] = _Asking(time_limit)
        owner.addfinalizer(asking.close)
    return asking


def _is_known(request: pytest.FixtureRequest) -> bool:
    return request.node.get_closest_marker("xfail") is not None


def _excuse(reason: str, *, known: bool) -> NoReturn:
    """Skip what cannot be tried; if a violation is listed, it is not there to be known."""
    if known:
        raise KnownViolationsError(f"listed as a known violation, but {reason}") from None
    pytest.skip(reason)


def _hold(splitter: Factory, case: Case, rule: str, ask: Ask, *, known: bool) -> None:
    failure = ""
    try:
        check(splitter, case, rule, ask=ask)
    except RuleBrokenError as error:
        failure = str(error)
    except UnusableSplitterError as error:
        pytest.fail(str(error), pytrace=False)
    except NotApplicableError as reason:
        _excuse(str(reason), known=known)
    if failure:  # outside of the handler: what is printed is the message alone
        broken = pytest.fail.Exception(failure, pytrace=False)
        raise summary.mark(broken, rule, case.name, len(case.text))
