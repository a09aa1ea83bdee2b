import asyncio
from collections.abc import Iterator

import pytest
from langchain_core.document_loaders import BaseLoader
from langchain_core.documents import Document
from langchain_core.runnables import RunnableLambda
from langchain_text_splitters import Language

from segmenter import TextSegmenter
from segmenter.integrations.langchain import LosslessTextSplitter
from segmenter.separators import LISTS
from segmenter.testing.faults import FAULTS

TEXT = "one two.\n\n    three na na na na\n"
CHUNKS = ["one two.\n\n", "    three ", "na na na ", "na\n"]


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.name)
def test_chunks_of_texts_that_lose_elsewhere_join_and_say_where_they_start(fault):
    splitter = LosslessTextSplitter(fault.max_chunk_length, add_start_index=True)
    chunks = splitter.split_text(fault.text)
    assert "".join(chunks) == fault.text
    assert chunks == TextSegmenter(fault.max_chunk_length).split(fault.text)
    starts = [part.metadata["start_index"] for part in splitter.create_documents([fault.text])]
    assert starts == [len("".join(chunks[:number])) for number in range(len(chunks))]


def test_documents_carry_a_copy_of_their_metadata_and_their_start():
    splitter = LosslessTextSplitter(3, separators=[" "], add_start_index=True)
    metadata = {"source": "song", "pages": [1]}
    parts = splitter.split_documents([Document("na na na", metadata=metadata)])
    assert [(part.page_content, part.metadata) for part in parts] == [
        ("na ", {**metadata, "start_index": 0}),
        ("na ", {**metadata, "start_index": 3}),
        ("na", {**metadata, "start_index": 6}),
    ]
    parts[0].metadata["pages"].append(2)
    assert parts[1].metadata["pages"] == metadata["pages"] == [1]


def test_without_a_start_index_the_metadata_is_that_of_the_text():
    parts = LosslessTextSplitter(10).create_documents(iter([TEXT, "", "x"]), iter([{"n": 1}] * 3))
    assert [part.page_content for part in parts] == [*CHUNKS, "x"]
    assert all(part.metadata == {"n": 1} for part in parts)


def test_there_is_one_metadata_for_each_text():
    with pytest.raises(ValueError, match="there are 2 texts but 1 metadatas"):
        LosslessTextSplitter().create_documents(["a", "b"], [{}])


class Loader(BaseLoader):
    def lazy_load(self) -> Iterator[Document]:
        yield Document(TEXT, metadata={"source": "a"})
        yield Document("short", metadata={"source": "b"})


def contents(documents: list[Document]) -> list[str]:
    return [document.page_content for document in documents]


def test_it_stands_wherever_a_splitter_of_langchain_does():
    splitter = LosslessTextSplitter(chunk_size=10)
    expected = [*CHUNKS, "short"]
    documents = list(Loader().lazy_load())
    assert contents(Loader().load_and_split(splitter)) == expected
    assert contents(splitter.split_documents(Loader().lazy_load())) == expected
    assert contents(splitter.transform_documents(documents)) == expected
    assert contents(asyncio.run(splitter.atransform_documents(documents))) == expected
    step = RunnableLambda(splitter.transform_documents, afunc=splitter.atransform_documents)
    pipeline = RunnableLambda(lambda path: documents) | step | contents
    assert pipeline.invoke("a") == expected
    assert asyncio.run(pipeline.ainvoke("a")) == expected


@pytest.mark.parametrize(
    ("option", "value", "cause"),
    [
        ("chunk_overlap", 20, "chunks that overlap do not join to the text"),
        ("strip_whitespace", True, "stripped chunks do not join to the text"),
        ("keep_separator", True, "elsewhere a separator is lost"),
        ("keep_separator", False, "elsewhere a separator is lost"),
        ("keep_separator", "start", "elsewhere a separator is lost"),
        ("length_function", str.__len__, "chunk_size counts code points"),
        ("is_separator_regex", True, "separators are literal strings"),
    ],
)
def test_an_option_that_loses_is_refused_with_what_to_do(option, value, cause):
    with pytest.raises(
        ValueError, match=f"^{option} must be [^:]+: {cause}[^\n]*; [a-z]"
    ) as refused:
        LosslessTextSplitter(10, **{option: value})
    assert "\n" not in str(refused.value)


def test_the_values_that_lose_nothing_may_be_given():
    splitter = LosslessTextSplitter(
        chunk_size=10,
        chunk_overlap=0,
        strip_whitespace=False,
        keep_separator="end",
        length_function=len,
        is_separator_regex=False,
    )
    assert splitter.split_text(TEXT) == CHUNKS


def test_lists_of_separators_may_end_as_those_of_langchain_do():
    splitter = LosslessTextSplitter(3, separators=["-", " ", ""])
    assert splitter.split_text("a-b cde fg") == ["a-", "b ", "cd", "e ", "fg"]
    with pytest.raises(ValueError, match="a separator must not be empty"):
        LosslessTextSplitter(3, separators=["", " "])


def test_an_option_that_it_does_not_have_is_refused():
    with pytest.raises(TypeError, match="seperators"):
        LosslessTextSplitter(10, seperators=["-"])


@pytest.mark.parametrize(
    ("chunk_size", "error", "message"),
    [
        (0, ValueError, "^chunk_size must be positive, not 0$"),
        (None, TypeError, "^chunk_size must be an int, not None$"),
    ],
)
def test_a_size_is_refused_in_the_words_of_langchain(chunk_size, error, message):
    with pytest.raises(error, match=message):
        LosslessTextSplitter(chunk_size)


@pytest.mark.parametrize("language", Language)
def test_every_language_of_langchain_has_the_separators_of_its_name(language):
    splitter = LosslessTextSplitter.from_language(language.value, 10, add_start_index=True)
    segmenter = TextSegmenter(10, separators=LISTS[language.value])
    text = "a bcd ef\ng h\n\ndef f(x):\n    # if\n    return 1;\n}\nend\n"
    assert splitter.split_text(text) == segmenter.split(text)
    assert splitter.create_documents(["x"])[0].metadata == {"start_index": 0}


def test_a_declaration_opens_a_chunk():
    text = "def f(x):\n    return x\n\n\ndef g(x):\n    return f(x)\n"
    splitter = LosslessTextSplitter.from_language(Language.PYTHON, 40)
    assert splitter.split_text(text) == [
        "def f(x):\n    return x\n\n\n",
        "def g(x):\n    return f(x)\n",
    ]


def test_a_language_without_separators_is_named(monkeypatch):
    monkeypatch.setattr("segmenter.integrations.langchain.LISTS", {})
    with pytest.raises(ValueError, match=r"^no separators are known for .*GO; give your own: "):
        LosslessTextSplitter.from_language(Language.GO)
    with pytest.raises(ValueError, match="'klingon' is not a valid Language"):
        LosslessTextSplitter.from_language("klingon")
