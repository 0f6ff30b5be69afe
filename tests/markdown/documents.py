"""Documents as people and programs write them, and damaged ones: from a seed, so that a failure can be seen again."""

from __future__ import annotations

import random
from collections.abc import Callable

from quire.markdown.document import Document
from quire.markdown.entries import Log

WORDS = (
    "memory", "locked", "database", "don't", "C#", "x:y", "a/b", "über", "日本語", "заметка", "🧵", "no", "on", "yes",
    "1:30", "v1.9", "=", "<<", "#tag", "[[Link|alias]]", "{{slot}}", "@home", "100%", "-1", "…", "e\u0301", "\u200b",
    "a\u3000b", "&c",
)  # fmt: skip
PLAIN = (
    "fix", "locked database", "2026-06-01", "2026-06-01T12:00:00Z", "0x1F", "0o17", "007", "1.50", "1e3", "-0", "true",
    "no", "NULL", "~", ".inf", "12:30:45", "https://example.org/a?b=c#d", "a - b", "it's 5 o'clock", "C#", "1_000",
    "日本語のメモ", "-a", "?x", ":y", "a\u00a0b", "1234567890123456789012", "...", "x #", "v1.9", "éa", "🧵 thread",
    "y", "=",
)  # fmt: skip
ITEMS = (
    "a", "b1", "'c, d'", '"e: f"', "2026", "no", "'it''s'", '"\\u00e9\\n"', "~", "x y", "日本", '"#hash"', "-1",
    "area/ci", "''",
)  # fmt: skip
KEYS = (
    "kind", "title", "tags", "created", "a b", "key-1", "KEY", "x.y", "日本", "'quoted key'", '"double"', "1", "no",
    "~", "very_long_key_name_" + "x" * 40, "aliases", "ms.date", "?odd", "n", "null", "key/with/slashes", "été",
)  # fmt: skip
BODY = (
    "", "---", "key: value", "```yaml", "<!-- entry:a -->", "- [[x]]", "\tx", "    code", "~~~", "<!-- \\entry:a -->",
)  # fmt: skip
ATOMS = (
    "\n", "\n", "\r\n", "\r", " ", "  ", "\t", "- ", ": ", ":", "#", " #", "'", '"', "[", "]", "{", "}", ",", "&a ",
    "*a", "!!str ", "|", ">", "|+", "%", "@", "`", "?", "? ", "---", "\n---\n", "...", "\\", "\x00", "\x07", "\x85",
    "\u2028", "\u2029", "\ufeff", "\ufffe", "\ud800", "\udfff", "🧵", "<!-- entry:ep_20260601_00000001 -->",
    "\n<!-- entry:a -->\n", "\n<!-- /entry:a -->\n", "<!-- \\entry:a -->", "<!--", "-->", "[[", "]]", "```", "~~~",
    "key: v\n", "k:\n  - a\n", "<<: *a\n", "0", "1e999", "9" * 50, "é", "\n\n", "relation:: [[x]]", "](", "](a.md)",
    "%%",
)  # fmt: skip


class Writer:
    """Writes texts in every style, by the dice of one seed."""

    def __init__(self, seed: object) -> None:
        self.rng = random.Random(str(seed))
        self.pick = self.rng.choice

    def chance(self, part: float) -> bool:
        return self.rng.random() < part

    def words(self, most: int = 6) -> str:
        return " ".join(self.pick(WORDS) for _ in range(self.rng.randint(1, most)))

    def comment(self) -> str:
        return self.pick(("", "", "", " # " + self.words(3), "\t# tab", "  #", "   "))

    def single(self) -> str:
        return "'" + self.words().replace("'", "''") + "'"

    def double(self) -> str:
        text = self.words().replace("\\", "\\\\").replace('"', '\\"') + self.pick(("", "\\n", "\\u2028", "\\\\"))
        return f'"{text}"'

    def item(self) -> str:
        return self.pick(ITEMS) if self.chance(0.8) else self.pick((self.single, self.double))()

    def flow(self) -> str:
        return self.pick((self.flow_list, self.flow_map))()

    def flow_list(self) -> str:
        items = [self.flow() if self.chance(0.1) else self.item() for _ in range(self.rng.randint(0, 5))]
        inside = self.pick((", ", ",", " , ")).join(items)
        return self.pick((f"[{inside}]", f"[{inside}{', ' if items else ''}]", f"[ {inside} ]"))

    def flow_map(self) -> str:
        keys = self.rng.sample(("a", "b", "'c d'", "é"), self.rng.randint(0, 3))
        return "{" + ", ".join(f"{key}: {self.item()}" for key in keys) + "}"

    # What stands behind a colon, without the final newline.

    def one_line(self, _: str) -> str:
        scalar = self.pick((self.single, self.double, lambda: self.pick(PLAIN)))()
        return " " * self.rng.randint(1, 3) + scalar + self.comment()

    def empty(self, _: str) -> str:
        return self.comment()

    def brackets(self, _: str) -> str:
        return " " + self.flow() + self.comment()

    def long_brackets(self, indent: str) -> str:
        items = [self.item() + self.pick((",", " ,", ",  # why")) for _ in range(self.rng.randint(1, 4))]
        return " [\n" + "".join(f"{indent}  {item}\n" for item in items) + f"{indent}  ]" + self.comment()

    def block_list(self, indent: str) -> str:
        inner = indent + self.pick(("", "  ", "    ", " "))
        lines = [self.comment()]
        for _ in range(self.rng.randint(1, 5)):
            if self.chance(0.15):
                lines.append(self.pick(("", inner + "# " + self.words(2), "# at the edge", "  ", "\t# tab")))
            dash = self.pick(("- ", "- ", "-   "))
            lines.append(inner + dash + self.list_item(inner + " " * len(dash)))
        return "\n".join(lines)

    def list_item(self, indent: str) -> str:
        if self.chance(0.8):
            return self.item() + self.comment()
        return self.pick((
            f"name: {self.item()}\n{indent}value: {self.item()}",
            f"|\n{indent}{self.words()}\n{indent}{self.words()}",
            f"- nested\n{indent}- list",
            f"more words\n{indent}  than a line holds",
            self.flow(),
            "",
        ))  # fmt: skip

    def block_text(self, indent: str) -> str:
        header = self.pick("|>") + self.pick(("", "", "-", "+", " # why"))
        lines = [self.pick((self.words(), self.words(), "", "  more")) for _ in range(self.rng.randint(0, 4))]
        inked = "".join(f"\n{indent}  {line}" if line else "\n" for line in [self.words(), *lines])
        return f" {header}{inked}" + self.pick(("", "", "\n", "\n\n"))

    def many_lines(self, indent: str) -> str:
        inside = f"some words\n{indent}  more of it\n\n{indent}  and more"
        return self.pick((f" {inside}", f" '{inside}'", f' "{inside}"', f"\n{indent}  below"))

    def nested(self, indent: str) -> str:
        deeper = indent + self.pick(("  ", "    ", " "))
        lines = [self.comment()]
        for key in self.rng.sample(("one", "two", "'three 3'", "four"), self.rng.randint(1, 3)):
            if self.chance(0.15):
                lines.append(self.pick(("", deeper + "# inside")))
            lines.append(f"{deeper}{key}:" + (self.one_line("") if self.chance(0.7) else self.after_key(deeper)))
        return "\n".join(lines)

    def strange(self, _: str) -> str:
        return self.pick((" &anchor text", " *anchor", " !!str 5", " !custom {a: 1}", " [*anchor, b]", " &list [a, b]"))

    def after_key(self, indent: str) -> str:
        return self.pick(STYLES)(self, indent)

    # Whole texts.

    def block(self) -> str:
        """All lines between the fences, with line feeds."""
        if self.chance(0.02):
            return "{" + ", ".join(f"{key}: {self.item()}" for key in ("a", "b")) + "}\n"
        indent = "  " if self.chance(0.03) else ""
        lines: list[str] = []
        keys = self.rng.sample(KEYS, self.rng.randint(0, 6))
        if keys and self.chance(0.03):
            keys.append(keys[0])
        for key in keys:
            while self.chance(0.15):
                lines.append(self.pick(("", "# " + self.words(3), indent + "# kind: commented out", " ", "\t# tab")))
            lines.append(f"{indent}{key}{' ' if self.chance(0.03) else ''}:{self.after_key(indent)}")
        if self.chance(0.1):
            lines.append(self.pick(("", "# the end")))
        return "".join(line + "\n" for line in lines)

    def body(self) -> str:
        lines = (*BODY, "# " + self.words(), self.words(12), self.words(12))
        return "".join(self.pick(lines) + "\n" for _ in range(self.rng.randint(0, 6)))

    def document(self) -> str:
        """A note: mostly with frontmatter, mostly with line feeds, mostly ending with one."""
        close = self.pick(("---", "---", "---", "---  ", "..."))
        return self.ended(self.body() if self.chance(0.03) else f"---\n{self.block()}{close}\n{self.body()}")

    def log(self) -> str:
        """A log: entries that have markers, fences and frontmatter in them, and text between them."""
        log = Log.parse(f"---\nid: log\nentry_count: 3\n---\n{self.body()}" if self.chance(0.9) else self.body())
        log = log if not log.problems else Log.parse("")
        for number in range(self.rng.randint(1, 4)):
            log = log.append(f"ep_20260601_{number + 1:08}", Document.parse(self.document()))
            log = Log.parse(log.text + self.pick(("", "", "between\n", "\n"))) if log.text.endswith("\n") else log
        return self.ended(log.text)

    def ended(self, text: str) -> str:
        """With other ends of lines, a byte order mark, without the last newline."""
        if self.chance(0.2):
            text = text.removesuffix("\n")
        if self.chance(0.25):
            text = text.replace("\r\n", "\n").replace("\n", "\r\n")
        return "\ufeff" + text if self.chance(0.1) else text

    def mutated(self, text: str) -> str:
        """The text after a few accidents: something inserted, lost, doubled or exchanged."""
        for _ in range(self.rng.randint(1, 4)):
            at, end = sorted(self.rng.randint(0, len(text)) for _ in range(2))
            end = min(end, at + self.pick((1, 2, 5, 40)))
            odd = chr(self.pick((self.rng.randrange(128), self.rng.randrange(0x110000))))
            text = self.pick((
                text[:at] + self.pick(ATOMS) + text[at:],
                text[:at] + text[end:],
                text[:end] + text[at:end] + text[end:],
                text[:at] + self.pick(ATOMS) + text[end:],
                text[:at] + odd + text[at + 1 :],
            ))  # fmt: skip
        return text


STYLES: tuple[Callable[[Writer, str], str], ...] = (
    *(Writer.one_line,) * 4, *(Writer.block_list,) * 2, *(Writer.brackets,) * 2, Writer.long_brackets, Writer.empty,
    Writer.block_text, Writer.many_lines, Writer.nested, Writer.strange,
)  # fmt: skip
