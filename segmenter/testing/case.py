"""What every case is."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Case:
    """A text that splitters are tried on.

    ``rule`` is the one that the case is mostly about. ``segments`` are the right ones, if they
    are written down, and ``origin`` says where: ``SPEC.md:LINE``, or the address of a public
    report of the fault, which ``note`` describes.
    """

    name: str
    rule: str
    text: str
    max_chunk_length: int
    origin: str
    segments: tuple[str, ...] | None = None
    note: str = ""

    def __str__(self) -> str:
        return self.name
