#!/usr/bin/env python3
"""commands_test.py CRAWLER: command lines that make no sense are told what does."""
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
        done = run("--nonsense")
        self.assertEqual(done.returncode, USAGE)
        self.assertIn("unknown option --nonsense; `crawler help` lists the options", done.stderr)
        self.assertIn("Did you mean --help?", run("--hlep").stderr)


class Help(unittest.TestCase):
    def commands(self):
        text = run("--help").stdout
        return re.findall(r"^  (\w+) ", text[text.index("Commands:"):], re.MULTILINE)

    def test_help_of_a_command(self):
        self.assertEqual(run("help").stdout, run("--help").stdout)
        self.assertGreater(len(self.commands()), 10)
        for command in self.commands():
            done = run("help", command)
            self.assertEqual((done.returncode, done.stderr), (0, ""), command)
            self.assertEqual(done.stdout, run(command, "--help").stdout, command)
            self.assertIn(f"Usage: crawler {command}", done.stdout)
        self.assertIn("did you mean 'crawl'?", run("help", "crwal").stderr)
        self.assertEqual(run("help", "crwal").returncode, USAGE)
        self.assertEqual(run("help", "crwal").stderr, run("crwal").stderr)

    def test_a_line_per_option_that_fits(self):
        for command in ["", *self.commands()]:
            text = run("help", command).stdout if command else run("help").stdout
            for line in text.splitlines():
                if line.startswith("  ") and not line.startswith("  crawler "):
                    self.assertLessEqual(len(line), 80, f"{command}: {line}")

    def test_groups(self):
        text = run("help", "crawl").stdout
        groups = re.findall(r"^([A-Z][^:\n]*):$", text, re.MULTILINE)
        self.assertEqual(groups, ["What to crawl", "How far", "How politely", "Network",
                                  "What to keep", "Output", "Examples"])
        self.assertIn("--delay TIME            Time between requests to a host (default 1s)", text)
        self.assertIn("--max-page-bytes SIZE   Largest body, received and unpacked (default 10MB)",
                      text)
        self.assertNotIn("(default", run("help", "resume").stdout.replace("(default info)", ""))


class Retry(unittest.TestCase):
    def test_a_selection_needs_something_to_select_from(self):
        for option in ("--host", "--kind"):
            done = run("resume", "nowhere", option, "503")
            self.assertEqual(done.returncode, USAGE)
            self.assertIn("--retry-failed", done.stdout + done.stderr)

    def test_kinds_of_failure_are_checked_before_the_folder(self):
        for command in (["retry"], ["resume", "--retry-failed"]):
            done = run(*command, "nowhere", "--kind", "nonsense")
            self.assertEqual(done.returncode, USAGE)
            self.assertIn("'nonsense' is no kind of failure", done.stderr)


if __name__ == "__main__":
    unittest.main()
