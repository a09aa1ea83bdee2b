"""LangChain's recursive splitter with MemMachine's separators; keeps them and whitespace."""

from langchain_text_splitters import RecursiveCharacterTextSplitter

from segmenter import SEPARATORS


def make(limit: int) -> RecursiveCharacterTextSplitter:
    """The splitter for a limit in code points."""
    return RecursiveCharacterTextSplitter(
        separators=[*SEPARATORS, ""],
        chunk_size=limit,
        chunk_overlap=0,
        keep_separator="end",
        strip_whitespace=False,
    )
