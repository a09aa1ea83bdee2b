"""What is quoted in a message shows its ends, and every character of it."""

import pytest

from corpora.wording import quote_name
from harness.results.escapes import quote


@pytest.mark.parametrize("of_package", [quote, quote_name])
@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("", "''"),
        (" name ", "' name '"),
        ("it's", '"it\'s"'),
        ("""it's "so\"""", """'it's "so"'"""),
        ("a\nb\u202e", r"'a\u{A}b\u{202E}'"),
        ("é漢😀", "'é漢😀'"),
    ],
)
def test_the_corpora_quote_as_the_harness_does(of_package, text: str, shown: str) -> None:
    assert of_package(text) == shown
