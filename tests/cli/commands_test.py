#!/usr/bin/env python3
"""commands_test.py CRAWLER: a command line whose first word is no command is told which there are."""
import re
import subprocess
import sys
import unittest

CRAWLER = sys.argv.pop(1)
USAGE = 2


def run(*arguments):
    return subprocess.run([CRAWLER, *arguments], capture_output=True, text=True, timeout=60)


class UnknownCommand(unittest.TestCase):
    def test_all_commands_are_named(self):
        done = run("nonsense")
        self.assertEqual((done.returncode, done.stdout), (USAGE, ""))
        self.assertIn("there is no command 'nonsense'", done.stderr)
        self.assertNotIn("did you mean", done.stderr)
        named = re.search(r"^Commands: (.*)\. ", done.stderr, re.MULTILINE)[1].split(", ")
        self.assertTrue({"crawl", "resume", "status", "explain", "verify", "search"} <= set(named))
        for command in named:
            self.assertEqual(run(command, "--help").returncode, 0, command)

    def test_the_nearest_is_suggested(self):
        for typed, meant in (("crwal", "crawl"), ("crawls", "crawl"), ("resum", "resume"),
                             ("verfiy", "verify"), ("expl", "explain"), ("Search", "search"),
                             ("statsu", "status")):
            self.assertIn(f"did you mean '{meant}'?", run(typed).stderr, typed)

    def test_a_url_is_probably_to_be_crawled(self):
        done = run("https://example.org/?a&b")
        self.assertEqual(done.returncode, USAGE)
        self.assertIn("crawler crawl 'https://example.org/?a&b' --out DIR", done.stderr)

    def test_hostile_words(self):
        for word in ("", "\x1b]0;owned\x07", "x" * 100_000, "\udcff"):
            done = run(word)
            self.assertEqual(done.returncode, USAGE)
            self.assertNotIn("\x1b", done.stderr)

    def test_options_come_first_as_before(self):
        self.assertEqual(run("--help").returncode, 0)
        self.assertEqual(run("--version").returncode, 0)
        self.assertEqual(run("--nonsense").returncode, USAGE)


if __name__ == "__main__":
    unittest.main()
