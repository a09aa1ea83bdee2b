"""The pytest plugin, run as anyone would run it."""

import functools
import os
import subprocess
import sys
from importlib import metadata
from pathlib import Path

import pytest

from segmenter import TextSegmenter
from segmenter.testing import known, load_cases
from segmenter.testing.notation import read_notation
from segmenter.testing.suite import SplitterTests

pytest_plugins = ["pytester"]

ROOT = Path(__file__).parents[3]

STRIPPING = """
def make(limit):
    def split(text):
        return [text[i:i + limit].strip() for i in range(0, len(text), limit)]
    return split

def unmade(limit):
    raise OSError("no model")

def words(text):
    return text.split()

STRIPPED = "text"
"""


@pytest.fixture
def run(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch):
    """Runs pytest in an empty project."""
    monkeypatch.delenv("CI", raising=False)  # pytest would print the failures a second time
    pytester.makepyfile(stripping=STRIPPING)
    return functools.partial(pytester.runpytest_inprocess, "-p", "segmenter.testing.plugin")


def test_three_lines_are_enough(pytester, run) -> None:
    pytester.makepyfile(
        """
        import pytest
        from segmenter.testing import SplitterTests
        from segmenter import TextSegmenter

        class TestMine(SplitterTests):
            @pytest.fixture
            def splitter(self):
                return TextSegmenter
        """
    )
    result = run("-k", "exact-fit or empty-text or (any_text and join)", "-v")
    assert set(result.parseoutcomes()) == {"passed", "deselected"}
    result.stdout.fnmatch_lines(
        [
            "*::TestMine::test_case[[]join-exact-fit] PASSED*",
            "*::TestMine::test_case[[]offsets-empty-text] PASSED*",
            "*::TestMine::test_any_text[[]join] PASSED*",
        ]
    )


def result_deselected(result: pytest.RunResult) -> int:
    return int(result.parseoutcomes()["deselected"])


def test_the_command_line_is_enough(run) -> None:
    arguments = ("--pyargs", "segmenter.testing", "--splitter", "segmenter:TextSegmenter", "-q")
    result = run(*arguments, "--rules", "join")
    outcomes = result.parseoutcomes()
    assert set(outcomes) == {"passed"}
    assert outcomes["passed"] == 2 * (len(load_cases()) + 1)
    assert result.ret == 0


def test_the_header_names_splitter_version_and_rules(run, pytester) -> None:
    arguments = ("--pyargs", "segmenter.testing", "--rules", "join,fits", "-k", "exact-fit")
    pytester.makepyfile(
        keeping="""
        from langchain_text_splitters import RecursiveCharacterTextSplitter

        def make(limit):
            return RecursiveCharacterTextSplitter(chunk_size=limit, chunk_overlap=0)
        """
    )
    result = run(*arguments, "--splitter", "keeping:make")
    version = metadata.version("langchain-text-splitters")
    result.stdout.fnmatch_lines(
        [f"splitter: keeping:make (langchain-text-splitters {version}), rules: join,fits"]
    )
    result = run(*arguments, "--splitter", "stripping:make")
    result.stdout.fnmatch_lines(
        ["splitter: stripping:make (no installed distribution), rules: join,fits"]
    )


def test_a_failure_shows_all_that_is_needed(run) -> None:
    arguments = ("--pyargs", "segmenter.testing", "--splitter", "stripping:make", "-k")
    result = run(*arguments, "join-trailing-newlines")
    result.stdout.fnmatch_lines(
        [
            "=* BROKEN RULES, the smallest text of each =*",
            "_* TestSplitter: join, on 1 text _*",
            "rule:      join: The segments, joined, are the text exactly.",
            "splitter:  stripping:make, limit 8",
            "case:      trailing-newlines (SPEC.md:*)",
            "text:      |alpha·beta↵↵·|",
            "segments:  |alpha·be|ta|",
            "found:     at 10: 3 characters lost, 0 added; expected: the text exactly",
            "reproduce: python -c 'from segmenter.testing import split; "
            'print(split("stripping:make", "alpha beta\\n\\n ", 8))\'',
            "*1 failed, * deselected in *",
        ],
        consecutive=True,
    )
    result.assert_outcomes(failed=1, deselected=result_deselected(result))


def test_the_line_that_reproduces_does_so(run, pytester) -> None:
    arguments = ("--pyargs", "segmenter.testing", "--splitter", "stripping:make", "-k")
    for name in ("trailing-newlines", "fault-far-blank-line", "test_any_text"):
        result = run(*arguments, f"join and {name}")
        told = dict(line.split(maxsplit=1) for line in result.outlines if ":  " in line)
        (line,) = (line for line in result.outlines if line.startswith("reproduce: "))
        command = line.removeprefix("reproduce: ").replace("python", sys.executable, 1)
        environment = {**os.environ, "PYTHONPATH": str(ROOT)}
        again = subprocess.run(command, shell=True, capture_output=True, text=True, env=environment)
        limit = int(told["splitter:"].rpartition(" ")[2])
        case = load_cases().get(name)
        text = case.text if case else read_notation(told["text:"].strip("|"))
        segments = [text[i : i + limit].strip() for i in range(0, len(text), limit)]
        assert again.stdout == f"{segments}\n"


def test_the_line_that_reproduces_shows_what_segments_do_not(run, pytester) -> None:
    pytester.makepyfile(
        misplacing="""
        class Splitter:
            def __init__(self, limit): self.limit = limit
            def spans(self, text):
                return [(i + 1, i + 1 + self.limit) for i in range(0, len(text), self.limit)]
            def split(self, text):
                return [text[i : i + self.limit] for i in range(0, len(text), self.limit)]
        """
    )
    result = run(
        *("--pyargs", "segmenter.testing", "--splitter", "misplacing:Splitter"),
        *("--rules", "offsets", "-k", "offsets and one-over"),
    )
    (line,) = (line for line in result.outlines if line.startswith("reproduce: "))
    command = line.removeprefix("reproduce: ").replace("python", sys.executable, 1)
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    again = subprocess.run(command, shell=True, capture_output=True, text=True, env=environment)
    (found,) = (line for line in result.outlines if line.startswith("found: "))
    assert found in again.stdout.splitlines()
    assert found.endswith("hello is not at 1")


def test_what_hypothesis_finds_is_small(run) -> None:
    result = run(
        "--pyargs", "segmenter.testing", "--splitter", "stripping:make", "-k", "any_text and join"
    )
    result.stdout.fnmatch_lines(["text:      |?|", "segments:  ||"])
    assert (
        result.outlines.count("rule:      join: The segments, joined, are the text exactly.") == 1
    )


KNOWN = """
[[violation]]
rule = "join"
cases = [{cases}]
reason = "it strips"
"""


def test_known_violations_are_expected_and_no_others(run, pytester) -> None:
    arguments = ["--pyargs", "segmenter.testing", "--splitter", "stripping:make", "-q", "-k"]
    arguments += [
        "join and (leading-newlines or trailing-newlines)",
        "--known-violations",
        "k.toml",
    ]
    Path("k.toml").write_text(KNOWN.format(cases='"leading-newlines", "trailing-newlines"'))
    result = run(*arguments)
    result.assert_outcomes(xfailed=2, deselected=result_deselected(result))
    assert result.ret == 0
    Path("k.toml").write_text(KNOWN.format(cases='"leading-newlines"'))
    result = run(*arguments)
    result.assert_outcomes(xfailed=1, failed=1, deselected=result_deselected(result))


def test_a_known_violation_that_is_none_any_more_fails(run) -> None:
    Path("k.toml").write_text(KNOWN.format(cases='"exact-fit"'))
    arguments = ["--pyargs", "segmenter.testing", "--splitter", "segmenter:TextSegmenter", "-q"]
    result = run(*arguments, "--known-violations", "k.toml", "-k", "join-exact-fit")
    assert result.parseoutcomes()["failed"] == 1
    result.stdout.fnmatch_lines(
        [
            "*XPASS(strict)* it strips",
            "FAILED *[[]join-exact-fit]*",
        ]
    )


@pytest.mark.parametrize(
    ("rule", "made", "message"),
    [
        ("join", "lambda text: [text.encode().decode()]", "but the splitter refused the text, *"),
        ("offsets", "lambda text: [text]", "but the splitter does not say where *"),
    ],
)
def test_a_known_violation_that_cannot_be_tried_fails(run, pytester, rule, made, message) -> None:
    pytester.makepyfile(mine=f"def make(limit): return {made}")
    violation = KNOWN.format(cases='"unpaired-surrogate"').replace("join", rule)
    Path("k.toml").write_text(violation)
    arguments = ["--pyargs", "segmenter.testing", "--splitter", "mine:make", "--rules", rule]
    result = run(*arguments, "--known-violations", "k.toml", "-k", f"{rule}-unpaired")
    result.assert_outcomes(failed=1, deselected=result_deselected(result))
    result.stdout.fnmatch_lines(
        [f"E *KnownViolationsError: listed as a known violation, {message}"]
    )


def test_a_splitter_that_refuses_a_text_breaks_one_rule(run, pytester) -> None:
    pytester.makepyfile(refusing="def make(limit): return lambda text: [text.encode().decode()]")
    result = run(
        *("--pyargs", "segmenter.testing", "--splitter", "refusing:make", "-q", "-rs"),
        *("--rules", "join", "-k", "surrogate"),
    )
    outcomes = result.parseoutcomes()
    assert outcomes["failed"] == outcomes["skipped"] == 3
    result.stdout.fnmatch_lines(
        [
            "SKIPPED * the splitter refused the text, see the rule accepts: UnicodeEncodeError*",
            "rule:      accepts: Every text gives segments at every limit, whatever is in it, and "
            "nothing raises.",
            "found:     UnicodeEncodeError: 'utf-8' codec can't encode*",
        ]
    )


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "*say what to test: --splitter MODULE:FACTORY"),
        (["--splitter", "nobody:make"], "*no splitter at nobody:make: *No module named 'nobody'"),
        (["--splitter", "stripping:mak"], "*no splitter at stripping:mak: *has no 'mak'"),
        (["--splitter", "stripping:STRIPPING.x"], "*no splitter at stripping:STRIPPING.x: *"),
        (["--splitter", "langchain-kep"], "langchain-kep names no factory; write MODULE:FACTORY"),
        (
            ["--splitter", "stripping:STRIPPED"],
            "*stripping:STRIPPED is a str, not a factory; a factory is called with the limit, *",
        ),
        (["--splitter", "raising:make"], "*no splitter at raising:make: RuntimeError: no *, sorry"),
        (["--splitter", "raising.py:make"], "*no splitter at raising.py:make: RuntimeError: no *"),
        (["--splitter", "leaving:make"], "*no splitter at leaving:make: SystemExit: 7"),
        (["--splitter", "stripping:make", "--rules", ""], "*no rule is named; there are lossless*"),
        (["--splitter", "nobody.py:make"], "*no splitter at nobody.py:make: *no file nobody.py"),
        (["--splitter", "ending:make"], "*ending:make*its process, with status 0"),
        (
            ["--splitter", "stripping:words"],
            "stripping:words makes no splitter: AttributeError: 'int' object has no attribute "
            "'split'; a factory is called with the limit, *",
        ),
        (
            ["--splitter", "stripping:make", "--time-limit", "-1"],
            "--time-limit is a number of seconds, not -1",
        ),
        (
            ["--splitter", "stripping:make", "--time-limit", "nan"],
            "--time-limit is a number of seconds, not nan",
        ),
        (
            ["--splitter", "stripping:unmade"],
            "*stripping:unmade makes no splitter: OSError: no model",
        ),
        (
            ["--splitter", "stripping:make", "--rules", "join,fit"],
            "*no rule is named 'fit'; did you mean fits*",
        ),
        (
            ["--splitter", "stripping:make", "--known-violations", "none.toml"],
            "*none.toml: No such file or directory",
        ),
    ],
)
def test_a_wrong_command_line_is_one_line(run, pytester, arguments, message) -> None:
    pytester.makepyfile(raising="raise RuntimeError('no licence,\\nsorry')")
    pytester.makepyfile(leaving="import sys; sys.exit(7)", ending="import os; os._exit(0)")
    result = run("--pyargs", "segmenter.testing", *arguments)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert "Traceback" not in result.stderr.str() + result.stdout.str()
    result.stderr.fnmatch_lines([f"ERROR: {message}"])


def test_a_broken_splitter_is_summarized_by_rule(run) -> None:
    suite = ("--pyargs", "segmenter.testing", "--splitter", "stripping:make")
    result = run(*suite, "--rules", "join,empty")
    assert result.parseoutcomes()["failed"] > 60
    assert len(result.outlines) < 120
    told = [line for line in result.outlines if line.startswith(("text:", "rule:"))]
    # A single space is the smallest text that a splitter can break either rule on by stripping.
    assert told[0].startswith("rule:      join: ")
    assert len(told[1]) == len("text:      |·|")
    assert told[2].startswith("rule:      empty: ")
    assert len(told[3]) == len("text:      |·|")
    (also, _) = (line for line in result.outlines if line.startswith("also on:   "))
    assert also.split()[2:4] == ["one-each,", "whitespace-that-fits,"]
    result.stdout.no_fnmatch_line("FAILED *")


MINE = """
import pytest
from segmenter.testing import SplitterTests
import stripping

class TestMine(SplitterTests):
    rules = "join"

    @pytest.fixture
    def splitter(self):
        return stripping.make

def test_other():
    assert False
"""


def test_a_class_is_summarized_beside_other_failures(pytester, run) -> None:
    pytester.makepyfile(test_mine=MINE)
    result = pytester.runpytest_inprocess("-k", "newlines or other", "-p", "no:randomly")
    assert result.parseoutcomes()["failed"] == 8
    result.stdout.fnmatch_lines(
        [
            "_* test_other _*",
            "FAILED test_mine.py::test_other - *",
            "_* TestMine: join, on 7 texts _*",
            "case:      newlines-do-not-matter-in-a-unit-too-long (SPEC.md:*)",
            "also on:   *",
        ]
    )
    assert sum(line.startswith("FAILED") for line in result.outlines) == 1


def test_tests_in_several_processes_are_summarized_once(pytester, run) -> None:
    pytester.makepyfile(test_mine=MINE)
    options = ("-p", "segmenter.testing.plugin", "-n2", "-k", "newlines or other")
    result = pytester.runpytest_subprocess(*options)
    assert result.parseoutcomes()["failed"] == 8
    result.stdout.fnmatch_lines(
        ["_* TestMine: join, on 7 texts _*", "rule: *", "splitter: *", "case:      newlines-do-*"],
        consecutive=True,
    )
    assert sum(line.startswith(("FAILED", "case:")) for line in result.outlines) == 2


HANGING = """
import collections, itertools, os

def make(limit):
    def split(text):
        if "\u3000" in text:
            collections.deque(itertools.repeat(0), maxlen=0)
        return [text]
    return split

def always(limit):
    def split(text):
        while True:
            pass
    return split

def ending(limit):
    return lambda text: os._exit(0)
"""


def test_a_splitter_that_hangs_fails_where_it_does(run, pytester) -> None:
    pytester.makepyfile(hanging=HANGING)
    result = run(
        *("--pyargs", "segmenter.testing", "--splitter", "hanging:make", "-v"),
        *("--rules", "join", "--time-limit", "2", "-k", "ideograph and not indent or exact-fit"),
    )
    result.stdout.fnmatch_lines(
        [
            "*test_case[[]accepts-exact-fit] PASSED*",
            "*test_case[[]accepts-ideographic-space-goes-left] FAILED*",
            "*test_case[[]join-exact-fit] PASSED*",
            "*test_case[[]join-ideographic-space-goes-left] SKIPPED*",
            "case:      ideographic-space-goes-left *",
            "found:     it did not end within 2 s; it was in split, *hanging.py:6",
        ]
    )


@pytest.mark.parametrize("which", ["test_case", "test_any_text"])
def test_a_splitter_that_always_hangs_is_not_waited_for_all_the_time(run, pytester, which) -> None:
    pytester.makepyfile(hanging=HANGING)
    result = run(
        *("--pyargs", "segmenter.testing", "--splitter", "hanging:always", "-rs", "-k", which),
        *("--rules", "join", "--time-limit", "0.2"),
    )
    outcomes = result.parseoutcomes()
    tried = {"test_case": 3, "test_any_text": 1}[which]
    assert (outcomes["failed"], "passed" in outcomes, result.ret) == (tried, False, 1)
    if which == "test_case":
        result.stdout.fnmatch_lines(["SKIPPED * not tried: the splitter did not end on 3 other *"])


@pytest.mark.parametrize("which", ["exact-fit", "test_any_text"])
def test_a_splitter_that_ends_the_process_does_not_pass(pytester, which) -> None:
    pytester.makepyfile(hanging=HANGING)
    command = [sys.executable, "-m", "segmenter.testing", "--splitter", "hanging:ending"]
    command += ["--rules", "join", "-p", "no:cacheprovider", "-k", which]
    result = subprocess.run(command, capture_output=True, text=True)
    assert result.returncode == 1
    lines = result.stdout.splitlines()
    assert "found:     it ended its process, with status 0" in lines
    assert not any(" passed" in line for line in lines[-1:])


def test_the_time_limit_of_a_class_is_its_own(run, pytester) -> None:
    pytester.makepyfile(hanging=HANGING)
    mine = MINE.replace("stripping", "hanging").replace("hanging.make", "hanging.always")
    pytester.makepyfile(test_mine=mine.replace("rules =", "time_limit = 0.3\n    rules ="))
    result = run("-k", "accepts and (exact-fit or any_text)")
    result.stdout.fnmatch_lines(["found:     it did not end within 0.3 s; it was in split, *"])
    assert result.parseoutcomes()["failed"] == 3


def test_a_splitter_may_be_given_by_its_file(run, pytester) -> None:
    pytester.mkdir("else").joinpath("mine.py").write_text(STRIPPING)
    arguments = ("--pyargs", "segmenter.testing", "--splitter", "else/mine.py:make", "--rules")
    result = run(*arguments, "join", "-k", "join-trailing-newlines")
    result.stdout.fnmatch_lines(
        [
            "splitter: else/mine.py:make (no installed distribution), rules: join",
            "splitter:  else/mine.py:make, limit 8",
        ]
    )
    result.assert_outcomes(failed=1, deselected=result_deselected(result))


def test_a_splitter_whose_package_is_not_installed_is_one_line(run, pytester) -> None:
    pytester.makepyfile(absent="def make(limit): import a_package_that_nobody_has")
    result = run("--pyargs", "segmenter.testing", "--splitter", "absent:make")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert result.errlines[:1] == [
        "ERROR: absent:make makes no splitter: "
        "ModuleNotFoundError: No module named 'a_package_that_nobody_has'"
    ]


OWN_OPTIONS = """
def pytest_addoption(parser):
    parser.addoption("--splitter", choices=["wood", "stone"])
    parser.addoption("--rules")
"""


@pytest.mark.parametrize("arguments", [["--splitter", "wood"], ["--splitter=wood"]])
def test_an_option_of_the_same_name_is_left_to_the_project(pytester, run, arguments) -> None:
    pytester.makeconftest(OWN_OPTIONS)
    pytester.makepyfile(
        """
        def test_own(pytestconfig):
            assert pytestconfig.getoption("splitter") == "wood"
            assert pytestconfig.getoption("rules") == "mine"
        """
    )
    result = run(*arguments, "--rules", "mine")
    result.assert_outcomes(passed=1)
    result.stdout.no_fnmatch_line("splitter:*")


def test_options_of_the_same_name_do_not_reach_the_tests_of_a_class(pytester, run) -> None:
    pytester.makeconftest(OWN_OPTIONS)
    pytester.makepyfile(
        """
        import pytest
        from segmenter.testing import SplitterTests
        from segmenter import TextSegmenter

        class TestMine(SplitterTests):
            @pytest.fixture
            def splitter(self):
                return TextSegmenter
        """
    )
    result = run("--splitter", "wood", "--rules", "mine", "-k", "join-exact-fit")
    result.assert_outcomes(passed=2, deselected=result_deselected(result))


@pytest.mark.parametrize("name", ["--splitter", "--rules"])
def test_the_suite_does_not_run_where_its_options_are_taken(pytester, run, name) -> None:
    pytester.makeconftest(f"def pytest_addoption(parser): parser.addoption({name!r})")
    result = run("--pyargs", "segmenter.testing", "--splitter", "segmenter:TextSegmenter")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines([f"ERROR: {name} is an option of this project already; run *"])
    assert "Traceback" not in result.stderr.str()


def test_a_project_that_does_not_name_it_has_nothing_of_it(pytester, monkeypatch) -> None:
    # A package of the same name: were anything loaded beforehand, it could not be imported.
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    for package in ("segmenter", "harness"):
        pytester.mkpydir(package).joinpath("own.py").write_text("VALUE = 7")
    pytester.makeconftest(
        "def pytest_addoption(parser):\n"
        "    for name in ('--splitter', '--rules', '--known-violations'):\n"
        "        parser.addoption(name)\n"
    )
    pytester.makepyfile(
        """
        import pytest
        from harness.own import VALUE
        from segmenter.own import VALUE

        @pytest.fixture
        def splitter():
            return VALUE

        def test_own(pytestconfig, splitter):
            assert splitter == 7
            assert pytestconfig.getoption("rules") == "mine"
        """
    )
    result = pytester.runpytest_subprocess("--rules", "mine")
    result.assert_outcomes(passed=1)
    listed = pytester.runpytest_subprocess("--markers", "--fixtures").stdout.str()
    assert "segmenter.testing" not in listed
    plugins = {point.value for point in metadata.entry_points(group="pytest11")}
    assert not [name for name in plugins if name.startswith(("segmenter", "corpora", "harness"))]


def test_the_plugin_is_silent_until_it_is_used(pytester) -> None:
    pytester.makeconftest("def pytest_addoption(parser): parser.addoption('--rules')")
    pytester.makepyfile(
        """
        import sys

        def test_own(pytestconfig):
            assert pytestconfig.getoption("rules") == "mine"
            assert "segmenter.testing.trial" not in sys.modules
            assert "hypothesis" not in sys.modules
        """
    )
    options = ("-p", "segmenter.testing.plugin", "-p", "no:hypothesispytest")
    result = pytester.runpytest_subprocess(*options, "--rules", "mine")
    result.assert_outcomes(passed=1)
    result.stdout.no_fnmatch_line("splitter:*")


def test_the_module_is_a_command(pytester) -> None:
    pytester.makepyfile(stripping=STRIPPING)
    command = [sys.executable, "-m", "segmenter.testing", "--splitter", "stripping:make"]
    command += ["--rules", "join", "-k", "trailing-newlines", "-p", "no:cacheprovider"]
    result = subprocess.run(command, capture_output=True, text=True)
    assert result.returncode == 1
    assert "splitter:  stripping:make, limit 8" in result.stdout.splitlines()


def test_the_plugin_imports_pytest_alone() -> None:
    program = (
        "import sys, pytest; before = set(sys.modules); import segmenter.testing.plugin; "
        "print(sorted({name.split('.')[0] for name in set(sys.modules) - before}))"
    )
    command = [sys.executable, "-c", program]
    found = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    assert found.stdout == "['segmenter']\n"


@pytest.mark.parametrize(
    ("document", "message"),
    [
        ("violation = 3", r"write each as \[\[violation\]\]"),
        ("[[violation]]\nrule = 'join'\ncases = ['exact-fit']", "a rule, cases and a reason, not"),
        ("[[violation]]\nrule = 'join'\ncases = ['exact-fit']\nreason = ' '", "and a reason"),
        ("[[violation]]\nrule = 'join'\ncases = []\nreason = 'r'", "and a reason"),
        ("[[violation]]\nrule = 'join'\ncases = [['exact-fit']]\nreason = 'r'", "and a reason"),
        ("[[violation]]\nrule = 'join'\ncases = [3]\nreason = 'r'", "and a reason"),
        (
            "[[violation]]\nrule = 'edges'\ncases = ['exact-fit']\nreason = 'r'",
            "no splitter can break edges on exact-fit",
        ),
        ("[[violation]]\nrule = 'joins'\ncases = ['exact-fit']\nreason = 'r'", "rule .* 'joins'"),
        ("[[violation]]\nrule = 'join'\ncases = ['exact']\nreason = 'r'", "case .* 'exact'"),
        (
            "[[violation]]\nrule = 'join'\ncases = ['exact-fit', 'exact-fit']\nreason = 'r'",
            "join on exact-fit is listed twice",
        ),
        ("[violation", "is not TOML"),
    ],
)
def test_a_file_of_known_violations_is_read_strictly(tmp_path, document, message) -> None:
    path = tmp_path / "known.toml"
    path.write_text(document)
    with pytest.raises(known.KnownViolationsError, match=message):
        known.read_known_violations(path)


class TestSegmenter(SplitterTests):
    """Our own splitter, by texts that are found."""

    rules = "whitespace,overlap"
    test_case = None  # see test_checks.py

    @pytest.fixture
    def splitter(self):
        return TextSegmenter
