"""The segmenter as a component of Haystack; needs haystack-ai."""

import logging
from collections.abc import Sequence
from copy import deepcopy
from typing import Any, Self

from haystack import Document, component, default_from_dict, default_to_dict

from segmenter.text_segmenter import SEPARATORS, Separator, TextSegmenter

logger = logging.getLogger(__name__)


@component
class LosslessDocumentSplitter:
    """A component that splits documents into ones that join back to their text.

    ``split_length`` is the most code points that one may have. The documents have the metadata of
    theirs, and as those of Haystack's splitters ``source_id`` and ``parent_id``, ``split_id``,
    which counts them from 0, ``split_idx_start``, where they start, and ``page_number``, which
    counts form feeds. Documents without a text are left out, with a warning.

    Raises as TextSegmenter does.
    """

    def __init__(
        self, split_length: int = 500, separators: Sequence[Separator] = SEPARATORS
    ) -> None:
        # A pipeline that was serialized has lists for tuples.
        given = [tuple(each) if isinstance(each, list) else each for each in separators]
        self._segmenter = TextSegmenter(split_length, separators=given)

    def to_dict(self) -> dict[str, Any]:
        """Return what a serialized pipeline keeps of the component."""
        made: dict[str, Any] = default_to_dict(
            self,
            split_length=self._segmenter.max_chunk_length,
            separators=[
                each if isinstance(each, str) else list(each) for each in self._segmenter.separators
            ],
        )
        return made

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Self:
        """Return the component that was serialized."""
        made: Self = default_from_dict(cls, data)
        return made

    @component.output_types(documents=list[Document])  # type: ignore[untyped-decorator]
    def run(self, documents: list[Document]) -> dict[str, list[Document]]:
        """Split the documents, in their order."""
        parts = []
        for document in documents:
            text = document.content
            if not text:
                logger.warning("document %s has no text and is left out", document.id)
                continue
            page = 1
            for number, (start, end) in enumerate(self._segmenter.spans(text)):
                segment = text[start:end]
                # The page that its first character is on, after those that it ends itself.
                opened = len(segment) - len(segment.lstrip("\f"))
                parts.append(
                    Document(
                        content=segment,
                        meta={
                            **deepcopy(document.meta),
                            "source_id": document.id,
                            "parent_id": document.id,
                            "split_id": number,
                            "split_idx_start": start,
                            "page_number": page + opened % len(segment),
                        },
                    )
                )
                page += segment.count("\f")
        return {"documents": parts}
