#!/usr/bin/env python3
"""options_test.py CRAWLER REFERENCE: options on the command line, mistyped and out of range, and the
reference of all of them."""
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

CRAWLER = sys.argv.pop(1)
REFERENCE = pathlib.Path(sys.argv.pop(1))
USAGE = 2


def run(*arguments):
    return subprocess.run([CRAWLER, *arguments], capture_output=True, text=True, timeout=60)


class Options(unittest.TestCase):
    def refused(self, *arguments):
        done = run(*arguments)
        self.assertEqual((done.returncode, done.stdout), (USAGE, ""), arguments)
        self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
        return done.stderr.rstrip("\n")

    def crawl(self, *arguments):
        return self.refused("crawl", "http://127.0.0.1:1/", "--out", "/nonexistent/x", *arguments)

    def test_a_mistyped_option_suggests_the_right_one(self):
        self.assertEqual(self.crawl("--max-page", "5"),
                         "crawler crawl: unknown option --max-page. Did you mean --max-pages?")
        for command, typed, meant in (("resume", "--delya=3", "--delay"),
                                      ("search", "--limits", "--limit"),
                                      ("fetch", "--max-page-byte", "--max-page-bytes"),
                                      ("explain", "--jsn", "--json"),
                                      ("crawl", "-max-pages", "--max-pages"),
                                      ("crawl", "--insecur", "--insecure"),
                                      ("index", "--rebuidl", "--rebuild")):
            message = self.refused(command, typed)
            self.assertIn(f"crawler {command}: unknown option {typed.split('=')[0]}", message)
            self.assertIn(f"Did you mean {meant}?", message)

    def test_what_is_near_nothing_gets_no_suggestion(self):
        message = self.refused("crawl", "--xyzzyplugh")
        self.assertIn("unknown option --xyzzyplugh; `crawler help crawl` lists", message)
        self.assertIn("unknown option -x;", self.refused("crawl", "-x"))
        self.assertNotIn("--markdown", self.refused("help", "--markdow"))

    def test_after_a_flag_too(self):
        self.assertIn("unknown option --max-page.", self.crawl("--json", "--max-page", "3"))
        self.assertIn("unknown option --max-page.", self.crawl("-q4", "--max-page=3"))

    def test_the_value_of_an_option_is_no_option(self):
        self.assertIn("crawler crawl: --out is required",
                      self.refused("crawl", "--contact", "--max-page"))

    def test_hostile_options(self):
        for word in ("--\x1b]0;owned\x07", "--" + "x" * 100_000, "--\udcff", "---", "-\x1b"):
            message = self.refused("crawl", word)
            self.assertNotIn("\x1b", message)
            self.assertLess(len(message), 300)

    def test_errors_say_the_value_the_range_and_an_example(self):
        for arguments, expected in (
                (("--delay", "abc"), "--delay: 'abc' is no time; it takes a time from 0 to 365d, "
                                     "e.g. 500ms, 2s or 1.5h"),
                (("--delay", "-1"), "--delay: '-1' is no time"),
                (("--max-time", "400d"), "--max-time: 400d is out of range; it takes a time from "
                                         "0 (no limit) to 365d"),
                (("--max-bytes", "10 apples"), "--max-bytes: '10 apples' is no size; it takes a "
                                               "size from 0 (no limit) to 1000TB, e.g. 500kB"),
                (("--max-pages", "1.5"), "--max-pages: '1.5' is no number; it takes a number from "
                                         "0 (no limit) to 1,000,000,000,000, e.g. 10"),
                (("--retries", "16"), "--retries: 16 is out of range; it takes a number from 0 to "
                                      "15, e.g. 10"),
                (("--scope", "galaxy"), "--scope: 'galaxy' is none of prefix, host, domain, web"),
                (("--order", "dsf"), "--order: 'dsf' is none of priority, bfs, dfs, relevance"),
                (("--delay-for", "example.org"), "--delay-for: 'example.org' is no HOST=TIME, "
                                                 "e.g. example.org=5s"),
                (("--delay-for", "example.org=soon"), "--delay-for: 'soon' is no time"),
                (("--delay-for", "http://x/=5s"), "'http://x/' names no host"),
                (("--log-level", "loud"), "'loud' is none of debug, info, warn, error"),
                (("--delay",), "--delay needs a value"),
                (("--delay", "1", "--delay", "2"), "--delay may be given once only"),
                (("-4", "-6"), "excludes"),
                (("--seeds-only", "--max-depth", "3"), "excludes")):
            self.assertIn(expected, self.crawl(*arguments), arguments)

    def test_what_cannot_be_0_says_so(self):
        for option in ("--per-host", "--per-domain", "--per-address", "--connections", "--timeout",
                       "--connect-timeout", "--max-page-bytes", "--max-ram", "--fetch-threads"):
            self.assertIn(f"{option}: cannot be 0; it takes a ", self.crawl(option, "0"))
        for command in ("search", "similar", "keywords", "suggest"):
            self.assertIn("--limit: cannot be 0", self.refused(command, "d", "w", "--limit", "0"))

    def test_seeds(self):
        with tempfile.TemporaryDirectory() as base:
            out = str(pathlib.Path(base) / "out")
            for seed, expected in (("example.org", "did you mean https://example.org/"),
                                   ("file:///etc/passwd", "is a file of this machine"),
                                   ("ftp://x/", "has the scheme ftp:"),
                                   ("nonsense", "write it whole, e.g. https://example.org/")):
                self.assertIn(expected, self.refused("crawl", seed, "--out", out))
                self.assertIn(expected, self.refused("fetch", seed))
            self.assertFalse(pathlib.Path(out).exists())

    def test_a_folder_of_something_else_is_refused(self):
        with tempfile.TemporaryDirectory() as base:
            (pathlib.Path(base) / "notes.txt").write_text("mine")
            message = self.refused("crawl", "http://127.0.0.1:1/", "--out", base)
            self.assertIn("is not empty and holds no crawl (\"notes.txt\" is in it)", message)
            self.assertEqual([p.name for p in pathlib.Path(base).iterdir()], ["notes.txt"])

    def test_words_that_are_too_many(self):
        self.assertIn("crawler status: unexpected argument 'b'", self.refused("status", "a", "b"))


class Reference(unittest.TestCase):
    def test_is_that_of_the_program(self):
        done = run("help", "--markdown")
        self.assertEqual(done.returncode, 0)
        self.assertEqual(REFERENCE.read_text(), done.stdout,
                         "docs/reference.md is old: crawler help --markdown > docs/reference.md")

    def test_every_command_and_option_is_in_it(self):
        text = REFERENCE.read_text()
        commands = re.findall(r"^## crawler (\w+)$", text, re.MULTILINE)
        self.assertIn("crawl", commands)
        sections = dict(zip(commands, re.split(r"^## crawler \w+$", text, flags=re.MULTILINE)[1:]))
        listed = run("--help").stdout
        for command in re.findall(r"^  (\w+) ", listed[listed.index("Commands:"):], re.MULTILINE):
            for option in re.findall(r"^  (?:-\w, )?(--[\w-]+)", run("help", command).stdout,
                                     re.MULTILINE):
                section = sections[command]
                if "All options of [`crawler crawl`]" in section:
                    section += sections["crawl"]
                self.assertRegex(section, rf"`(-\w, )?{option}[` ]", command)


if __name__ == "__main__":
    unittest.main()
