#!/usr/bin/env python3
"""seed_failures_test.py CRAWLER: a crawl whose seed fails says why, and what to do.

On the terminal, with -q, and in --json; with the hint that `crawler fetch` gives.
"""
import json
import pathlib
import socket
import subprocess
import sys
import tempfile
import unittest

from site_server import Answer, Site

CRAWLER = sys.argv.pop(1)
FAILED = 1
ALLOW = ["--allow-net", "127.0.0.0/8"]
QUICK = ["--delay", "0", "--retries", "1", "--retry-delay", "0.01", "--host-failures", "1",
         "--no-sitemaps"]


def run(*arguments):
    return subprocess.run([CRAWLER, *arguments], capture_output=True, text=True, timeout=60)


class SeedFailures(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.base = pathlib.Path(folder.name)

    def check(self, url, what, hint, *options, allow=True):
        """The words about the seed, in every form of output. Returns the JSON."""
        arguments = [*(ALLOW if allow else []), *options]
        out = self.base / "json"
        done = run("crawl", url, "--out", out, "-q", "--json", *QUICK, *arguments)
        result = json.loads(done.stdout)
        self.assertEqual((done.returncode, result["pages"]), (FAILED, 0), done.stdout)
        self.check_warning(done.stderr, url)
        seed = result["seed_failures"][0]
        self.assertEqual(seed["url"], url)
        self.assertIn(what, seed["what"])
        self.assertIn(hint, seed["hint"])
        self.assertTrue(result["message"].startswith("No page could be crawled. " + url),
                        result["message"])
        self.assertIn(what, result["message"])
        self.assertIn(hint, result["message"])

        text = run("crawl", url, "--out", self.base / "text", "-q", *QUICK, *arguments)
        self.assertEqual(text.returncode, FAILED)
        self.assertTrue(text.stdout.startswith("No page could be crawled.\n  " + url), text.stdout)
        self.assertIn(what, text.stdout)
        self.assertIn(hint, text.stdout)
        self.check_warning(text.stderr, url)
        return result

    def check_warning(self, stderr, url):
        """-q shows nothing but the first failure of a seed that is tried again."""
        if stderr:
            self.assertRegex(stderr, r"\Acrawler crawl: \S+ .*\. It is tried again in \d+ s\.[^\n]*\n\Z")
            self.assertIn(url, stderr)

    def check_like_fetch(self, url, what, hint, *options, allow=True):
        """Like check(); and `crawler fetch` gives the same hint."""
        result = self.check(url, what, hint, *options, allow=allow)
        fetched = json.loads(run("fetch", url, "--json", *(ALLOW if allow else []), *options).stdout)
        self.assertEqual(fetched["hint"], result["seed_failures"][0]["hint"])

    def test_loopback(self):
        with Site({"/": Answer()}) as site:
            self.check_like_fetch(site.url(), "was refused: 127.0.0.1 is loopback (127.0.0.0/8)",
                                  "If the server is yours, add --allow-net 127.0.0.0/8.", allow=False)

    def test_connection_refused(self):
        with socket.socket() as closed:
            closed.bind(("127.0.0.1", 0))  # Bound, but nobody listens.
            url = f"http://127.0.0.1:{closed.getsockname()[1]}/"
            self.check_like_fetch(url, "the connection was refused", "Check that the server runs")

    def test_refused_by_default(self):
        """The reason comes at the first attempt, and the end within seconds."""
        with socket.socket() as closed:
            closed.bind(("127.0.0.1", 0))
            url = f"http://127.0.0.1:{closed.getsockname()[1]}/"
            done = run("crawl", url, "--out", self.base / "out", "-q", *ALLOW)
            self.assertEqual(done.returncode, FAILED)
            self.assertIn(f"crawler crawl: {url} cannot be reached: the connection was refused", done.stderr)
            self.assertIn("It is tried again in 1 s. Check that the server runs", done.stderr)
            self.assertIn("No page could be crawled.\n  " + url, done.stdout)

    def test_certificate(self):
        certificate = self.base / "certificate.pem"
        subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt",
                        "ec_paramgen_curve:P-256", "-nodes", "-keyout", certificate, "-out",
                        self.base / "public.pem", "-subj", "/CN=127.0.0.1", "-days", "2"],
                       check=True, capture_output=True)
        with certificate.open("a") as file:
            file.write((self.base / "public.pem").read_text())
        with Site({"/": Answer()}, certificate) as site:
            self.check_like_fetch(site.url(), "cannot be reached safely", "--ca-file")

    def test_status_codes(self):
        for status, what, hint in ((401, "answered 401 (unauthorized)", "--basic-auth-from"),
                                   (403, "answered 403 (forbidden)", "--basic-auth-from"),
                                   (404, "answered 404 (not found)", "Check the URL."),
                                   (500, "answered 500 (internal server error)", "try again later")):
            with self.subTest(status=status), Site({"/": Answer(status)}) as site:
                self.setUp()
                self.check_like_fetch(site.url(), what, hint)

    def test_robots(self):
        robots = Answer(body=b"User-agent: *\nDisallow: /\n", headers={"Content-Type": "text/plain"})
        with Site({"/robots.txt": robots, "/": Answer()}) as site:
            self.check_like_fetch(site.url(), "is refused by robots.txt line 2: Disallow: /",
                                  "--no-robots")

    def test_no_robots(self):
        with Site({"/robots.txt": Answer(503), "/": Answer()}) as site:
            self.check(site.url(), "no robots.txt from its host", "Nothing is fetched without")

    def test_wrong_type(self):
        pdf = Answer(body=b"%PDF-1.4", headers={"Content-Type": "application/pdf"})
        with Site({"/a.pdf": pdf}) as site:
            self.check_like_fetch(site.url("/a.pdf"), "is not of a type that is crawled",
                                  "--any-type")

    def test_redirects(self):
        with Site({"/": Answer(301, headers={"Location": "http://other.example/"})}) as site:
            self.check(site.url(), "redirects to http://other.example/, which is outside the scope",
                       "Begin at http://other.example/, or take a larger --scope.")

    def test_redirect_loop(self):
        with Site({"/": Answer(301, headers={"Location": "/x"}),
                   "/x": Answer(302, headers={"Location": "/"})}) as site:
            self.check(site.url(), "redirects in a circle", "")

    def test_redirect_to_a_failure(self):
        with Site({"/": Answer(301, headers={"Location": "/x"})}) as site:
            self.check(site.url(), "redirects to a URL that answered 404", "Check the URL.")

    def test_timeout(self):
        with Site({"/robots.txt": Answer(404), "/": Answer(delay=1)}) as site:
            self.check_like_fetch(site.url(), "response timeout", "--timeout", "--timeout", "0.3")

    def test_body_that_breaks_off(self):
        with Site({"/": Answer(body=b"", length=1000)}) as site:
            self.check(site.url(), "could not be fetched: ", "", "--timeout", "1")

    def test_one_seed_of_two(self):
        with Site({"/": Answer()}) as site:
            done = run("crawl", site.url(), site.url("/no"), "--out", self.base / "two", "-q",
                       *ALLOW, *QUICK)
            self.assertEqual(done.returncode, 0)
            self.assertIn(f"A seed failed:\n  {site.url('/no')} answered 404 (not found).",
                          done.stdout)
            self.assertIn("Finished in ", done.stdout)


if __name__ == "__main__":
    unittest.main()
