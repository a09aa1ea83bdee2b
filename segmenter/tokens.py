"""A limit in tokens, or in whatever a function measures."""

from collections.abc import Callable, Sequence
from itertools import accumulate, pairwise

from segmenter.levels import Levels
from segmenter.text_segmenter import SEPARATORS, Separator, TextSegmenter


class TokenSegmenter:
    """Splits text as TextSegmenter does, with a limit in tokens.

    ``length`` says how long a text is, such as ``lambda text: len(encoding.encode(text))`` for an
    encoding of tiktoken. It may be any function that gives more for more text, or nearly so: half a
    word can have more tokens than the word.

    The segments of a text joined are the text, and whitespace is cut as TextSegmenter cuts it.
    ``length`` has measured every segment, and it is at most ``max_tokens``, unless the segment is
    one character that is longer by itself. For each segment ``length`` is called a number of times
    that grows with the logarithm of the segment's length.

    Raises ValueError and TypeError for a limit or separators that TextSegmenter refuses.
    """

    def __init__(
        self,
        max_tokens: int,
        length: Callable[[str], int],
        *,
        separators: Sequence[Separator] = SEPARATORS,
    ) -> None:
        try:
            plain = TextSegmenter(max_tokens, separators=separators)
        except (TypeError, ValueError) as error:
            raise type(error)(str(error).replace("max_chunk_length", "max_tokens")) from None
        if not callable(length):
            raise TypeError(
                f"length must be a function of a text, not {type(length).__name__}; for a tokenizer "
                "give one that counts what it encodes to"
            )
        self.max_tokens = plain.max_chunk_length
        self.length = length
        self.separators = plain.separators

    def split(self, text: str) -> list[str]:
        """Return the segments of ``text`` in order; none for an empty text.

        Raises TypeError if ``text`` is not a str, and whatever ``length`` raises.
        """
        if not isinstance(text, str):
            raise TypeError(
                f"text must be a str, not {'None' if text is None else type(text).__name__}"
            )
        levels = Levels(self.separators, str.__str__(text))
        segments = []
        size = self.max_tokens
        while levels.position < len(levels.text):
            measured = _Measured(levels.text, levels.position, self.max_tokens, self.length)
            reach = measured.find_reach(size)
            size = reach - levels.position
            end, depth = levels.find_end(reach, final=True)
            # Rarely, less text has more tokens, so that what is within reach does not fit.
            less = 1
            while end > levels.position + 1 and not measured.fits(end):
                reach = max(levels.position + 1, end - less)
                less *= 2
                end, depth = levels.find_end(reach, final=True)
            segments.append(levels.advance(end, depth))
        return segments

    def spans(self, text: str) -> list[tuple[int, int]]:
        """Return where the segments of ``text`` start and end, as TextSegmenter does."""
        return list(pairwise(accumulate(map(len, self.split(text)), initial=0)))


class _Measured:
    """Which beginnings of the rest of a text fit, none of them measured twice."""

    def __init__(self, text: str, start: int, limit: int, length: Callable[[str], int]) -> None:
        self.text = text
        self.start = start
        self.limit = limit
        self.length = length
        self.known: dict[int, bool] = {}

    def fits(self, end: int) -> bool:
        if end not in self.known:
            self.known[end] = self.length(self.text[self.start : end]) <= self.limit
        return self.known[end]

    def find_reach(self, size: int) -> int:
        """Return the end of the longest beginning that fits, of one character at least.

        The search starts near ``size``, as segments are alike, and widens by doubling.
        """
        last = len(self.text)
        low, high = self.start + 1, last + 1
        guess = min(self.start + size, last)
        step = max(1, size // 16)
        if self.fits(guess):
            low = max(low, guess)
            while low < last and self.fits(min(low + step, last)):
                low = min(low + step, last)
                step *= 2
            high = min(low + step, last + 1)
        else:
            high = guess
            while (end := high - step) > low and not self.fits(end):
                high = end
                step *= 2
            low = max(low, end)
        while high - low > 1:
            middle = (low + high) // 2
            if self.fits(middle):
                low = middle
            else:
                high = middle
        return low
