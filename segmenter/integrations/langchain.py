"""The segmenter as a LangChain text splitter; needs langchain-text-splitters."""

import copy
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Self

from langchain_core.documents import Document
from langchain_text_splitters import Language, TextSplitter

from segmenter.separators import LISTS
from segmenter.text_segmenter import SEPARATORS, Separator, TextSegmenter


class LosslessTextSplitter(TextSplitter):
    """A TextSplitter whose chunks join back to the text exactly.

    ``chunk_size`` is the most code points that a chunk may have. ``separators`` are those of
    TextSegmenter; an empty one at their end, as LangChain's lists have it, changes nothing. With
    ``add_start_index``, a chunk's metadata says where it starts.

    The other options of LangChain's splitters may only have the value that keeps every character:
    ``chunk_overlap=0``, ``strip_whitespace=False``, ``keep_separator="end"``,
    ``length_function=len``, ``is_separator_regex=False``. Raises ValueError for another value, and
    as TextSegmenter does.
    """

    def __init__(
        self,
        chunk_size: int = 500,
        *,
        separators: Sequence[Separator] = SEPARATORS,
        add_start_index: bool = False,
        chunk_overlap: int = 0,
        strip_whitespace: bool = False,
        keep_separator: bool | str = "end",
        length_function: Callable[[str], int] = len,
        is_separator_regex: bool = False,
    ) -> None:
        if chunk_overlap != 0:
            raise ValueError(
                "chunk_overlap must be 0: chunks that overlap do not join to the text; to embed a "
                "chunk with what is around it, see segmenter.context.windows"
            )
        if strip_whitespace is not False:
            raise ValueError(
                "strip_whitespace must be False: stripped chunks do not join to the text; strip "
                "a chunk where you use it"
            )
        if keep_separator != "end":
            raise ValueError(
                'keep_separator must be "end": elsewhere a separator is lost, or parts a line from '
                "its indentation; leave keep_separator out"
            )
        if length_function is not len:
            raise ValueError(
                "length_function must be len: chunk_size counts code points; for a limit in "
                "tokens, see segmenter.tokens.TokenSegmenter"
            )
        if is_separator_regex is not False:
            raise ValueError(
                "is_separator_regex must be False: separators are literal strings; list the "
                "strings that the pattern stands for"
            )
        if list(separators[-1:]) == [
            ""
        ]:  # LangChain's word for every character, which comes anyway
            separators = separators[:-1]
        try:
            self._segmenter = TextSegmenter(chunk_size, separators=separators)
        except (TypeError, ValueError) as error:
            raise type(error)(str(error).replace("max_chunk_length", "chunk_size")) from None
        super().__init__(
            chunk_size=chunk_size,
            chunk_overlap=0,
            length_function=len,
            keep_separator="end",
            add_start_index=add_start_index,
            strip_whitespace=False,
        )

    @classmethod
    def from_language(cls, language: Language, chunk_size: int = 500, **options: Any) -> Self:
        """Return a splitter with the separators of ``segmenter.separators`` for a language.

        ``options`` are those of the class. Raises ValueError for a language without separators
        there.
        """
        separators = LISTS.get(Language(language).value)
        if separators is None:
            raise ValueError(
                f"no separators are known for {language}; give your own: "
                f"{cls.__name__}(separators=...)"
            )
        return cls(chunk_size, separators=separators, **options)

    def split_text(self, text: str) -> list[str]:
        """Return the chunks of ``text``."""
        return self._segmenter.split(text)

    def create_documents(
        self, texts: Iterable[str], metadatas: Iterable[dict[Any, Any]] | None = None
    ) -> list[Document]:
        """Return a document for each chunk, with a copy of its text's metadata.

        Raises ValueError if there are more or fewer metadatas than texts.
        """
        texts = list(texts)
        metadatas = [{} for _ in texts] if metadatas is None else list(metadatas)
        if len(metadatas) != len(texts):
            raise ValueError(f"there are {len(texts)} texts but {len(metadatas)} metadatas")
        documents = []
        for text, metadata in zip(texts, metadatas, strict=True):
            for start, end in self._segmenter.spans(text):
                own = copy.deepcopy(metadata)
                if self._add_start_index:
                    own["start_index"] = start
                documents.append(Document(text[start:end], metadata=own))
        return documents
