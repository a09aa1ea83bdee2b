"""The segmenter as a node parser of LlamaIndex; needs llama-index-core."""

from collections.abc import Sequence
from typing import Any

from llama_index.core.bridge.pydantic import Field, PrivateAttr, field_validator
from llama_index.core.node_parser import TextSplitter
from llama_index.core.node_parser.node_utils import build_nodes_from_splits, default_id_func
from llama_index.core.schema import BaseNode, Document, MetadataMode, TextNode
from llama_index.core.utils import get_tqdm_iterable

from segmenter.text_segmenter import SEPARATORS, Separator, TextSegmenter


class LosslessNodeParser(TextSplitter):  # type: ignore[misc] # it is not installed there
    """A TextSplitter of LlamaIndex whose nodes join back to the text of their document.

    A node's ``start_char_idx`` and ``end_char_idx`` are its place in that text, known rather than
    searched for. The other fields are those of every NodeParser.

    Metadata is added to a node's text when it is embedded, and does not count towards
    ``chunk_size``. Raises as TextSegmenter does.
    """

    chunk_size: int = Field(default=500, description="The most code points of a node's text.")
    separators: tuple[Separator, ...] = Field(
        default=SEPARATORS, description="Where a text is cut, the most wanted first."
    )
    _segmenter: TextSegmenter = PrivateAttr()

    @field_validator("id_func", mode="before")  # type: ignore[untyped-decorator]
    @classmethod
    def _read_id_func(cls, given: Any) -> Any:
        # LlamaIndex does not read again what it writes for the function that it has by default.
        written = isinstance(given, dict) and given.get("id_func_name") == default_id_func.__name__
        return default_id_func if written else given

    def model_post_init(self, context: Any) -> None:
        """Make the segmenter, which refuses what cannot be a limit or separators."""
        super().model_post_init(context)
        self._segmenter = TextSegmenter(self.chunk_size, separators=self.separators)

    @classmethod
    def class_name(cls) -> str:
        """Return the name that a serialized pipeline has for the class."""
        return "LosslessNodeParser"

    def split_text(self, text: str) -> list[str]:
        """Return the segments of ``text``."""
        return self._segmenter.split(text)

    def _parse_nodes(
        self, nodes: Sequence[BaseNode], show_progress: bool = False, **_: Any
    ) -> list[BaseNode]:
        parsed: list[BaseNode] = []
        for node in get_tqdm_iterable(nodes, show_progress, "Parsing nodes"):
            text = node.get_content(metadata_mode=MetadataMode.NONE)
            spans = self._segmenter.spans(text)
            segments = [text[start:end] for start, end in spans]
            made = build_nodes_from_splits(segments, node, id_func=self.id_func)
            for part, (start, end) in zip(made, spans, strict=True):
                part.start_char_idx, part.end_char_idx = start, end
            parsed.extend(made)
        return parsed

    def _postprocess_parsed_nodes(
        self, nodes: list[BaseNode], parent_doc_map: dict[str, Document]
    ) -> list[BaseNode]:
        # LlamaIndex looks for each node's text after the start of the one before it, and so finds
        # "aa" in "aaaa" a second time where it begins one character later.
        places = [
            (node.start_char_idx, node.end_char_idx) for node in nodes if isinstance(node, TextNode)
        ]
        nodes = super()._postprocess_parsed_nodes(nodes, parent_doc_map)
        for node, (start, end) in zip(nodes, places, strict=True):
            node.start_char_idx, node.end_char_idx = start, end
        return nodes
