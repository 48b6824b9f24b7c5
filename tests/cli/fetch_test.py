#!/usr/bin/env python3
"""fetch_test.py CRAWLER: `crawler fetch` against a server on loopback."""
import gzip
import http.server
import json
import subprocess
import sys
import threading
import unittest

CRAWLER = sys.argv.pop(1)

PAGE = """<!DOCTYPE html><html lang=en><title>Caf\u00e9</title>
<meta name=description content="A small page"><meta name=robots content=noindex>
<p>Hello <a href="/next" rel=nofollow>next</a> and <a href="mailto:x@y">mail</a>.
<p>Second <script>hidden()</script>paragraph"""

META = ("<!DOCTYPE html><title>Meta</title>"
        "<meta property='og:title' content=' A &amp; B '><meta name=Author content='Caf&eacute;'>"
        "<meta property='og:image' content=''><meta charset=utf-8>"
        "<meta property='og:title' content=again><meta name=long content='" + "x" * 3000 + "'>"
        + "<meta name=many content=1>" * 1000)

RESPONSES = {
    "/robots.txt": (200, {"Content-Type": "text/plain"},
                    b"User-agent: *\nDisallow: /private\nCrawl-delay: 2\n"),
    "/page": (200, {"Content-Type": "text/html; charset=utf-8", "Content-Encoding": "gzip",
                    "Link": "</style.css>; rel=stylesheet"},
              gzip.compress(PAGE.encode())),
    "/meta": (200, {"Content-Type": "text/html"}, META.encode()),
    "/latin": (200, {"Content-Type": "text/html; charset=iso-8859-1"},
               "<title>Caf\u00e9</title>".encode("latin-1")),
    "/moved": (301, {"Location": "/page"}, b""),
    "/to-private": (302, {"Location": "/private/x"}, b""),
    "/cookie": (302, {"Location": "/plain", "Set-Cookie": "visit=1; Path=/"}, b""),
    "/loop": (302, {"Location": "/loop"}, b""),
    "/feed": (200, {"Content-Type": "application/rss+xml"},
              b"<rss version='2.0'><channel><item><link>http://example.org/1</link></item>"
              b"</channel></rss>"),
    "/image": (200, {"Content-Type": "image/png"}, b"\x89PNG"),
    "/escape": (200, {"Content-Type": "text/plain", "X-Evil": "\x1b[31m"},
                b"evil \x1b]0;owned\x07 \xc2\x9b31m"),
    "/plain": (200, {"Content-Type": "text/plain"}, "gr\u00fc\u00df dich".encode()),
}


class Handler(http.server.BaseHTTPRequestHandler):
    log = []

    def do_GET(self):
        self.log.append((self.path, dict(self.headers)))
        status, headers, body = RESPONSES.get(self.path, (404, {}, b"not here"))
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


class Fetch(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=cls.server.serve_forever, daemon=True).start()
        cls.base = f"http://127.0.0.1:{cls.server.server_address[1]}"

    @classmethod
    def tearDownClass(cls):
        cls.server.shutdown()

    def setUp(self):
        Handler.log.clear()

    def run_fetch(self, path, *arguments, allow=True, env=None):
        command = [CRAWLER, "fetch", path if "://" in path else self.base + path, *arguments]
        if allow:
            command += ["--allow-net", "127.0.0.0/8"]
        return subprocess.run(command, capture_output=True, timeout=60, env=env)

    def fetch_json(self, path, *arguments, code=0, **kwargs):
        result = self.run_fetch(path, "--json", *arguments, **kwargs)
        self.assertEqual(result.returncode, code, result.stdout + result.stderr)
        return json.loads(result.stdout)

    def paths(self):
        return [path for path, _ in Handler.log]

    def test_a_page_with_all_that_is_in_it(self):
        page = self.fetch_json("/page")
        self.assertEqual(self.paths(), ["/robots.txt", "/page"])
        self.assertEqual((page["outcome"], page["status"]), ("fetched", 200))
        self.assertEqual(page["title"], "Caf\u00e9")
        self.assertEqual(page["description"], "A small page")
        self.assertEqual(page["language"], "en")
        self.assertTrue(page["noindex"])
        self.assertEqual(page["text"].splitlines(), ["Hello next and mail.", "Second paragraph"])
        links = {(l["tag"], l["url"], l["nofollow"], l["followable"]) for l in page["links"]}
        self.assertIn(("a", self.base + "/next", True, True), links)
        self.assertIn(("a", "mailto:x@y", False, False), links)
        self.assertIn(("header", self.base + "/style.css", False, True), links)
        self.assertEqual(page["robots"]["crawl_delay_seconds"], 2)
        self.assertEqual(page["bytes_decoded"], len(PAGE.encode()))
        self.assertLess(page["bytes_received"], page["bytes_decoded"])
        self.assertTrue(page["address"].startswith("127.0.0.1:"))
        self.assertGreater(page["timings"]["total_ms"], 0)
        self.assertIn(["Content-Encoding", "gzip"], page["headers"])

    def test_meta_fields(self):
        meta = self.fetch_json("/meta")["meta"]
        self.assertEqual(meta[:3],
                         [["og:title", "A & B"], ["author", "Caf\u00e9"], ["og:title", "again"]])
        self.assertEqual((meta[3][0], len(meta[3][1])), ("long", 2048))
        self.assertEqual(len(meta), 256)  # Of the thousand and four.
        text = self.run_fetch("/meta").stdout.decode()
        self.assertIn("meta: 256\n  og:title: A & B\n  author: Caf\u00e9\n", text)
        self.assertIn("  long: " + "x" * 200 + "\u2026\n", text)

    def test_for_people(self):
        result = self.run_fetch("/page")
        text = result.stdout.decode()
        self.assertEqual(result.returncode, 0)
        for expected in ("status     200 (HTTP/1.0)", "title      Caf\u00e9", "links: 3",
                         f"a@href {self.base}/next nofollow \"next\"", "  Second paragraph"):
            self.assertIn(expected, text)

    def test_robots_refuses_with_the_line(self):
        page = self.fetch_json("/private/x", code=3)
        self.assertEqual(self.paths(), ["/robots.txt"])
        self.assertEqual(page["outcome"], "refused by robots.txt")
        self.assertEqual((page["robots"]["line"], page["robots"]["rule"]),
                         (2, "Disallow: /private"))

    def test_no_robots(self):
        self.fetch_json("/private/x", "--no-robots", code=1)  # 404, but it was asked for
        self.assertEqual(self.paths(), ["/private/x"])

    def test_redirects_are_reported_or_followed(self):
        page = self.fetch_json("/moved")
        self.assertEqual((page["status"], page["redirect"]), (301, self.base + "/page"))
        page = self.fetch_json("/moved", "--follow")
        self.assertEqual((page["status"], page["url"]), (200, self.base + "/page"))
        self.assertEqual(page["redirected_from"], [self.base + "/moved"])

    def test_a_redirect_does_not_lead_past_robots(self):
        self.fetch_json("/to-private", "--follow", code=3)
        self.assertNotIn("/private/x", self.paths())

    def test_a_redirect_loop_ends(self):
        page = self.fetch_json("/loop", "--follow")
        self.assertEqual(page["status"], 302)
        self.assertEqual(self.paths().count("/loop"), 6)

    def test_charset_feed_and_plain_text(self):
        self.assertEqual(self.fetch_json("/latin")["title"], "Caf\u00e9")
        feed = self.fetch_json("/feed")
        self.assertEqual([l["url"] for l in feed["links"]], ["http://example.org/1"])
        self.assertEqual(self.fetch_json("/plain")["text"], "gr\u00fc\u00df dich")

    def test_unwanted_type_is_dropped_unless_asked_for(self):
        self.assertEqual(self.fetch_json("/image", code=1)["failure"], "unwanted type")
        self.assertEqual(self.fetch_json("/image", "--any-type")["status"], 200)

    def test_what_the_web_sends_cannot_drive_the_terminal(self):
        output = self.run_fetch("/escape").stdout
        self.assertNotIn(b"\x1b", output)
        self.assertNotIn(b"\xc2\x9b", output)
        self.assertIn(b"\\x1b]0;owned\\x07", output)

    def test_private_addresses_are_refused(self):
        page = self.fetch_json("/page", allow=False, code=1)
        self.assertEqual(page["failure"], "blocked address")
        self.assertEqual(self.paths(), [])
        text = self.run_fetch("/page", allow=False).stdout.decode()
        self.assertIn("--allow-net", text)

    def test_who_we_are(self):
        self.fetch_json("/page", "--user-agent", "TestBot/2", "--contact", "https://x.example/")
        for _, headers in Handler.log:
            self.assertEqual(headers["User-Agent"], "TestBot/2 (+https://x.example/)")

    def test_secrets_come_from_the_environment(self):
        env = {"SECRET": "t0ken"}
        self.fetch_json("/page", "--bearer-from", "SECRET", env=env)
        self.assertEqual(Handler.log[-1][1]["Authorization"], "Bearer t0ken")
        result = self.run_fetch("/page", "--bearer-from", "MISSING", env=env)
        self.assertEqual(result.returncode, 2)
        self.assertIn(b"MISSING", result.stderr)

    def test_cookies_are_kept_only_when_asked_for(self):
        self.fetch_json("/cookie", "--follow")
        self.assertNotIn("Cookie", Handler.log[-1][1])
        self.fetch_json("/cookie", "--follow", "--cookies")
        self.assertEqual(Handler.log[-1][0], "/plain")
        self.assertEqual(Handler.log[-1][1]["Cookie"], "visit=1")

    def test_what_makes_it_less_safe_is_said(self):
        self.assertEqual(self.run_fetch("/plain").stderr, b"")
        through = self.run_fetch("/plain", "--proxy", "http://u:secret@" + self.base[7:])
        self.assertIn(b"A proxy connects in our place", through.stderr)
        self.assertNotIn(b"secret", through.stderr)
        self.assertIn(b"Certificates are not checked",
                      self.run_fetch("/plain", "--insecure").stderr)

    def test_bad_command_lines(self):
        for arguments, words in (([], b"URL"), (["nonsense"], b"https://"), (["ftp://x/"], b"ftp"),
                                 (["http://x/", "--allow-net", "12"], b"12"),
                                 (["http://x/", "--timeout", "-1"], b"timeout"),
                                 (["http://x/", "--no-such-flag"], b"no-such-flag")):
            result = subprocess.run([CRAWLER, "fetch", *arguments], capture_output=True, timeout=60)
            self.assertEqual(result.returncode, 2, arguments)
            self.assertIn(words, result.stderr, arguments)

    def test_nobody_listens(self):
        with http.server.HTTPServer(("127.0.0.1", 0), Handler) as closed:
            port = closed.server_address[1]
        page = self.fetch_json(f"http://127.0.0.1:{port}/", code=1)
        self.assertEqual(page["failure"], "refused")
        self.assertIn("robots.txt cannot be fetched", page["message"])


if __name__ == "__main__":
    unittest.main()
