#!/usr/bin/env python3
"""config_test.py CRAWLER: `crawler crawl --config FILE` and `crawler config`."""
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import tomllib
import unittest

from site_server import Answer, Site

CRAWLER = sys.argv.pop(1)
USAGE = 2


def run(*arguments, **variables):
    return subprocess.run([CRAWLER, *map(str, arguments)], capture_output=True, text=True,
                          timeout=60, env={**os.environ, **variables})


class Config(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.base = pathlib.Path(folder.name)
        self.file = self.base / "crawl.toml"

    def write(self, text):
        self.file.write_text(text)
        return self.file

    def shown(self, *arguments, **variables):
        """{key: (value, origin)} of `crawler config`."""
        done = run("config", *arguments, **variables)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        rows = {}
        for line in done.stdout.splitlines():
            if match := re.fullmatch(r"(?:# )?([a-z0-9-]+) = (.*?) +# ([^#]*)", line):
                rows[match[1]] = (match[2], match[3])
        return rows

    def test_every_option_and_its_origin(self):
        path = self.write('delay = 2.5\nmax-pages = 10_000\nmax-bytes = "1GB"\n'
                          'exclude = ["/private/", "\\\\?print="]\nno-robots = true\n'
                          'cookies = false\n\nbasic-auth-from = "SITE_LOGIN"\n'
                          'bearer-from = "NOBODY_SETS_THIS"\n')
        rows = self.shown(path, "--max-pages", "5", "-4", SITE_LOGIN="user:open-sesame")
        self.assertEqual(rows["delay"], ('"2.5"', f"{path}:1"))
        self.assertEqual(rows["max-pages"], ('"5"', "command line"))
        self.assertEqual(rows["exclude"], (r'["/private/", "\\?print="]', f"{path}:4"))
        self.assertEqual(rows["no-robots"], ("true", f"{path}:5"))
        self.assertEqual(rows["cookies"], ("false", "default"))
        self.assertEqual(rows["ipv4"], ("true", "command line"))
        self.assertEqual(rows["retries"], ("3", "default"))
        self.assertEqual(rows["basic-auth-from"],
                         ('"SITE_LOGIN"', f"{path}:8; the environment has SITE_LOGIN"))
        self.assertIn("the environment has no NOBODY_SETS_THIS", rows["bearer-from"][1])
        self.assertNotIn("open-sesame", str(rows))
        # All options of crawl, and nothing else but the URLs.
        names = {name[2:] for name in re.findall(r"--[a-z0-9-]+(?= |$)", "\n".join(
            line[:26] for line in run("help", "crawl").stdout.splitlines() if line.startswith("  -")
            or line.startswith("  --")), re.M)}
        self.assertEqual(names - {"config"}, set(rows) - {"url"})

    def test_the_output_is_a_configuration(self):
        path = self.write('url = ["http://x/"]\nout = "a \\"b\\" \\\\ c"\ndelay = 3\n'
                          'contact = "tab\\t"\ndurable = true\n')
        again = self.base / "again.toml"
        again.write_text(run("config", path).stdout)
        self.assertEqual(tomllib.loads(again.read_text())["out"], 'a "b" \\ c')
        first, second = self.shown(path), self.shown(again)
        self.assertEqual({k: v[0] for k, v in first.items()}, {k: v[0] for k, v in second.items()})

    def test_a_crawl_uses_it_and_flags_win(self):
        pages = {f"/{n}": Answer(body=f"page {n}".encode()) for n in range(5)}
        with Site(pages) as site:
            urls = json.dumps([site.url(f"/{n}") for n in range(5)])
            path = self.write(f'url = {urls}\nallow-net = "127.0.0.0/8"\ndelay = 0\n'
                              f'no-robots = true\nno-sitemaps = true\nquiet = true\njson = true\n'
                              f'out = "{self.base / "one"}"\nseeds-only = true\n')
            done = run("crawl", "--config", path)
            self.assertEqual((done.returncode, json.loads(done.stdout)["pages"]), (0, 5),
                             done.stderr)
            # The command line has its own URL and folder; --max-depth excludes seeds-only.
            done = run("crawl", site.url("/1"), f"--config={path}", "--out", self.base / "two",
                       "--max-depth", "3")
            self.assertEqual(json.loads(done.stdout)["pages"], 1, done.stderr)

    def test_refusals_name_file_line_and_what_was_meant(self):
        for text, words in (
                ("max_page = 3", "unknown key max_page. Did you mean max-pages?"),
                ("dealy = 3", "unknown key dealy. Did you mean delay?"),
                ("[network]", "unknown key network; keys are the names"),
                ("config = 'x'", "unknown key config"),
                ("delay = [1]", 'delay takes a time, e.g. "2s", or a number of seconds, not a list'),
                ("delay = 2024-01-01", 'delay takes a time, e.g. "2s", or a number of seconds, not a date'),
                ("delay = 'abc'", "delay: 'abc' is no time; it takes a time from 0 to 365d"),
                ("no-robots = 'yes'", "no-robots takes true or false, not a text"),
                ("max-pages = true", "max-pages takes a number, e.g. 10, not true or false"),
                ("max-pages = 1.5", "max-pages: '1.5' is no number"),
                ("include = [1]", "include takes a text or a list of texts, not a list with"),
                ("contact = 5", "contact takes a text, not a number"),
                ("scope = 'moon'", "scope: 'moon' is none of prefix, host, domain, web"),
                ("retries = 99", "retries: 99 is out of range"),
                ("url = ['http://a/', '--no-robots']", "url takes no option: '--no-robots'"),
                ("x = ", "no TOML: "),
                ("retries = 1\nretries = 2", "no TOML: ")):
            with self.subTest(text=text):
                path = self.write(f"# first\n{text}\n")
                done = run("crawl", "--config", path, "--out", self.base / "x")
                self.assertEqual((done.returncode, done.stdout), (USAGE, ""))
                line = 3 if "\n" in text else 2
                self.assertTrue(done.stderr.startswith(f"crawler crawl: {path}:{line}: {words}"),
                                done.stderr)

    def test_what_a_crawl_refuses_is_refused(self):
        for text, words in (("include = ['(']", "missing"),
                            ("delay-for = ['exa mple=5s']", "exa mple"),
                            ("order = 'relevance'\nno-index = true", "relevance"),
                            ("url = ['ftp://a.example/']", "ftp"),
                            ("url = ['http://a.example/']\nbearer-from = 'CRAWLER_TEST_NOT_SET'",
                             "CRAWLER_TEST_NOT_SET")):
            with self.subTest(text=text):
                path = self.write(text + "\n")
                seed = [] if text.startswith("url") else ["http://a.example/"]
                crawl = run("crawl", *seed, "--config", path, "--out", self.base / "refused")
                self.assertEqual(crawl.returncode, USAGE, crawl.stderr)
                self.assertFalse((self.base / "refused").exists())
                config = run("config", path)
                self.assertEqual(config.returncode, USAGE, config.stdout)
                self.assertIn(words, config.stderr)
                self.assertEqual(config.stderr.replace("crawler config: ", ""),
                                 crawl.stderr.replace("crawler crawl: ", ""))

    def test_secrets_are_refused(self):
        for text, way in (("password = 'open-sesame'", "basic-auth-from"),
                          ("bearer = 'open-sesame'", "bearer-from"),
                          ("header = 'Authorization: open-sesame'", "header-from"),
                          ("header = ['A: b', 'X-Api-Key: open-sesame']", "header-from"),
                          ("proxy = 'http://user:open-sesame@127.0.0.1:1/'", "$VARIABLE"),
                          ("basic-auth-from = 'user:open-sesame'", "name of an environment"),
                          ("url = ['http://user:open-sesame@127.0.0.1/']", "basic-auth-from")):
            with self.subTest(text=text):
                done = run("config", self.write("\n" + text))
                self.assertEqual((done.returncode, done.stdout), (USAGE, ""))
                self.assertTrue(done.stderr.startswith(f"crawler config: {self.file}:2: "), done.stderr)
                self.assertIn(way, done.stderr)
                self.assertNotIn("open-sesame", done.stderr)
        rows = self.shown("--proxy", "http://user:open-sesame@127.0.0.1:1/")
        self.assertNotIn("open-sesame", str(rows))

    def test_other_files(self):
        for path, words in ((self.base / "missing", "No such file"), (self.base, "directory"),
                            ("/dev/zero", "larger than 1 MiB")):
            done = run("crawl", "--config", path)
            self.assertEqual(done.returncode, USAGE)
            self.assertIn(words, done.stderr)
        self.file.write_bytes(bytes(range(256)))
        self.assertEqual(run("config", self.file).returncode, USAGE)
        self.file.write_bytes(b"a = " + b"[" * 100_000)
        self.assertIn("no TOML", run("config", self.file).stderr)


if __name__ == "__main__":
    unittest.main()
