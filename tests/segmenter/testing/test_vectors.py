import fcntl
import hashlib
import io
import json
import re
import shlex
import shutil
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from harness.cli.commands import segbench
from segmenter.testing import load_cases, vectors
from tests.segmenter import oracle

SPLITTER = Path(__file__).with_name("splitter.js")

# A program in Python that answers with what EXPRESSION makes of a vector.
PROGRAM = """
import json, sys
for line in sys.stdin:
    vector = json.loads(line)
    print(json.dumps(EXPRESSION), flush=True)
"""
RIGHT = (
    '{"segments": TextSegmenter(vector["max_chunk_length"], **({"separators": '
    'map(tuple, vector["separators"])} if "separators" in vector else {})).split(vector["text"])}'
)


def command(expression: str, program: str = PROGRAM) -> list[str]:
    return [sys.executable, "-c", program.replace("EXPRESSION", expression)]


def failing(*lines: str) -> list[str]:
    """A program that says so and fails."""
    return [sys.executable, "-c", "import sys; sys.exit(sys.argv[1] or 1)", "\n".join(lines)]


@pytest.fixture(scope="module")
def written() -> list[dict]:
    stream = io.StringIO()
    vectors.write(stream)
    assert stream.getvalue().isascii()
    return [json.loads(line) for line in stream.getvalue().splitlines()]


def decode(text: str | list[int]) -> str:
    return text if isinstance(text, str) else "".join(map(chr, text))


def test_vectors_are_the_cases_and_generated_ones(written) -> None:
    names = [vector["name"] for vector in written]
    assert len(set(names)) == len(names)
    assert names[: len(load_cases())] == list(load_cases())
    assert sum(name.startswith("generated-") for name in names) == 400
    assert sum(name.startswith("separators-") for name in names) == 100
    for vector in written:
        keys = ["version", "name", "rule", "text", "max_chunk_length", "segments"]
        named = vector["name"].startswith("separators-")
        assert list(vector) == [*keys, *(["separators"] if named else [])]


def test_vectors_hold_what_the_oracle_says(written) -> None:
    for vector in written:
        separators = [*map(tuple, vector.get("separators", []))] or oracle.SEPARATORS
        segments = oracle.split(decode(vector["text"]), vector["max_chunk_length"], separators)
        assert list(map(decode, vector["segments"])) == segments, vector["name"]


def test_generated_vectors_are_the_same_everywhere(written) -> None:
    by_name = {vector["name"]: vector for vector in written}
    assert by_name["generated-005"] == {
        "version": 2,
        "name": "generated-005",
        "rule": "reference",
        "text": "def",
        "max_chunk_length": 33,
        "segments": ["def"],
    }
    generated = [json.dumps(vector) for vector in written if vector["name"] not in load_cases()]
    digest = hashlib.sha256("\n".join(generated).encode()).hexdigest()
    # If this has to change, so has the version.
    assert digest == "362aac50138f03063c9230762630e20ac4ed9ba2493c3c31f273529a35c33a39"


def test_texts_with_surrogates_are_lists_of_code_points(written) -> None:
    by_name = {vector["name"]: vector for vector in written}
    assert by_name["surrogates-side-by-side"]["text"] == [0xD83D, 0xDE00]
    assert by_name["surrogates-side-by-side"]["segments"] == [[0xD83D], [0xDE00]]
    assert by_name["emoji"]["text"] == "😀" * 5


@pytest.mark.skipif(shutil.which("node") is None, reason="Node is not installed")
def test_a_splitter_in_javascript_passes() -> None:
    answers = vectors.check_program(["node", str(SPLITTER)])
    assert (answers.right, answers.wrong, answers.skipped) == (len(load_cases()) + 500, [], [])


def test_wrong_and_skipped_answers_are_told_apart() -> None:
    whole = command(
        '{"skipped": "code points"} if isinstance(vector["text"], list) else '
        '{"segments": [vector["text"]] if vector["text"] else []}'
    )
    answers = vectors.check_program(whole)
    assert "unpaired-surrogate: code points" in answers.skipped
    assert "one-over: hello | ! expected at limit 5, not hello!" in answers.wrong
    assert answers.right + len(answers.wrong) + len(answers.skipped) == len(load_cases()) + 500
    assert answers.right > 50
    assert answers.unexcused == 0


@pytest.mark.parametrize(
    "answer",
    [
        "None",
        "[1]",
        '{"segments": "hello"}',
        '{"segments": [[True]]}',
        '{"segments": [1.5]}',
        '{"skipped": ""}',
        "{}",
    ],
)
def test_what_is_no_answer_is_wrong(answer: str) -> None:
    answers = vectors.check_program(command(answer))
    assert (answers.right, answers.skipped) == (0, [])
    assert len(answers.wrong) == len(load_cases()) + 500


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["no-such-program"], "no-such-program cannot be run: No such file"),
        ([sys.executable, "-c", "raise SystemExit('gone')"], "failed with status 1: gone"),
        ([sys.executable, "-c", "raise ValueError('so')"], "failed with status 1: ValueError: so$"),
        (
            failing("Traceback", "  File x", "    raise ValueError('so')", "ValueError: so"),
            ": ValueError: so$",
        ),
        (
            failing(
                "f.js:1",
                "throw new TypeError(1)",
                "^",
                "",
                "TypeError: 1",
                "    at f.js:1:7",
                "",
                "Node.js v22",
            ),
            ": TypeError: 1$",
        ),
        (failing("error: first", "error: second", ""), ": error: second$"),
        (failing("no reason", "at all"), ": at all$"),
        (failing(), "failed with status 1$"),
        (
            [sys.executable, "-c", "import os; os.kill(os.getpid(), 9)"],
            f"{re.escape(sys.executable)} ended by signal 9$",
        ),
        ([sys.executable, "-c", ""], "answered 0 lines to [0-9]+ vectors"),
        ([sys.executable, "-c", "input(); print(1)"], "answered 1 lines to"),
        (command('{"skipped": "no"}'), "skipped every vector"),
    ],
)
def test_a_program_that_cannot_be_measured_is_an_error(arguments, message: str) -> None:
    with pytest.raises(vectors.UnusableProgramError, match=message):
        vectors.check_program(arguments)


def test_the_command_prints_the_vectors(written) -> None:
    result = CliRunner().invoke(segbench, ["vectors"])
    assert result.exit_code == 0
    assert [json.loads(line) for line in result.stdout.splitlines()] == written


@pytest.mark.parametrize(
    ("program", "status", "last"),
    [
        (shlex.join(command('{"segments": [vector["text"]]}')), 1, r"\d+ right, \d+ wrong, 0 skip"),
        (
            shlex.join(
                command(
                    '{"segments": [vector["text"]]} if vector["name"] == "exact-fit" else '
                    '{"skipped": "no"}'
                )
            ),
            3,
            r"1 right, 0 wrong, \d+ skipped",
        ),
        ("no-such-program", 3, "segbench: no-such-program cannot be run: No such file"),
        ("'", 2, 'segbench: --check "\'": No closing quotation'),
        ("", 2, "segbench: --check '': name a program"),
    ],
)
def test_the_command_checks_a_program(program: str, status: int, last: str) -> None:
    result = CliRunner().invoke(segbench, ["vectors", "--check", program])
    assert result.exit_code == status
    assert re.match(last, result.output.splitlines()[-1])


def test_what_a_program_writes_is_cut() -> None:
    answers = vectors.check_program(command('{"segments": ["x" * 100_000]}'))
    assert max(map(len, answers.wrong)) < 1_000
    answers = vectors.check_program(
        command('{"skipped": "x" * 100_000} if len(vector["text"]) else {}')
    )
    assert max(map(len, answers.skipped)) <= 300
    with pytest.raises(vectors.UnusableProgramError) as raised:
        vectors.check_program(failing("x" * 100_000))
    assert len(str(raised.value)) < 1_000


def test_a_program_that_does_not_end_is_an_error_and_ends(monkeypatch, tmp_path) -> None:
    monkeypatch.setattr(vectors, "_SECONDS", 0.5)
    # A child of the program keeps the lock until it has ended.
    lock = tmp_path / "lock"
    child = (
        "import fcntl, sys, time; file = open(sys.argv[1], 'w'); "
        "fcntl.flock(file, fcntl.LOCK_EX); print(flush=True); time.sleep(600)"
    )
    program = (
        "import subprocess, sys, time; "
        f"subprocess.Popen([sys.executable, '-c', {child!r}, {str(lock)!r}], stdout=-1)"
        ".stdout.readline(); time.sleep(600)"
    )
    with pytest.raises(vectors.UnusableProgramError, match=r"did not end within 0.5 s"):
        vectors.check_program([sys.executable, "-c", program])
    if lock.exists():
        with lock.open() as file:
            fcntl.flock(file, fcntl.LOCK_EX)  # hangs where the child is still alive
