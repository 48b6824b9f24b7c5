#!/usr/bin/env python3
"""screens_test.py CRAWLER: what a person sees, captured from a real terminal (tmux).

Shapes are compared, not times: every digit becomes 9, runs of digits one.
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "cli"))
from site_server import Answer, Site  # noqa: E402

CRAWLER = pathlib.Path(sys.argv.pop(1)).resolve()
ROWS = 12
PAGES = 40


class Terminal:
    """A terminal of `columns` in which one command runs."""

    def __init__(self, columns, folder, command, rows=ROWS, environment=()):
        self.socket = str(folder / "tmux.socket")
        self.done = folder / "done"
        script = folder / "command.sh"
        script.write_text(f"cd {folder}\n{command}\necho $? > {self.done}\nexec sleep 60\n")
        variables = [word for variable in environment for word in ("-e", variable)]
        self.tmux("-f", "/dev/null", "new-session", "-d", "-x", str(columns), "-y", str(rows),
                  *variables, f"exec bash {script}")

    def tmux(self, *arguments):
        return subprocess.run(["tmux", "-S", self.socket, *arguments], check=True,
                              capture_output=True, text=True,
                              env={**os.environ, "LC_ALL": "C.UTF-8", "TERM": "xterm-256color"}).stdout

    def lines(self, *options):
        """The lines on the screen, without empty ones at the end."""
        text = self.tmux("capture-pane", "-p", *options).rstrip()
        return [line.rstrip() for line in text.split("\n")]

    def wait_for(self, pattern):
        """The first screen on which `pattern` is found."""
        for _ in range(400):
            lines = self.lines()
            if re.search(pattern, "\n".join(lines)):
                return lines
            time.sleep(0.025)
        raise AssertionError(f"'{pattern}' did not come; the screen is {lines}")

    def wait_for_end(self):
        for _ in range(1200):
            if self.done.exists():
                time.sleep(0.1)
                return self.lines()
            time.sleep(0.025)
        raise AssertionError(f"the command does not end; the screen is {self.lines()}")

    def resize(self, columns):
        self.tmux("resize-window", "-x", str(columns), "-y", str(ROWS))

    def close(self):
        subprocess.run(["tmux", "-S", self.socket, "kill-server"], capture_output=True)


def shape(lines):
    lines = [re.sub(r"127\.0\.0\.1:\d+", "HOST", line) for line in lines]
    return [re.sub(r"[\d,]*\d(\.\d)?", "9", line) for line in lines]


class Screens(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.base = pathlib.Path(folder.name)
        self.gate = threading.Event()
        self.addCleanup(self.gate.set)

    def site(self):
        """A front page with links; pages from the third on wait until `gate` is set."""
        links = "".join(f'<a href="/page-with-a-rather-long-name/{i}">{i}</a>' for i in range(PAGES))
        links += '<a href="http://other.example/">other</a><a href="/missing">missing</a>'

        def answer(path):
            if path == "/":
                return Answer(body=links.encode())
            if not path.startswith("/page"):
                return None
            if int(path.split("/")[-1]) > 1:
                self.gate.wait(20)
            return Answer()

        site = Site(answer)
        site.__enter__()
        # The gate opens first: the server ends with its last request.
        self.addCleanup(site.__exit__)
        self.addCleanup(self.gate.set)
        return site

    def crawl(self, columns, *options, rows=ROWS, environment=(), url=None, delay=0):
        url = url or self.site().url()
        terminal = Terminal(columns, self.base,
                            f"{CRAWLER} crawl {url} --out out --allow-net 127.0.0.0/8 --delay {delay} "
                            + " ".join(options), rows, environment)
        self.addCleanup(terminal.close)
        return terminal

    def check_end(self, lines):
        self.assertEqual(shape(lines)[:6], [
            "Finished in 9 s: 9 pages from 9 host, 9 kB received.",
            "  9 not found · 9 duplicates",
            "  9 URL on other hosts was not followed (--scope domain or web would)",
            "Stored in out: catalogue 9 kB, WARC 9 kB, index of 9 pages.",
            "Next: crawler search out WORDS · crawler report out --html report.html"], lines)
        self.assertIn(f": {PAGES + 1} pages", lines[0])

    def check_screens(self, columns, first, second):
        terminal = self.crawl(columns)
        lines = terminal.wait_for(r"left\n.*page-.*/2$")
        self.assertEqual(shape(lines), [first, second])
        self.assertTrue(all(len(line) < columns for line in lines))
        self.gate.set()
        terminal.wait_for_end()
        self.check_end(terminal.lines("-J"))  # With wrapped lines joined.

    def test_60_columns(self):
        self.check_screens(60, "9 of at least 9 · 9 pages/s · 9:9 · at least 9:9 left",
                           "HOST/page-with-a-rather-long-name/9")

    def test_80_columns(self):
        self.check_screens(80, "9 of at least 9 · 9 pages/s · 9 errors · 9:9 · at least 9:9 left",
                           "HOST/page-with-a-rather-long-name/9")

    def test_120_columns(self):
        self.check_screens(120,
                           "9 of at least 9 · 9 pages/s · 9 kB/s · 9 errors · 9:9 · at least 9:9 "
                           "left",
                           "HOST/page-with-a-rather-long-name/9")

    def test_waiting_for_politeness(self):
        terminal = self.crawl(80, delay=30)
        lines = terminal.wait_for("between requests")
        self.assertEqual(shape(lines)[1],
                         "waiting for HOST: 9 s between requests (--delay)")
        terminal.tmux("send-keys", "C-c")
        lines = terminal.wait_for_end()
        self.assertIn("crawler crawl: stopping: waiting for requests under way", lines[0])
        self.assertRegex(lines[-1], "^To go on: crawler resume out$")
        self.assertNotIn("between requests", "\n".join(lines))

    def test_backing_off(self):
        busy = Answer(503, headers={"Retry-After": "100"})
        site = Site({"/": Answer(body=b'<a href="/busy?q=1">busy</a>'), "/busy?q=1": busy})
        with site:
            terminal = self.crawl(80, url=site.url())
            lines = terminal.wait_for("backing off")
            self.assertRegex(lines[1], r"^127\.0\.0\.1:\d+ is backing off for (1:40|1:39|100 s): "
                                       r"503 at /busy\?q=1$")
            terminal.close()

    def running_crawl(self, delay=0):
        """A crawl without a terminal, in the folder `out`, that waits for the gate."""
        crawl = subprocess.Popen([CRAWLER, "crawl", self.site().url(), "--out", self.base / "out",
                                  "--allow-net", "127.0.0.0/8", "--delay", str(delay), "-q"],
                                 stdout=subprocess.DEVNULL)
        self.addCleanup(crawl.wait)
        self.addCleanup(crawl.kill)
        status = [CRAWLER, "status", self.base / "out"]
        for _ in range(400):
            done = subprocess.run(status, capture_output=True, text=True)
            if done.stdout.startswith("running") and "0 pages, 0 URLs" not in done.stdout:
                return crawl
            time.sleep(0.025)
        raise AssertionError(f"the crawl does not begin: {done}")

    def watch(self):
        terminal = Terminal(80, self.base, f"{CRAWLER} status out --watch")
        self.addCleanup(terminal.close)
        return terminal

    def test_status_watch_follows_a_crawl_to_its_end(self):
        self.running_crawl()
        terminal = self.watch()
        lines = terminal.wait_for(r"\d of .* left")
        self.assertRegex(shape(lines)[0], "^9 of (at least 9|9 known) · 9 pages/s · ")
        self.gate.set()
        lines = terminal.wait_for_end()
        self.assertEqual(lines[0], "finished")
        self.assertTrue(lines[1].startswith(f"{PAGES + 1} pages, "), lines)
        self.assertNotIn(" left", "\n".join(lines))
        self.assertEqual(terminal.done.read_text(), "0\n")

    def test_status_watch_says_why_it_waits_and_ends_with_ctrl_c(self):
        crawl = self.running_crawl(delay=30)
        terminal = self.watch()
        lines = terminal.wait_for("between requests")
        self.assertEqual(shape(lines)[1],
                         "waiting for HOST: 9 s between requests (--delay)")
        terminal.tmux("send-keys", "C-c")
        lines = terminal.wait_for_end()
        self.assertRegex(lines[0], r"^running \(process \d+\)$")
        self.assertIsNone(crawl.poll())
        self.assertEqual(terminal.done.read_text(), "0\n")

    def test_status_watch_without_a_terminal_prints_plain_lines(self):
        self.running_crawl()
        watch = subprocess.Popen([CRAWLER, "status", self.base / "out", "--watch"],
                                 stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        first = watch.stdout.readline()
        self.gate.set()
        rest, errors = watch.communicate(timeout=30)
        self.assertRegex(first, r"^(discovery|expansion): \d+ of ")
        self.assertIn("\nfinished\n", "\n" + rest)
        self.assertNotIn("\x1b", first + rest + errors)
        done = subprocess.run([CRAWLER, "status", self.base / "nothing", "--watch"],
                              capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        done = subprocess.run([CRAWLER, "status", self.base / "out", "--watch", "--json"],
                              capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stdout), (2, ""))

    def test_status_watch_ends_when_nobody_reads(self):
        crawl = self.running_crawl()
        watch = subprocess.Popen([CRAWLER, "status", self.base / "out", "--watch"],
                                 stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.assertRegex(watch.stdout.readline(), r"^(discovery|expansion): ")
        watch.stdout.close()
        # Its next line, at the latest with the next phase, meets a closed pipe.
        errors = watch.stderr.read()
        watch.stderr.close()
        self.assertEqual(watch.wait(timeout=60), 1, errors)
        self.assertIn("Broken pipe", errors)
        self.assertIsNone(crawl.poll())  # The crawl goes on.
        self.gate.set()

    def test_a_terminal_that_changes_its_width(self):
        terminal = self.crawl(100)
        terminal.wait_for(r"page-.*/2$")
        terminal.resize(40)
        lines = terminal.wait_for(r"(?m)^\d+ done.*\n.*…")
        self.assertEqual(len(lines), 2, lines)  # Nothing of the wider lines is left.
        self.assertTrue(all(len(line) < 40 for line in lines), lines)
        terminal.resize(100)
        lines = terminal.wait_for(r"page-with-a-rather-long-name/2$")
        self.assertEqual(len(lines), 2, lines)

    def test_other_lines_come_above(self):
        terminal = self.crawl(100, "--log-level", "info", "--log-pages")
        lines = terminal.wait_for(r"page-.*/2$")
        live = [i for i, line in enumerate(lines) if " pages/s · " in line]
        self.assertEqual(live, [len(lines) - 2], lines)
        self.assertTrue(any(" INFO " in line for line in lines), lines)
        self.gate.set()
        text = "\n".join(terminal.wait_for_end())
        self.assertNotIn("pages/s ·", text)
        everything = "\n".join(terminal.lines("-S", "-"))
        self.assertEqual(len(re.findall(r" 200 http://", everything)), PAGES + 1)
        self.assertNotIn("pages/s ·", everything)

    def test_few_rows_get_one_line(self):
        lines = self.crawl(80, rows=3).wait_for("pages/s")
        self.assertEqual(len(lines), 1, lines)

    def test_colours(self):
        terminal = self.crawl(80)
        terminal.wait_for(r"page-.*/2$")
        self.assertIn("\033[", "\n".join(terminal.lines("-e")))
        self.gate.set()
        terminal.wait_for_end()
        self.assertIn("\033[1m", "\n".join(terminal.lines("-e")))

    def test_no_colours(self):
        terminal = self.crawl(80, environment=["NO_COLOR=1"])
        terminal.wait_for(r"page-.*/2$")
        self.assertNotIn("\033[", "\n".join(terminal.lines("-e")))
        self.gate.set()
        terminal.wait_for_end()
        self.assertNotIn("\033[", "\n".join(terminal.lines("-e")))

    def test_quiet(self):
        terminal = self.crawl(80, "-q")
        time.sleep(0.6)
        self.assertEqual(terminal.lines(), [""])
        self.gate.set()
        self.check_end(terminal.wait_for_end())

    def test_no_terminal(self):
        self.gate.set()
        done = subprocess.run(
            [CRAWLER, "crawl", self.site().url(), "--out", self.base / "out", "--allow-net",
             "127.0.0.0/8", "--delay", "0", "--log", self.base / "log"],
            capture_output=True, text=True, timeout=60)
        self.assertNotIn("\033", done.stderr + done.stdout)
        self.assertNotIn("\r", done.stderr + done.stdout)
        self.assertRegex(done.stderr, r"(?m)^(discovery|expansion): \d+ of ")
        self.check_end([line.replace(str(self.base) + "/", "") for line in done.stdout.splitlines()])

    def test_no_page(self):
        terminal = self.crawl(100, url="http://10.0.0.1/")
        self.assertEqual(terminal.wait_for_end()[:3], [
            "No page could be crawled.",
            "  http://10.0.0.1/ was refused: 10.0.0.1 is private use (10.0.0.0/8).",
            "  If the server is yours, add --allow-net 10.0.0.0/8."])


if __name__ == "__main__":
    if shutil.which("tmux") is None:
        print("tmux is not installed")
        sys.exit(77)
    unittest.main()
