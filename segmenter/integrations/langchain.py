"""The segmenter as a LangChain text splitter; needs langchain-text-splitters."""

from collections.abc import Sequence

from langchain_text_splitters import TextSplitter

from segmenter.text_segmenter import SEPARATORS, TextSegmenter


class SegmentTextSplitter(TextSplitter):
    """A TextSplitter whose chunks join back to the text.

    Takes what TextSegmenter takes. Of TextSplitter's own options only ``add_start_index`` has a
    meaning: chunks do not overlap, keep their separators and their whitespace, and are measured in
    code points. Raises as TextSegmenter does.
    """

    def __init__(
        self,
        max_chunk_length: int = 500,
        *,
        separators: Sequence[str] = SEPARATORS,
        add_start_index: bool = False,
    ) -> None:
        self._segmenter = TextSegmenter(max_chunk_length, separators=separators)
        super().__init__(
            chunk_size=max_chunk_length,
            chunk_overlap=0,
            length_function=len,
            keep_separator="end",
            add_start_index=add_start_index,
            strip_whitespace=False,
        )

    def split_text(self, text: str) -> list[str]:
        """Return the segments of ``text``."""
        return self._segmenter.split(text)
