"""README and docs: their commands run, their Python holds, their links lead somewhere."""

import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from harness.cli.commands import segbench
from harness.cli.reference import COMMANDS_PAGE, render_reference

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]
TYPED = {  # by page, what stands after a prompt
    page.name: [
        line.removeprefix("$ ")
        for block in re.findall(r"^```console\n(.*?)^```", page.read_text("utf-8"), re.M | re.S)
        for line in block.splitlines()
        if line.startswith("$ ")
    ]
    for page in PAGES
    # What was typed for runs that are kept.
    if page.name not in ("results.md", "retrieval.md", "speed.md")
}
# A model's library, and those whose examples `make integrations` runs.
NOT_INSTALLED = (
    "sentence_transformers",
    "haystack",
    "llama_index",
    "memmachine_server",
    "pyspark",
    "dask_kubernetes",
    "dask_jobqueue",
)
# These install, run every test, or set up a shell.
NOT_RUN = ("python -m pip install .", "make report", "make test", "export PATH=")


@pytest.fixture
def checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with what the examples name, and the files that the pages show."""
    shutil.copytree(ROOT / "docs", tmp_path / "docs")
    (mine,) = read_python(ROOT / "docs" / "your-splitter.md")
    (tmp_path / "mine.py").write_text(mine, encoding="utf-8")
    pipeline, _ = read_python(ROOT / "docs" / "your-documents.md")
    (tmp_path / "pipeline.py").write_text(pipeline, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def read_python(page: Path) -> list[str]:
    return re.findall(r"^```python\n(.*?)^```", page.read_text("utf-8"), re.M | re.S)


@pytest.mark.parametrize("name", [name for name, typed in TYPED.items() if typed])
def test_every_command_works_as_typed(name: str, checkout: Path) -> None:
    for line in TYPED[name]:
        if line.startswith(NOT_RUN) or "<!--" in line:
            continue
        command, _, file = line.partition(" > ")
        program, *arguments = shlex.split(command)
        if program == "segbench":
            result = CliRunner().invoke(segbench, arguments)
            assert result.exit_code == 0, (line, result.output)
            written = result.stdout
        else:
            assert program == "python", line
            done = subprocess.run(
                [sys.executable, *arguments], capture_output=True, text=True, cwd=checkout
            )
            assert done.returncode == 0, (line, done.stdout, done.stderr)
            written = done.stdout
        assert written
        if file:
            Path(file).write_text(written, encoding="utf-8")


def test_the_readme_says_which_commands_make_has() -> None:
    targets = re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text("utf-8"), re.M)
    made = [line.split()[1] for typed in TYPED.values() for line in typed if line[:5] == "make "]
    assert {"report", "test"} <= set(made) <= set(targets)


@pytest.mark.parametrize(
    "page", [page for page in PAGES if read_python(page)], ids=lambda page: page.name
)
def test_its_python_holds(page: Path, checkout: Path) -> None:
    for block in read_python(page):
        code = compile(block, page.name, "exec")
        try:
            exec(code, {"__name__": "example"})
        except ModuleNotFoundError as error:
            if error.name not in NOT_INSTALLED:
                raise


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_its_links_lead_somewhere(page: Path) -> None:
    text = page.read_text("utf-8")
    for link in re.findall(r"\]\(([^)\s]+)\)", re.sub(r"```.*?```", "", text, flags=re.S)):
        if "://" not in link and not link.startswith("#"):
            assert (page.parent / link.partition("#")[0]).exists(), link


def test_the_readme_shows_what_the_splitters_give() -> None:
    """The chunks before and after, which are those of LangChain's defaults and the segmenter's."""
    from langchain_text_splitters import RecursiveCharacterTextSplitter

    from segmenter import TextSegmenter
    from segmenter.separators import PYTHON

    text = (ROOT / "docs" / "settings.py").read_text("utf-8")
    chunks = RecursiveCharacterTextSplitter(chunk_size=300, chunk_overlap=0).split_text(text)
    segments = TextSegmenter(300, separators=PYTHON).split(text)
    assert len(chunks) == len(segments) == 2
    readme = (ROOT / "README.md").read_text("utf-8")
    before, after = re.findall(r"^```text\n(.*?)^```", readme, re.M | re.S)
    assert before == chunks[-1] + "\n"
    assert after == segments[-1]


def test_the_readme_fits_two_screens() -> None:
    assert len((ROOT / "README.md").read_text("utf-8").splitlines()) <= 130


def test_the_command_reference_is_that_of_the_commands() -> None:
    written = COMMANDS_PAGE.read_text("utf-8")
    assert written == render_reference(), "run python -m harness.cli.reference"
    assert set(re.findall(r"^## segbench (\w+)$", written, re.M)) == set(segbench.load_commands())
