#!/usr/bin/env python3
"""The log of a crawl: --log FILE, --log-level LEVEL, for crawl, resume and recrawl.

Issue 13: lines have a level and key=value pairs; the thread's name is right; debug lines can be had;
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
        # A line per page, from the thread that fetched it; the phases from the caller's own.
        fetched = [thread for level, thread, line in lines
                   if level == "DEBUG" and self.site.url(1, "/") in line]
        self.assertGreaterEqual(len(fetched), 20)
        for thread in fetched:
            self.assertRegex(thread, r"^(fetcher|parser)-\d+$")
        phases = {thread for _, thread, line in lines if "Phase begins" in line}
        self.assertEqual(phases, {"main"})

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

    def test_unknown_level_is_refused(self):
        done = self.crawl("--log-level", "loud", exit_code=EXIT_USAGE)
        self.assertIn("loud is none of debug, info, warn, error", done.stderr)
        self.assertFalse(self.out.exists())

    def test_full_disk_under_the_log_does_not_stop_the_crawl(self):
        done = self.crawl("--log", "/dev/full")
        self.assertRegex(done.stderr, r"crawler: \d+ log lines could not be written to /dev/full")


if __name__ == "__main__":
    harness.main(__doc__)
