"""Separators for kinds of text, by name: ``TextSegmenter(500, separators=MARKDOWN)``.

Each list has its most wanted separator first, and cuts a text alike whether its lines end in LF or
in CR LF. Lists for programming languages cut before the words that open a declaration at the start
of a line, so that what is declared begins a segment.
"""

from collections.abc import Mapping

from segmenter.text_segmenter import SEPARATORS as MEMMACHINE
from segmenter.text_segmenter import Separator

Separators = tuple[Separator, ...]


def _order(*separators: Separator) -> Separators:
    """The separators, and after each one that needs it the same for lines that end in CR LF.

    What stands before its first newline is nothing to a separator that begins with that newline.
    """
    order: list[Separator] = []
    for each in separators:
        before, after = (each, "") if isinstance(each, str) else each
        order.append(each)
        returned = f"{before}\0{after}".replace("\n", "\r\n")
        if before.startswith("\n"):
            returned = returned.removeprefix("\r")
        before, after = returned.split("\0")
        other = (before, after) if after else before
        if other != each:
            order.append(other)
    return tuple(order)


def _before(*words: str, indents: tuple[str, ...] = ("",)) -> Separators:
    """Cuts before lines that begin with a word."""
    return tuple((f"\n{indent}", word) for indent in indents for word in words)


# Of a sentence, what closes it stays with it.
_ENDS = ("?", "!", ".", "…")
_CLOSERS = ('"', "”", "’", "'", "»", ")", "]")
_SENTENCES: Separators = (
    *(f"{end}{closer}{space}" for space in "\n " for end in _ENDS for closer in _CLOSERS),
    *(f"{end}{space}" for space in "\n " for end in _ENDS),
    "؟ ",
    "। ",
)
_CLAUSES: Separators = ("; ", ": ", "— ", " – ", "—", "--", "، ", ", ")
_WIDE_ENDS = ("。", "！", "？", "!", "?", "…", "．")
_WIDE_CLOSERS = (
    *("。）。", "。），", "。）：", "。）；", "。”。", "。”，", "。」。", "。」、"),
    *(f"{end}{closer}" for end in _WIDE_ENDS for closer in ("」』", "』」", "」）", "』）", "”）")),
    *(f"{end}{closer}" for end in _WIDE_ENDS for closer in "」』）”’】〕》〉"),
)

LINES: Separators = ("\n", "\t", "; ", ";", ", ", ",", " ")
"""Logs, tables and whatever else has a record on each line."""

PROSE: Separators = _order("\n\n", *_SENTENCES, *_CLAUSES, "\n", "\u200b", " ")
"""Sentences, in lines that are wrapped or not."""

CJK: Separators = _order(
    "\n\n",
    "\n",
    *_WIDE_CLOSERS,
    "。",
    "！",
    "？",
    "．",
    "! ",
    "? ",
    ". ",
    "；",
    "：",
    "——",
    "、",
    "，",
    ", ",
    "\u3000",
    " ",
)
"""Chinese and Japanese: a paragraph on each line, and closing quotes stay with their sentence."""

MARKDOWN: Separators = _order(
    ("\n\n", "#"),
    # A fence that fits stays whole: cuts after it, then before it.
    *(f"\n{indent}{fence}\n\n" for fence in ("```", "~~~") for indent in ("", "  ", "   ", "    ")),
    *((f"\n\n{indent}", fence) for fence in ("```", "~~~") for indent in ("", "  ", "   ", "    ")),
    *_before(*("#" * level + " " for level in range(1, 7))),
    *(f"\n{rule}\n\n" for rule in ("---", "***", "___")),
    "\n\n",
    *_before("- ", "* ", "+ ", "> "),
    "\n",
    *_SENTENCES,
    *_CLAUSES,
    " ",
)
"""Markdown: a heading opens a segment, fences and rows of tables stay whole if they fit."""

RST: Separators = _order(
    # The line under a title, after which text begins; blank lines come before the title.
    "\n\n\n",
    *_before(".. "),
    "\n\n",
    *_before("- ", "* ", "#. "),
    "\n",
    *_SENTENCES,
    *_CLAUSES,
    " ",
)
"""reStructuredText."""

LATEX: Separators = _order(
    *_before(
        "\\part",
        "\\chapter",
        "\\section",
        "\\subsection",
        "\\subsubsection",
        "\\paragraph",
        "\\begin{",
    ),
    "\n\n",
    *_before("\\item", indents=("", "  ", "    ", "\t")),
    *_SENTENCES,
    "\n",
    *_CLAUSES,
    " ",
)
"""LaTeX: a section or an environment opens a segment."""

HTML: Separators = _order(
    *(
        ("", f"<{tag}")
        for tag in ("body", "main", "section", "article", "h1", "h2", "h3", "h4", "h5", "h6")
    ),
    *(f"</{tag}>" for tag in ("table", "ul", "ol", "dl", "pre", "div", "p", "li", "tr", "dd")),
    *(("", f"<{tag}") for tag in ("div", "table", "ul", "ol", "p", "li", "tr", "td", "br")),
    ("", "<"),
    ">",
    "\n",
    *_SENTENCES,
    *_CLAUSES,
    " ",
)
"""HTML: a heading opens a segment, and tags that fit stay whole."""

_INDENTS = ("", "    ", "\t", "        ")

PYTHON: Separators = _order(
    *_before("class "),
    "\n\n\n",
    # After a blank line, what is declared has no decorator that would be parted from it.
    *(
        (f"\n\n{indent}", word)
        for indent in _INDENTS
        for word in ("def ", "async def ", "@", "class ")
    ),
    *_before("def ", "async def ", indents=_INDENTS),
    "\n\n",
    "\n",
    " ",
)
"""Python: a class or a function opens a segment, its decorators with it."""


def _code(
    *openers: str,
    closers: tuple[str, ...] = ("\n}\n", "\n};\n"),
    comments: tuple[str, ...] = ("/*", "//"),
) -> Separators:
    """Cuts after blocks that end at the start of a line, then before the lines that open one.

    Comments that follow a blank line come before them: what is declared stays with its comment.
    """
    commented: Separators = tuple(("\n\n", comment) for comment in comments)
    return _order(*closers, *commented, *_before(*openers), "\n\n", "\n", " ")


_END = ("\nend\n",)
_HASH = ("#",)

C = _code("struct ", "enum ", "union ", "typedef ", "static ", "void ", "int ", "#define ")
CPP = _code("namespace ", "template", "class ", "struct ", "enum ", "static ", "void ", "int ")
CSHARP = _code("namespace ", "public ", "internal ", "class ", "interface ", "enum ", "struct ")
GO = _code("func ", "type ", "var ", "const ")
JAVA = _code("public ", "protected ", "private ", "class ", "interface ", "enum ", "@")
JS = _code("export ", "class ", "function ", "async function ", "const ", "let ", "var ")
KOTLIN = _code("public ", "private ", "internal ", "class ", "object ", "fun ", "val ", "var ")
PERL = _code("package ", "sub ", "use ", "my ", "our ", comments=_HASH)
PHP = _code("namespace ", "final ", "abstract ", "class ", "interface ", "trait ", "function ")
POWERSHELL = _code("class ", "function ", "Function ", "param", "filter ", comments=("<#", "#"))
PROTO = _code("syntax ", "import ", "option ", "service ", "message ", "enum ")
R = _code("setClass(", "setGeneric(", "setMethod(", "library(", "require(", comments=_HASH)
RUST = _code("pub ", "mod ", "impl ", "trait ", "struct ", "enum ", "fn ", "const ", "static ")
SCALA = _code("package ", "object ", "class ", "case class ", "trait ", "def ", "val ", "var ")
SOL = _code("pragma ", "import ", "contract ", "interface ", "library ", "struct ", "function ")
SWIFT = _code("public ", "extension ", "class ", "struct ", "enum ", "protocol ", "func ")
TS = _code("export ", "namespace ", "class ", "interface ", "type ", "enum ", "function ", "const ")
ELIXIR = _code(
    "defmodule ",
    "defprotocol ",
    "defimpl ",
    "def ",
    "defp ",
    "defmacro ",
    closers=_END,
    comments=_HASH,
)
LUA = _code("function ", "local function ", "local ", "return ", closers=_END, comments=("--",))
RUBY = _code("module ", "class ", "def ", closers=_END, comments=_HASH)
HASKELL = _code(
    "module ",
    "import ",
    "class ",
    "instance ",
    "data ",
    "newtype ",
    "type ",
    closers=(),
    comments=("--", "{-"),
)
COBOL = _code(
    *("IDENTIFICATION ", "ENVIRONMENT ", "DATA DIVISION", "PROCEDURE DIVISION"),
    *("INPUT-OUTPUT SECTION", "FILE SECTION", "WORKING-STORAGE SECTION", "LINKAGE SECTION"),
    closers=(),
    comments=("*",),
)
VISUALBASIC6 = _code(
    *("Public ", "Private ", "Friend ", "Sub ", "Function ", "Property ", "Type ", "Enum "),
    closers=("\nEnd Sub\n", "\nEnd Function\n", "\nEnd Property\n", "\nEnd Type\n", "\nEnd Enum\n"),
    comments=("'",),
)

LISTS: Mapping[str, Separators] = {
    "memmachine": MEMMACHINE,
    "lines": LINES,
    "prose": PROSE,
    "cjk": CJK,
    "markdown": MARKDOWN,
    "html": HTML,
    "latex": LATEX,
    "rst": RST,
    "python": PYTHON,
    "c": C,
    "cobol": COBOL,
    "cpp": CPP,
    "csharp": CSHARP,
    "elixir": ELIXIR,
    "go": GO,
    "haskell": HASKELL,
    "java": JAVA,
    "js": JS,
    "kotlin": KOTLIN,
    "lua": LUA,
    "perl": PERL,
    "php": PHP,
    "powershell": POWERSHELL,
    "proto": PROTO,
    "r": R,
    "ruby": RUBY,
    "rust": RUST,
    "scala": SCALA,
    "sol": SOL,
    "swift": SWIFT,
    "ts": TS,
    "visualbasic6": VISUALBASIC6,
}
"""Every list by its name."""
