"""What a run of whitespace that is too long may mean."""

from harness.claims.long_runs import DEFINITIONS, count_by_definition


def test_each_definition_counts_something_else() -> None:
    text = "ab" + " " * 5 + "c" + " " * 3 + "\n" + " " * 4 + "d" + " " * 6 + "e" + " " * 4 + "f"
    numbers = count_by_definition([text, " " * 11], [5])
    # "b" and 5 blanks, "c" and 4, 4 and "d" and 6, "e" and 4, "f"; runs of 5, 8, 6 and 4.
    assert {name: numbers[name, 5] for name in DEFINITIONS} == {
        "unavoidable boundaries": 1 + 0 + 2 + 0 + 2,
        "units over the limit": 1 + 1,
        "runs over the limit": 2 + 1,
        "runs of the limit or more": 3 + 1,
        "runs over the limit with a newline": 1,
        "runs over the limit without one": 1 + 1,
    }
