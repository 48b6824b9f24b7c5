#!/usr/bin/env python3
"""Questions with answers that other people wrote down: the indexes of two manuals.

The general index of Python's documentation and the book index of PostgreSQL's name thousands of
terms, each with the pages it belongs to. A term is the question, its pages are the right answers.

    questions.py > questions.tsv

Each line has, between tabs: "tune" or "report" (which half it is in, by the hash of the question),
"identifier" or "words", the site, the question, and the paths of the right pages.
"""
import collections
import html.parser
import pathlib
import re
import sys
import urllib.parse
import zlib

PYTHON = pathlib.Path("/usr/share/doc/python3-doc/html")
POSTGRESQL = pathlib.Path("/usr/share/doc/postgresql-doc-15/html")
# Pages that list the terms themselves. They are not crawled: they would be the answer to everything.
INDEX_PAGES = r"/(genindex[^/]*|py-modindex|bookindex)\.html"

Question = collections.namedtuple("Question", "half kind site text paths")
# What an index says of a name in brackets, or below it: which kind of thing it is.
SORT_OF_THING = re.compile(
    r"\b(in module|class in|method|attribute|function|macro|member|type|var|variable|exception"
    r"|module|opcode|property|built-in|struct|enum|enumerator|directive|option|command)\b")


class Entry:
    """A term, where it leads, and the terms below it."""

    def __init__(self):
        self.text = ""
        self.paths = []
        self.below = []


class IndexReader(html.parser.HTMLParser):
    """Reads nested lists: <li> and <ul> of Sphinx, <dt> and <dl> of DocBook."""

    def __init__(self, item, group, holder):
        super().__init__()
        self.item, self.group = item, group
        self.holder = holder  # What the group below a term stands in.
        self.held = 0
        self.top = Entry()
        self.parents = [self.top]  # Of the group that is being read, innermost last.
        self.entry = None
        self.in_link = False

    def handle_starttag(self, tag, attributes):
        if tag == self.holder:
            self.held += 1
        if tag == self.item:
            self.entry = Entry()
            self.parents[-1].below.append(self.entry)
        elif tag == self.group:
            below = self.held == len(self.parents) - 1 and self.held > 0
            self.parents.append(self.parents[-1].below[-1] if below else self.top)
        elif tag == "a" and self.entry is not None:
            href = urllib.parse.urldefrag(dict(attributes).get("href") or "").url
            self.in_link = True
            if href and ":" not in href:
                self.entry.paths.append("/" + href)

    def handle_endtag(self, tag):
        if tag == self.holder:
            self.held -= 1
        if tag == self.group and len(self.parents) > 1:
            self.parents.pop()
            self.entry = None
        elif tag == "a":
            self.in_link = False

    def handle_data(self, data):
        # In a book index the links are page titles; in Sphinx's the first one is the term.
        if self.entry is None or (self.in_link and self.item == "dt"):
            return
        if self.in_link and len(self.entry.paths) > 1:
            return
        self.entry.text += data


def clean(text):
    return re.sub(r"\s+", " ", text).strip(" ,.¶\n")


def question_text(term):
    """The term without its explanation in brackets, and whether that calls it a name."""
    text = clean(term)
    match = re.fullmatch(r"(.+?) \(([^()]*(?:\([^()]*\))?[^()]*)\)", text)
    if match:
        return clean(match[1]), bool(SORT_OF_THING.search(match[2]))
    return text, False


def is_identifier(text, called_so):
    if " " in text:
        return False
    return called_so or text.endswith("()") or bool(
        re.search(r"[A-Za-z0-9](_|\.|::)[A-Za-z]|^_|[a-z][A-Z]|^[A-Z]{3,}$", text))


def collect(entry, above, answers):
    """Adds the questions of an entry and those below it: {text: [named, paths]}."""
    text, named = question_text(entry.text)
    if not text or text.startswith("see"):
        return
    if above:
        text = f"{above} {text}"
    own = list(entry.paths)
    other = []
    for child in entry.below:
        words = clean(child.text)
        if words.startswith("(") or SORT_OF_THING.fullmatch(words) or words == "built-in function":
            own += child.paths
            named = True
        else:
            other.append(child)
    if own:
        known = answers.setdefault(text, [False, []])
        known[0] = known[0] or named
        known[1] += own
    for child in other:
        collect(child, text, answers)


def read(site, file, begin, item, group, holder):
    """The questions of an index that begins with `begin`."""
    answers = {}
    reader = IndexReader(item, group, holder)
    reader.feed(file.read_text(encoding="utf-8").partition(begin)[2])
    for entry in reader.top.below:
        collect(entry, "", answers)
    for text, (named, paths) in sorted(answers.items()):
        # Signs and single letters are no questions; neither is what half of the manual answers.
        if len(re.findall(r"[A-Za-z]", text)) < 2 or len(set(paths)) > 8:
            continue
        if not all((file.parent / path[1:]).is_file() for path in paths):
            continue
        half = "tune" if zlib.crc32(text.encode()) % 2 == 0 else "report"
        kind = "identifier" if is_identifier(text, named) else "words"
        yield Question(half, kind, site, text, sorted(set(paths)))


def questions():
    yield from read("python", PYTHON / "genindex-all.html", '<h2 id="Symbols">', "li", "ul", "li")
    yield from read("postgresql", POSTGRESQL / "bookindex.html", '<div class="index" id="BOOKINDEX">', "dt", "dl",
                    "dd")


def main():
    for question in questions():
        print(*question[:4], " ".join(question.paths), sep="\t")


if __name__ == "__main__":
    sys.exit(main())
