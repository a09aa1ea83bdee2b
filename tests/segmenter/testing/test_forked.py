"""What splitters do to their process does no harm to that of the tests."""

import builtins
import collections
import ctypes
import itertools
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import psutil
import pytest

from segmenter.testing import RefusedTextError, forked
from segmenter.testing.forked import ForkedSplitter, HangingSplitterError
from segmenter.testing.trial import Answer, Outcome, UnusableSplitterError, load_factory

# Longer than any splitter here takes that does not hang, on a machine as busy as may be.
PLENTY = 300.0
LITTLE = 0.5


@contextmanager
def running(factory: object, time_limit: float = PLENTY) -> Iterator[Callable[[str], Answer]]:
    splitter = ForkedSplitter(factory, time_limit)
    try:
        yield lambda text: splitter.ask(text, 5, again=False)
    finally:
        splitter.close()


def doing(action: Callable[[], object]) -> Callable[[int], object]:
    """A factory of splitters that do something for the text "do" and give every text back."""

    def split(text: str) -> list[str]:
        if text == "do":
            action()
        return [text]

    return lambda limit: split


def spin() -> None:
    while True:
        pass


def spin_below_python() -> None:
    collections.deque(itertools.repeat(None), maxlen=0)


def spin_without_alarm() -> None:
    signal.signal(signal.SIGALRM, signal.SIG_IGN)
    spin()


@pytest.mark.parametrize(
    ("hang", "place"),
    [
        (spin, "; it was in spin, "),
        (spin_below_python, "; it was in spin_below_python, "),
        (lambda: time.sleep(3600), "; it was in <lambda>, "),
        (spin_without_alarm, ""),
    ],
)
def test_a_splitter_that_hangs_is_ended_and_named(hang, place, monkeypatch) -> None:
    monkeypatch.setattr(forked, "_GRACE", 0.5)
    before = set(psutil.Process().children(recursive=True))
    with running(doing(hang), LITTLE) as ask:
        with pytest.raises(HangingSplitterError) as caught:
            ask("do")
        assert set(psutil.Process().children(recursive=True)) == before
    line = re.escape(__file__) + r":\d+" if place else ""
    assert re.fullmatch(f"it did not end within 0.5 s{re.escape(place)}{line}", str(caught.value))


@pytest.mark.parametrize(
    ("end", "message"),
    [
        (lambda: os._exit(0), "it ended its process, with status 0"),
        (lambda: os._exit(3), "it ended its process, with status 3"),
        (lambda: ctypes.CDLL(None).exit(0), "it ended its process, with status 0"),
        (lambda: os.kill(os.getpid(), 9), "its process was ended by signal 9 (Killed)"),
        (lambda: os.abort(), "its process was ended by signal 6 (Aborted)"),
    ],
)
def test_a_splitter_that_ends_its_process_has_refused_the_text(end, message) -> None:
    with running(doing(end)) as ask:
        assert ask("a").outcome == Outcome(("a",))
        with pytest.raises(RefusedTextError) as caught:
            ask("do")
        assert str(caught.value) == message
        assert ask("b").outcome == Outcome(("b",))


def spoil() -> None:
    os.chdir("/")
    os.environ["SPOILT"] = "yes"
    sys.setrecursionlimit(5000)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    sys.stdout = sys.stderr = None


def test_what_a_splitter_changes_is_changed_for_it_alone() -> None:
    def state() -> tuple[object, ...]:
        handler = signal.getsignal(signal.SIGINT)
        return (Path.cwd(), os.environ, sys.getrecursionlimit(), handler, sys.stdout)

    before = state()
    with running(doing(spoil)) as ask:
        assert ask("do").outcome == Outcome(("do",))
        assert ask("after").outcome == Outcome(("after",))
        assert state() == before
    assert "SPOILT" not in os.environ


def test_a_splitter_that_replaces_a_built_in_function_harms_itself_alone() -> None:
    own = len
    with running(doing(lambda: setattr(builtins, "len", None))) as ask:
        with pytest.raises(RefusedTextError, match="it ended its process, with status 1"):
            ask("do")
        assert len is own
        assert ask("next").outcome == Outcome(("next",))


def test_a_splitter_that_forks_answers_once() -> None:
    with running(doing(os.fork)) as ask:
        assert ask("do").outcome == Outcome(("do",))
        assert ask("next").outcome == Outcome(("next",))


def test_what_a_splitter_started_ends_with_it(tmp_path) -> None:
    told = tmp_path / "pid"

    def start() -> None:
        process = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(3600)"])
        told.write_text(str(process.pid))

    with running(doing(start)) as ask:
        ask("do")
    ended = int(told.read_text())
    while psutil.pid_exists(ended) and psutil.Process(ended).status() != psutil.STATUS_ZOMBIE:
        time.sleep(0.01)


def test_one_process_answers_until_the_end() -> None:
    own: list[int] = []

    def make(limit: int) -> Callable[[str], list[str]]:
        own.append(os.getpid())
        return lambda text: [str(os.getpid()), str(len(own))]

    with running(make) as ask:
        first, second = ask("a").outcome.segments, ask("b").outcome.segments
    assert (first[0], first[1], second[1]) == (second[0], "1", "2")
    assert first[0] != str(os.getpid())
    assert own == []


def test_without_a_time_limit_there_is_no_process() -> None:
    with running(lambda limit: lambda text: [str(os.getpid())], 0) as ask:
        assert ask("a").outcome.segments == (str(os.getpid()),)


def test_the_answer_holds_what_was_given_again() -> None:
    given = itertools.count()
    splitter = ForkedSplitter(lambda limit: lambda text: [f"{next(given)}"], PLENTY)
    try:
        answer = splitter.ask("a", 5, again=True)
    finally:
        splitter.close()
    assert answer == Answer(Outcome(("0",)), (Outcome(("1",)), Outcome(("2",))))


def test_a_factory_may_skip() -> None:
    def make(limit: int) -> object:
        pytest.skip("no licence")

    with running(make) as ask, pytest.raises(pytest.skip.Exception, match="no licence"):
        ask("a")


@pytest.mark.parametrize(
    ("program", "message"),
    [
        ("import os; os._exit(0)", "makes no splitter: it ended its process, with status 0"),
        ("while True: pass", "makes no splitter: it did not end within 0.5 s; it was in <module>"),
        ("raise OSError('so')", "no splitter at .*: OSError: so"),
    ],
)
def test_a_module_that_ends_the_process_is_unusable(tmp_path, program, message) -> None:
    (tmp_path / "ending.py").write_text(program)
    splitter = ForkedSplitter(load_factory(f"{tmp_path}/ending.py:make"), LITTLE)
    with pytest.raises(UnusableSplitterError, match=message):
        splitter.find_modules()
    splitter.close()


ORPHAN = """
import os, sys
from segmenter.testing.forked import ForkedSplitter

def make(limit):
    print(os.getpid(), flush=True)
    while True: pass

ForkedSplitter(make, 1).ask("a", 5, again=False)
"""


def test_a_splitter_that_hangs_ends_though_nobody_waits() -> None:
    parent = subprocess.Popen([sys.executable, "-c", ORPHAN], stdout=subprocess.PIPE, text=True)
    assert parent.stdout is not None
    with parent:
        child = psutil.Process(int(parent.stdout.readline()))
        parent.kill()
    child.wait(PLENTY)


def test_where_nothing_forks_the_tests_end_with_the_time(tmp_path) -> None:
    program = ORPHAN.replace("import os", "from segmenter.testing import forked\nimport os")
    program = program.replace("\ndef make", "\nforked.CAN_FORK = False\n\ndef make")
    path = tmp_path / "program.py"
    path.write_text(program)
    ended = subprocess.run([sys.executable, path], capture_output=True, text=True)
    assert ended.returncode == 1
    assert f'File "{path}", line ' in ended.stderr
    assert " in make" in ended.stderr
