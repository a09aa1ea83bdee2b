"""A mirror of texts of the project's own, laid out and nested as the data sets are."""

import json
from pathlib import Path
from typing import Any

# What a careless reader changes: line ends, a byte order mark, NUL, the rarer line separators.
ODD = "\ufeffone\r\ntwo\rthree\n\n\n four\u2028five\x85six\x00seven\u00a0\u3000 \U0001f600\t"


def write_parquet(path: Path, rows: list[dict[str, Any]]) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    path.parent.mkdir(parents=True, exist_ok=True)
    pq.write_table(pa.Table.from_pylist(rows), path)


def qasper_rows() -> list[dict[str, Any]]:
    return [
        {
            "id": "1910.1",
            "title": "Title",
            "abstract": ODD,
            "full_text": {
                "section_name": ["Introduction", "", None],
                "paragraphs": [["first", "", ODD], [], ["last"]],
            },
        },
        {
            "id": "1910.2",
            "title": "",
            "abstract": "A",
            "full_text": {"section_name": [], "paragraphs": []},
        },
    ]


def narrativeqa_rows(number: int, text: str, repeats: int) -> list[dict[str, Any]]:
    document = {"id": f"book{number}", "kind": "gutenberg", "text": text, "summary": {"text": "s"}}
    return [{"document": document, "question": {"text": f"q{n}"}} for n in range(repeats)]


def write_mirror(root: Path) -> None:
    """Every corpus of the catalogue that is fetched, in a few documents."""
    write_parquet(root / "allenai/qasper/train-00000-of-00001.parquet", qasper_rows())
    write_parquet(
        root / "deepset/covid_qa_deepset/train-00000-of-00001.parquet",
        [
            {"document_id": number, "context": text, "question": "?", "id": n}
            for n, (number, text) in enumerate([(7, ODD), (7, ODD), (3, "b\r\n"), (7, ODD)])
        ],
    )
    pages = [
        {"title": "Page", "url": "u", "contents": ["<h1>" + ODD + "</h1>", "", "<p>x</p>"]},
        {"title": "Other", "url": "u", "contents": ["<p>y</p>"]},
        {"title": "Page", "url": "u", "contents": ["again"]},
    ]
    path = root / "haitian-sun/ConditionalQA/documents.json"
    path.parent.mkdir(parents=True)
    path.write_text(json.dumps(pages), encoding="utf-8")
    write_parquet(
        root / "google-research-datasets/natural_questions/dev/validation-00000-of-00001.parquet",
        [
            {
                "id": "42",
                "document": {
                    "title": "t",
                    "html": "",
                    "tokens": {
                        "token": ["<P>", "One", "\u2028", "", "two", "</P>"],
                        "is_html": [True, False, False, False, False, True],
                        "start_byte": [0] * 6,
                    },
                },
            }
        ],
    )
    # 40 rows, so that a book repeats across the batches and the files.
    write_parquet(
        root / "deepmind/narrativeqa/data/train-00000-of-00002.parquet",
        narrativeqa_rows(1, ODD, 18) + narrativeqa_rows(2, "two", 12),
    )
    write_parquet(
        root / "deepmind/narrativeqa/data/train-00001-of-00002.parquet",
        narrativeqa_rows(2, "two", 4) + narrativeqa_rows(3, "three\n", 2),
    )
    write_parquet(
        root / "deepmind/narrativeqa/data/test-00000-of-00001.parquet",
        narrativeqa_rows(3, "three\n", 2) + narrativeqa_rows(4, " four ", 2),
    )
    corpus = root / "awinml/legalbench-rag/corpus"
    for name, content in {
        "cuad/B.txt": ODD.encode(),
        "cuad/a,b%20é.txt": b"a\r\n",
        "contractnli/x.txt": b"\xef\xbb\xbfNDA\r",
        "cuad/notes.md": b"not a document",
    }.items():
        (corpus / name).parent.mkdir(parents=True, exist_ok=True)
        (corpus / name).write_bytes(content)


EXPECTED = {
    "qasper": {
        "1910.1": f"Title\n\n{ODD}\n\nIntroduction\n\nfirst\n\n\n\n{ODD}\n\nlast",
        "1910.2": "\n\nA",
    },
    "covid_qa": {"7": ODD, "3": "b\r\n"},
    "conditionalqa": {"Page": f"<h1>{ODD}</h1>\n\n<p>x</p>", "Other": "<p>y</p>"},
    "natural_questions": {"42": "One \u2028  two"},
    "narrativeqa": {"book1": ODD, "book2": "two", "book3": "three\n", "book4": " four "},
    "legalbench_rag": {
        "contractnli/x.txt": "\ufeffNDA\r",
        "cuad/B.txt": ODD,
        "cuad/a,b%20é.txt": "a\r\n",
    },
}
