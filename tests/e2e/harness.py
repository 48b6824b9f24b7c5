"""What the end-to-end tests share: a synthetic web, the crawler as a user runs it, its catalogue.

Every test gets the programs on its command line: --crawler, --synthetic-web. Tests made of cases
derive from Case and end with harness.main(__doc__).
"""
import argparse
import http.server
import json
import os
import pathlib
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time
import unittest

HERE = pathlib.Path(__file__).resolve().parent
CHECK_LOG = HERE.parent / "web" / "check_log"
# The crawler was built with a sanitizer, which needs memory of its own.
SANITIZED = "CRAWLER_SANITIZED" in os.environ
LOOPBACK = ["--allow-net", "127.0.0.0/8"]
# One's own server: as fast as it goes.
QUICK = LOOPBACK + ["--delay", "0", "--per-host", "16", "--quiet"]


def programs(description, add=None, keep_rest=False):
    """The arguments of a test, and with `keep_rest` those it does not know; `add` may add to them.
    Paths are absolute."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--crawler", required=True, type=pathlib.Path)
    parser.add_argument("--synthetic-web", required=True, type=pathlib.Path)
    if add:
        add(parser)
    arguments, rest = parser.parse_known_args() if keep_rest else (parser.parse_args(), [])
    arguments.crawler = arguments.crawler.resolve()
    arguments.synthetic_web = arguments.synthetic_web.resolve()
    return (arguments, rest) if keep_rest else arguments


class Case(unittest.TestCase):
    """A test with a folder of its own, which goes when it ends."""
    crawler = None  # Set by main().
    synthetic_web = None

    def setUp(self):
        self.base = pathlib.Path(tempfile.mkdtemp(prefix="crawler-e2e-"))
        self.addCleanup(shutil.rmtree, self.base, ignore_errors=True)
        self.out = self.base / "crawl"

    def web(self, *hosts, **options):
        """A synthetic web that runs until the test ends."""
        web = SyntheticWeb(self.synthetic_web, hosts, **options)
        self.addCleanup(web.__exit__)
        return web.__enter__()

    def assert_log(self, web, *options):
        """Ends the web and has check_log judge its log."""
        web.end()
        self.assertEqual(web.check_log(*options), "")

    def assert_verified(self, folder=None):
        self.crawler.run("verify", folder or self.out)

    def assert_same(self, expected, found, what):
        expected, found = set(expected), set(found)
        self.assertFalse(expected - found, f"{what}: missing")
        self.assertFalse(found - expected, f"{what}: too many")


def main(description):
    """Runs the cases of the program; further arguments are those of unittest."""
    arguments, rest = programs(description, keep_rest=True)
    Case.crawler = Crawler(arguments.crawler)
    Case.synthetic_web = arguments.synthetic_web
    unittest.main(argv=[sys.argv[0], *rest])


class SyntheticWeb:
    """A synthetic web that runs while the `with` block does. `hosts`: lines of a description."""

    def __init__(self, program, hosts, seed=1, max_seconds=300, options=()):
        self.program = str(program)
        self.web = [x for host in hosts for x in ("--host", host)] + ["--seed", str(seed)]
        self.options = list(options)
        self.max_seconds = max_seconds

    def __enter__(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="synthetic-web-"))
        self.log_path = self.folder / "log"
        for _ in range(50):  # Somebody may have a port that it needs, on any of its addresses.
            self.process = subprocess.Popen(
                [self.program, *self.web, *self.options, "--log", str(self.log_path),
                 "--max-seconds", str(self.max_seconds)],
                stdout=subprocess.PIPE, text=True)
            if ready := self.process.stdout.readline():
                self.port = int(ready.split()[1])
                return self
            self.end()
            self.process.wait()
        raise RuntimeError("synthetic_web does not start")

    def __exit__(self, *_):
        self.end()
        shutil.rmtree(self.folder, ignore_errors=True)

    def end(self):
        """Ends the server; its log is complete then."""
        if self.process.poll() is None:
            self.process.terminate()
            self.process.wait(timeout=30)
        self.process.stdout.close()

    def url(self, host=1, path="/"):
        return f"http://127.0.0.{host}:{self.port}{path}"

    def flush_log(self):
        """The requests so far as lists of fields, see docs/synthetic-web.md."""
        before = self.flushes()
        self.process.send_signal(signal.SIGUSR1)
        deadline = time.monotonic() + 30
        while self.flushes() == before:
            if time.monotonic() > deadline:
                raise TimeoutError("the synthetic web does not flush its log")
            time.sleep(0.01)
        return self.requests()

    def flushes(self):
        if not self.log_path.exists():
            return 0
        return self.log_path.read_text().count("#flushed\n")

    def requests(self):
        lines = self.log_path.read_text().splitlines()
        return [line.split("\t") for line in lines if not line.startswith("#")]

    def expectation(self, *options):
        """[(fate, url)] that a right crawl comes to; file with it for check_log."""
        text = subprocess.run(
            [self.program, *self.web, "--expect", "--port", str(self.port), *options],
            check=True, capture_output=True, text=True).stdout
        path = self.folder / "expected"
        path.write_text(text)
        fates = [tuple(line.split()[:2]) for line in text.splitlines() if line]
        return [(fate, url) for fate, url in fates if fate != "host"], path

    def check_log(self, *options):
        """Runs check_log on the (complete) log; its complaints, empty if there are none."""
        done = subprocess.run([sys.executable, str(CHECK_LOG), str(self.log_path),
                               *map(str, options)],
                              capture_output=True, text=True)
        return "" if done.returncode == 0 else done.stdout + done.stderr


class PageServer:
    """Serves pages that a test has made, on loopback while the `with` block runs.

    `pages`: {path: (headers, body)} or {path: (headers, body, status)}; all else is 404. It may be
    changed at any time. What has an ETag or a Last-Modified is answered with 304 to whoever has it.
    `requests` are [(path, headers, status of the answer)].
    """

    def __init__(self, pages, delay=0):
        server = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self):
                time.sleep(delay)
                headers, body, status = (*pages.get(self.path, ({}, b"", 404)), 200)[:3]
                if status == 200 and self.has_it(headers):
                    status = 304
                with server.lock:
                    server.requests.append((self.path, dict(self.headers.items()), status))
                self.send_response(status)
                for name, value in headers.items():
                    self.send_header(name, value)
                if status != 304:
                    self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(b"" if status == 304 else body)

            # RFC 9110, 13.1.3: If-Modified-Since is not looked at beside an If-None-Match.
            def has_it(self, headers):
                if "If-None-Match" in self.headers:
                    return self.headers["If-None-Match"] == headers.get("ETag")
                return self.headers.get("If-Modified-Since", "") == headers.get("Last-Modified")

            def log_message(self, *_):
                pass

        class Server(http.server.ThreadingHTTPServer):
            def handle_error(self, *about):
                if not isinstance(sys.exc_info()[1], ConnectionError):  # A crawler that was killed.
                    super().handle_error(*about)

        self.pages = pages
        self.requests = []
        self.lock = threading.Lock()
        self.server = Server(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True

    def __enter__(self):
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.server.server_close()

    def url(self, path="/"):
        return f"http://127.0.0.1:{self.server.server_address[1]}{path}"


class Crawler:
    """The crawler program."""

    def __init__(self, program):
        self.program = str(program)

    def run(self, *arguments, timeout=300, check=0, **options):
        """Runs it; the exit code must be `check` unless that is None. `options`: of subprocess."""
        done = subprocess.run([self.program, *map(str, arguments)], capture_output=True, text=True,
                              timeout=timeout, **options)
        if check is not None:
            assert done.returncode == check, (
                f"{arguments}: exit code {done.returncode}\n{done.stdout}\n{done.stderr}")
        return done

    def start(self, *arguments):
        return subprocess.Popen([self.program, *map(str, arguments)], stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, text=True)

    def totals(self, *arguments, **options):
        """Runs `crawl` or `resume` and returns the totals."""
        return json.loads(self.run(*arguments, "--json", **options).stdout)


class Catalogue:
    """crawl.db of a folder, read as any SQLite client does."""

    def __init__(self, folder):
        self.path = pathlib.Path(folder) / "crawl.db"

    def rows(self, sql, *parameters):
        try:
            return self.rows_in_mode("ro", sql, parameters)
        except sqlite3.OperationalError as error:
            # A kill while the database was made leaves a journal that only a writer may roll back.
            if "readonly" not in str(error):
                raise
            return self.rows_in_mode("rw", sql, parameters)

    def rows_in_mode(self, mode, sql, parameters):
        db = sqlite3.connect(f"file:{self.path}?mode={mode}", uri=True, timeout=30)
        try:
            return db.execute(sql, parameters).fetchall()
        finally:
            db.close()

    def value(self, sql, *parameters):
        return self.rows(sql, *parameters)[0][0]

    def fates(self):
        """{url: (fate, reason)}"""
        return {row[0]: row[1:] for row in self.rows("SELECT url, fate, reason FROM fates")}

    def pages(self):
        return {row[0] for row in self.rows("SELECT url FROM pages")}

    def state(self):
        """What two crawls of the same web must agree on, whatever their order was."""
        return {
            "pages": sorted(self.rows("SELECT url, status_code, content_hash, size FROM pages")),
            "fates": sorted(self.rows(
                "SELECT url, fate, coalesce(status_code, 0) FROM fates")),
            "edges": sorted(self.rows(
                "SELECT f.url, t.url, e.nofollow FROM edges e JOIN urls f ON f.id = e.from_id "
                "JOIN urls t ON t.id = e.to_id")),
            "terms": self.rows("SELECT term, document_freq, shown FROM index_terms ORDER BY term"),
            "indexed": self.rows("SELECT coalesce(sum(pages), 0), (SELECT count(*) FROM page_text) "
                                 "FROM index_segments WHERE kind = 0 AND state = 0"),
        }


def compare(left, right, what):
    """Fails, showing some differences, unless two collections are equal."""
    left, right = set(left), set(right)
    if left == right:
        return
    sys.exit(f"{what} differ:\n  only in the first: {sorted(left - right)[:5]}\n"
             f"  only in the second: {sorted(right - left)[:5]}")
