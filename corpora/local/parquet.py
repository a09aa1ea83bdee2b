"""`datasets`' parquet builder, reading a few rows at a time.

The builder itself scans with ``pyarrow.dataset``, which decodes a row group whole, whatever the
batch size: where rows repeat a book, that is a gigabyte. ``ParquetFile.iter_batches`` decodes page
by page, and enters structs, so that a column beside the text is not even fetched.
"""

from collections.abc import Iterator, Sequence
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from datasets.packaged_modules.parquet.parquet import Parquet
from fsspec.core import url_to_fs

from corpora.hub.rows import check_columns

# Bytes fetched at once for a column: a request to the hub each, and memory for each column.
BUFFER_SIZE = 4 << 20


class RowReader(Parquet):  # type: ignore[misc]
    """``columns`` maps dotted paths into structs to their types; ``batch_size`` is obeyed."""

    def _split_generators(self, dl_manager: Any) -> Any:
        generators = super()._split_generators(dl_manager)
        self.info.features = None  # those of whole rows, to which batches would be cast
        return generators

    def _generate_tables(
        self, files: Sequence[str], row_groups_list: Sequence[Sequence[int] | None] | None = None
    ) -> Iterator[tuple[str, pa.Table]]:
        for place, file in enumerate(files):
            row_groups = row_groups_list[place] if row_groups_list else None
            filesystem, path = url_to_fs(file)
            # A cache that reads ahead would fetch 5 MB for the smallest column of each row group.
            with filesystem.open(path, "rb", cache_type="none") as source:
                # Buffered ahead, a row group's columns would be in memory whole.
                parquet = pq.ParquetFile(source, pre_buffer=False, buffer_size=BUFFER_SIZE)
                check_columns(parquet.schema_arrow, self.config.columns)
                batches = parquet.iter_batches(
                    batch_size=self.config.batch_size,
                    columns=list(self.config.columns),
                    row_groups=row_groups,
                    use_threads=False,
                )
                for number, batch in enumerate(batches):
                    yield f"{place}_{number}", pa.Table.from_batches([batch])
