#!/usr/bin/env python3
"""shell_test.py CRAWLER: the manual page and the completion of shells, with the real programs.

groff and mandoc must accept the page; bash, zsh and fish must complete. One that is not installed is
left out.
"""
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

CRAWLER = pathlib.Path(sys.argv.pop(1)).resolve()


def run(*arguments, **options):
    return subprocess.run([str(word) for word in arguments], capture_output=True, text=True,
                          timeout=60, **options)


def commands():
    text = run(CRAWLER, "--help").stdout
    return re.findall(r"(?m)^  ([a-z]+) ", text[text.index("Commands:"):])


def needs(program):
    return unittest.skipIf(shutil.which(program) is None, f"{program} is not installed")


class Manual(unittest.TestCase):
    def setUp(self):
        self.page = run(CRAWLER, "help", "--man").stdout

    @needs("groff")
    def test_groff_has_no_warning_and_shows_every_option(self):
        done = run("groff", "-man", "-Kutf8", "-Tutf8", "-ww", "-P-c", input=self.page)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        text = re.sub(r".\x08", "", done.stdout).replace("\u2212", "-").replace("\u2010", "-")
        for command in commands():
            self.assertIn(f"crawler {command}", text)
        for option in re.findall(r"(?m)^  (--[a-z-]+)", run(CRAWLER, "help", "crawl").stdout):
            self.assertIn(option, text)

    @needs("mandoc")
    def test_mandoc_has_no_error(self):
        done = run("mandoc", "-T", "lint", "-W", "error", input=self.page)
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))


class Completion(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.base = pathlib.Path(folder.name)
        (self.base / "my-crawl").mkdir()
        (self.base / "my-file.toml").touch()

    def check(self, complete):
        """`complete` gives the candidates for the last of some words."""
        self.assertEqual(complete("crawler", ""), set(commands()))
        self.assertEqual(complete("crawler", "re"), {c for c in commands() if c.startswith("re")})
        self.assertEqual(complete("crawler", "crawl", "--max-r"), {"--max-ram"})
        self.assertIn("--watch", complete("crawler", "status", "--"))
        self.assertEqual(complete("crawler", "crawl", "--scope", ""),
                         {"prefix", "host", "domain", "web"})

    def bash(self, *words):
        script = ("source <(\"$1\" completion bash); shift; COMP_WORDS=(\"$@\"); "
                  "COMP_CWORD=$(($# - 1)); _crawler; printf '%s\\n' \"${COMPREPLY[@]}\"")
        done = run("bash", "-c", script, "bash", CRAWLER, *words, cwd=self.base)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return set(done.stdout.split())

    def test_bash(self):
        self.check(self.bash)
        self.assertEqual(self.bash("crawler", "crawl", "--config", "my"),
                         {"my-crawl", "my-file.toml"})
        self.assertEqual(self.bash("crawler", "crawl", "--out", "my"), {"my-crawl"})
        self.assertEqual(self.bash("crawler", "status", "my-c"), {"my-crawl"})
        self.assertEqual(self.bash("crawler", "crawl", "--contact", ""), set())
        self.assertEqual(self.bash("crawler", "completion", "f"), {"fish"})

    @needs("fish")
    def test_fish(self):
        def fish(*words):
            line = " ".join(words)
            done = run("fish", "--no-config", "-c",
                       f"{CRAWLER} completion fish | source; complete -C '{line}'", cwd=self.base)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            return {row.split("\t")[0] for row in done.stdout.splitlines()}
        self.check(fish)
        self.assertIn("my-file.toml", fish("crawler", "crawl", "--config", "my"))

    @needs("zsh")
    def test_zsh_reads_it(self):
        script = run(CRAWLER, "completion", "zsh").stdout
        self.assertTrue(script.startswith("#compdef crawler\n"))
        path = self.base / "_crawler"
        path.write_text(script)
        done = run("zsh", "-f", "-c", f"autoload -U compinit; compinit -u -d {self.base}/dump; "
                                      f"source {path}; print $_comps[crawler]")
        self.assertEqual((done.stdout, done.stderr), ("_crawler\n", ""))


if __name__ == "__main__":
    unittest.main()
