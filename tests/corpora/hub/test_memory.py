"""Memory is bounded by a few rows, however often they repeat a book."""

import json
import random
import subprocess
import sys
from pathlib import Path

import pytest

STATUS = Path("/proc/self/status")

# Not getrusage: on Linux a new process inherits the peak of the one that started it.
READ = """
import json, re, sys
from pathlib import Path
import corpora
documents = [(d.id, len(d.text)) for d in corpora.load("narrativeqa", mirror=Path(sys.argv[1]))]
(peak,) = re.findall(r"VmHWM:\\s*(\\d+) kB", Path("/proc/self/status").read_text())
print(json.dumps([documents, int(peak) // 1024]))
"""
WORDS = ["the", "whale", "of", "sea", "a", "captain", "and", "ship", "to", "harpoon"]


@pytest.mark.skipif(not STATUS.exists(), reason="this platform does not tell a process's peak")
@pytest.mark.parametrize("use_dictionary", [True, False])
def test_repeated_books(use_dictionary: bool, tmp_path: Path) -> None:
    """Ten books of 400 kB, each on a hundred rows: 400 MB in one row group."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    source = random.Random(0)
    books = [" ".join(source.choices(WORDS, k=90_000))[:400_000] for _ in range(10)]
    assert {len(book) for book in books} == {400_000}
    path = tmp_path / "deepmind/narrativeqa/data/train-00000-of-00001.parquet"
    path.parent.mkdir(parents=True)
    rows = pa.array([{"id": str(number), "text": book} for number, book in enumerate(books)])
    documents = pa.chunked_array([rows] * 100)
    pq.write_table(pa.table({"document": documents}), path, use_dictionary=use_dictionary)
    assert pq.ParquetFile(path).num_row_groups == 1
    result = subprocess.run(
        [sys.executable, "-c", READ, str(tmp_path)], capture_output=True, text=True, check=True
    )
    read, peak = json.loads(result.stdout)
    assert read == [[str(number), 400_000] for number in range(10)]
    assert peak < 450, f"{peak} MB, of which the libraries alone need 180"
