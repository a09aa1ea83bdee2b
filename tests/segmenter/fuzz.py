"""Compares the segmenter's source with the oracle for as long as one likes; `make fuzz` runs it.

    python -m tests.segmenter.fuzz random|mutations|coverage [--seconds N] [--seed N]

``random`` makes small texts of what the rules are about, ``mutations`` spoils windows of the real
texts that every Python carries, ``coverage`` lets atheris look for texts that reach new branches.
Tells how many texts were compared. The first one that is split otherwise is made small and
printed with its limit and separators; the exit status is then 1, and 3 where nothing can be
compared.
"""

from __future__ import annotations

import argparse
import importlib.util
import itertools
import os
import random
import sys
import time
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import corpora
from harness.splitters.adapters.segmenter import load_pure
from segmenter import SEPARATORS, Separator, TextSegmenter
from segmenter.testing.texts import PIECES, make_text
from tests.segmenter import oracle
from tests.segmenter.test_text_segmenter import UNUSUAL_SEPARATORS

SOURCE_SEGMENTER = load_pure()
SEPARATOR_LISTS: list[Sequence[Separator]] = [SEPARATORS, *UNUSUAL_SEPARATORS]


class Input(NamedTuple):
    text: str
    limit: int
    separators: Sequence[Separator] = SEPARATORS


def agree(given: Input, form: type[TextSegmenter] = SOURCE_SEGMENTER) -> bool:
    try:
        segmenter = form(given.limit, separators=given.separators)
        segments = segmenter.split(given.text)
    except Exception:  # noqa: BLE001  # whatever it is, the oracle does not raise it
        return False
    return segments == oracle.split(given.text, given.limit, given.separators)


def make_random(seed: int) -> Iterator[Input]:
    for number in itertools.count(seed):
        yield Input(*make_text(number))
        separators = SEPARATOR_LISTS[number % len(SEPARATOR_LISTS)]
        pieces = (*map("".join, separators), " ", "\n", "a", "b", " x", "-", "\n  ", "\u3000")
        yield Input(*make_text(number, pieces), separators)


def make_mutations(seed: int) -> Iterator[Input]:
    generator = random.Random(seed)
    while True:
        for document in corpora.load("builtin"):
            for _ in range(1 + len(document.text) // 20_000):
                start = generator.randrange(max(1, len(document.text) - 50))
                text = document.text[start : start + generator.randint(20, 3_000)]
                for _ in range(generator.randint(0, 12)):
                    text = mutate(text, generator)
                yield Input(text, generator.choice([1, 2, 3, 8, 20, 60, 128, 500]))


def mutate(text: str, generator: random.Random) -> str:
    """Put a piece in, or take one out, move one, or repeat one."""
    at, source = (generator.randrange(len(text) + 1) for _ in range(2))
    length = generator.choice([1, 2, 10, 100])
    match generator.randrange(4):
        case 0:
            piece = generator.choice(PIECES) * generator.choice([1, 1, 2, 30])
            return text[:at] + piece + text[at:]
        case 1:
            return text[:at] + text[at + length :]
        case 2:
            return text[:at] + text[source : source + length] + text[at:]
        case _:
            return text[:at] + text[at : at + length] * generator.choice([2, 3, 20]) + text[at:]


def shrink(given: Input, form: type[TextSegmenter] = SOURCE_SEGMENTER) -> Input:
    """Take out what need not be there, as long as the two still disagree."""
    length = len(given.text) // 2
    while length:
        at = 0
        while at < len(given.text):
            smaller = given._replace(text=given.text[:at] + given.text[at + length :])
            if agree(smaller, form):
                at += length
            else:
                given = smaller
        length //= 2
    return given


def report(given: Input) -> None:
    small = shrink(given)
    print(f"disagree: {small!a}")  # noqa: T201
    print(f"the oracle has: {oracle.split(*small)!a}")  # noqa: T201


def compare(inputs: Iterator[Input], seconds: float) -> int:
    end = time.monotonic() + seconds
    count = 0
    for given in inputs:
        if not agree(given):
            report(given)
            return 1
        count += 1
        if time.monotonic() > end:
            break
    print(f"{count:,} texts are split as the oracle splits them")  # noqa: T201
    return 0


def compare_by_coverage(seconds: int, seed: int) -> int:
    if importlib.util.find_spec("atheris") is None:
        sys.stderr.write(
            "atheris is not installed, or has no wheel for this Python and machine; "
            "python -m pip install 'segbench[fuzz]'\n"
        )
        return 3
    import atheris

    for owner in (SOURCE_SEGMENTER, *_private_classes()):
        for name, function in list(vars(owner).items()):
            if callable(function):
                setattr(owner, name, atheris.instrument_func(function))

    def try_bytes(data: bytes) -> None:
        provider = atheris.FuzzedDataProvider(data)
        limit = provider.ConsumeIntInRange(1, 40)
        separators = provider.PickValueInList(SEPARATOR_LISTS)
        pieces = [*map("".join, separators), *PIECES]
        text = "".join(
            provider.PickValueInList(pieces)
            if provider.ConsumeBool()
            else provider.ConsumeUnicode(3)
            for _ in range(provider.ConsumeIntInRange(0, 60))
        )
        given = Input(text, limit, separators)
        if not agree(given):
            report(given)
            sys.stdout.flush()
            os._exit(1)  # an exception would be reported as a crash of the fuzzer

    atheris.Setup([sys.argv[0], f"-max_total_time={seconds}", f"-seed={seed}"], try_bytes)
    atheris.Fuzz()  # does not return
    return 0


def _private_classes() -> list[type]:
    module = SOURCE_SEGMENTER.split.__globals__
    return [module["_Order"], module["_Splitting"]]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("kind", choices=["random", "mutations", "coverage"])
    parser.add_argument("--seconds", type=int, default=60)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1, 10**6))
    arguments = parser.parse_args()
    print(f"{arguments.kind}, seed {arguments.seed}, {arguments.seconds} s", flush=True)  # noqa: T201
    if arguments.kind == "coverage":
        return compare_by_coverage(arguments.seconds, arguments.seed)
    make = make_random if arguments.kind == "random" else make_mutations
    return compare(make(arguments.seed), arguments.seconds)


if __name__ == "__main__":
    sys.exit(main())
