#!/usr/bin/env python3
"""The log of a crawl: --log FILE, --log-level LEVEL, for crawl, resume and recrawl.

Lines have a level and key=value pairs; the thread's name is right; debug lines can be had;
a file that cannot be written is an error before anything starts.
"""
import re

import harness

GRAPH = ["1 pages=20 links=4"]
LINE = re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{3} (DEBUG|INFO |WARN |ERROR) \[([^\]]+)\] "
                  r"\w+ - ")
EXIT_USAGE = 2


class Log(harness.Case):
    def setUp(self):
        super().setUp()
        self.log = self.base / "log"
        self.site = self.web(*GRAPH)

    def crawl(self, *options, out=None, exit_code=0):
        return self.crawler.run("crawl", self.site.url(1), "--out", out or self.out, *harness.LOOPBACK,
                                "--delay", "0", *options, check=exit_code)

    def lines(self):
        """(level, thread, line) of each line of the log file."""
        found = []
        for line in self.log.read_text().splitlines():
            match = LINE.match(line)
            self.assertTrue(match, line)
            found.append((match[1].strip(), match[2], line))
        return found

    def test_lines_go_to_the_file_alone(self):
        done = self.crawl("--log", self.log)
        self.assertEqual({level for level, _, _ in self.lines()}, {"INFO"})
        self.assertNotIn("Phase begins", done.stderr)
        self.assertIn("Phase begins", self.crawl(out=self.base / "other").stderr)

    def test_levels(self):
        self.crawl("--log", self.log, "--log-level", "debug", "--quiet")
        lines = self.lines()
        self.assertLessEqual({"DEBUG", "INFO"}, {level for level, _, _ in lines})
        # A line per page, from the thread that fetched it; expansion begins with the last seed.
        fetched = [thread for level, thread, line in lines
                   if level == "DEBUG" and self.site.url(1, "/") in line]
        self.assertGreaterEqual(len(fetched), 20)
        for thread in fetched:
            self.assertRegex(thread, r"^(fetcher|parser)-\d+$")
        for _, thread, line in lines:
            if "Phase begins" in line:
                self.assertRegex(thread, r"^fetcher-\d+$" if "expansion" in line else "^main$")
            if "Batch committed" in line:
                self.assertEqual(thread, "writer")

        self.log.unlink()
        self.crawl("--log", self.log, "--log-level", "error", out=self.base / "quiet")
        self.assertEqual(self.lines(), [])

    def test_later_runs_append(self):
        self.crawl("--log", self.log, "--log-level", "debug", "--max-pages", "5")
        first = len(self.lines())
        # Per run: the level of the first run is not kept.
        self.crawler.run("resume", self.out, "--log", self.log, "--max-pages", "0")
        second = self.lines()[first:]
        self.assertEqual({level for level, _, _ in second}, {"INFO"})
        self.crawler.run("recrawl", self.out, "--log", self.log, "--log-level", "debug")
        third = self.lines()[first + len(second):]
        self.assertIn("DEBUG", {level for level, _, _ in third})

    def test_unwritable_file_is_refused_before_anything_starts(self):
        bad = self.base / "missing" / "log"
        done = self.crawl("--log", bad, exit_code=EXIT_USAGE)
        self.assertIn(f"cannot open the log file {bad}: ", done.stderr)
        self.assertFalse(self.out.exists())
        self.assertEqual(self.site.flush_log(), [])

    def test_every_event_has_its_line(self):
        text = {"Content-Type": "text/html"}
        paths = ("good", "private", "moved", "missing", "broken")
        front = "".join(f"<a href='/{path}'>{path}</a>" for path in paths).encode()
        pages = {
            "/": (text, front), "/good": (text, b"good"),
            "/robots.txt": ({"Content-Type": "text/plain"}, b"User-agent: *\nDisallow: /private"),
            "/moved": ({"Location": "/good"}, b"", 301), "/broken": (text, b"", 500)}
        busy = harness.PageServer({"/": ({"Retry-After": "60"}, b"", 429)})
        down = harness.PageServer({})
        down.server.server_close()
        with harness.PageServer(pages) as server, busy:
            self.crawler.run("crawl", server.url(), busy.url(), down.url(), "--out", self.out,
                             *harness.LOOPBACK, "--delay", "0", "--retries", "1", "--retry-delay",
                             "0.1", "--host-failures", "1", "--max-time", "2", "--log", self.log,
                             "--log-level", "debug", "--quiet", check=None)
        site = re.escape(server.url())
        down = re.escape(down.url("")).rstrip("/")
        lines = "\n".join(line.split(" - ", 1)[1] for _, _, line in self.lines())
        for event in (
                rf"robots.txt fetched {{host={site[:-1]}, status=200, policy=rules, ",
                rf"URL fetched {{url={site}good, status=200, outcome=page, bytes=4, ms=\d+, depth=1",
                rf"URL refused by robots.txt {{url={site}private, rule=\S.*, line=2}}",
                rf"URL redirected {{url={site}moved, status=301, to={site}good}}",
                rf"URL failed {{url={site}missing, status=404, why=\"status 404\"}}",
                rf"Retry scheduled {{url={site}broken, attempt=2, delay_ms=\d+, why=",
                rf"Retries exhausted {{url={site}broken, attempts=2, why=\"status 500\"}}",
                rf"Host throttles the crawl {{url={re.escape(busy.url())}, status=429, "
                r"retry_after_ms=60000}",
                rf"robots.txt failed {{host={down}, status=0, why=\"refused: ",
                rf"Host given up {{host={down}, reason=\"no robots.txt\", attempts=1, why=",
                r"Phase ends {phase=discovery, ms=\d+, requests=\d+, pages=\d+}",
                r"Batch committed {pages=\d+, urls=\d+, links=\d+, ms=\d+}",
                r"Budget reached {budget=max-time}"):
            self.assertRegex(lines, event)

    def test_warnings_are_in_the_log_and_on_the_screen_once(self):
        secret = self.site.url(1).replace("http://", "http://ali:sesame@")
        for options in (["--log", self.log], ["--quiet"], [], ["--log-level", "error"]):
            with self.subTest(options=options):
                out = self.base / f"out{len(options)}{options}"
                done = self.crawler.run("crawl", secret, "--out", out, *harness.LOOPBACK, "--delay",
                                        "0", *options)
                self.assertEqual(done.stderr.count("user and password in a URL"), 1)
        self.assertIn("WARN", {level for level, _, _ in self.lines()})

    def test_unknown_level_is_refused(self):
        done = self.crawl("--log-level", "loud", exit_code=EXIT_USAGE)
        self.assertIn("'loud' is none of debug, info, warn, error", done.stderr)
        self.assertFalse(self.out.exists())

    def test_full_disk_under_the_log_does_not_stop_the_crawl(self):
        done = self.crawl("--log", "/dev/full")
        self.assertRegex(done.stderr, r"crawler crawl: \d+ log lines could not be written to /dev/full")


if __name__ == "__main__":
    harness.main(__doc__)
