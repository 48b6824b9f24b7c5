#!/usr/bin/env python3
"""Where a crawl begins: URLs in files and on the standard input, sitemaps, a web search.

Files may hold anything. The search engine is a server on loopback that answers in the form of
DuckDuckGo's HTML search, with its empty and its error pages too.
"""
import gzip
import json
import resource
import subprocess
import urllib.parse

import harness

HTML = {"Content-Type": "text/html; charset=UTF-8"}
XML = {"Content-Type": "application/xml"}


def result(url, wrapped=True, ad=False):
    """A result as DuckDuckGo writes it."""
    href = url
    if wrapped:
        href = ("//duckduckgo.com/l/?uddg=" + urllib.parse.quote(url, safe="")
                + "&amp;rut=5a0b")
    kind = "result--ad result--ad--small" if ad else "web-result"
    return (f'<div class="result results_links results_links_deep {kind} ">'
            f'<div class="links_main links_deep result__body"><h2 class="result__title">'
            f'<a rel="nofollow" class="result__a" href="{href}">A title</a></h2>'
            f'<a class="result__url" href="{href}">shown</a>'
            f'<a class="result__snippet" href="{href}">A snippet</a></div></div>')


def results_page(*results):
    return ('<!DOCTYPE html><html><body><form action="/html/"><input name="q"></form>'
            '<div id="links" class="results">' + "".join(results) + '</div>'
            '<div class="nav-link"><form action="/html/"><input type="submit" value="Next">'
            '</form></div><a href="https://duckduckgo.com/feedback.html">Feedback</a>'
            '</body></html>').encode()


EMPTY = (b'<html><body><div class="results"><div class="no-results">'
         b'No  results.</div></div></body></html>')
CHALLENGE = (b'<html><body><div class="anomaly-modal__mask"><div class="anomaly-modal__title">'
             b'Unfortunately, bots use DuckDuckGo too.</div></div></body></html>')


class Seeds(harness.Case):
    def crawl(self, *arguments, check=0, **options):
        return self.crawler.run("crawl", *arguments, "--out", self.out, *harness.QUICK,
                                "--no-robots", "--no-sitemaps", "--seeds-only", check=check,
                                **options)

    def server(self, paths):
        pages = {path: (HTML, b"page " + path.encode()) for path in paths}
        server = harness.PageServer(pages)
        self.addCleanup(server.__exit__)
        return server.__enter__()

    def pages(self):
        return harness.Catalogue(self.out).pages()

    def seed_file(self, data):
        path = self.base / "seeds.txt"
        path.write_bytes(data)
        return path


class Files(Seeds):
    def test_lines_comments_marks_and_ends(self):
        server = self.server(["/a", "/b", "/c", "/d"])
        url = server.url
        text = (f"\ufeff{url('/a')}\r\n\r\n  # a comment\r\n\t{url('/b')}#part  # the second\r\n"
                f"#{url('/no')}\n{url('/c')}")
        self.crawl(url("/d"), "--seeds", self.seed_file(text.encode()))
        self.assert_same([url(p) for p in ("/a", "/b", "/c", "/d")], self.pages(), "seeds")
        self.assert_verified()

    def test_standard_input(self):
        server = self.server(["/a", "/b"])
        self.crawl("--seeds", "-", input=f"{server.url('/a')}\n{server.url('/b')}\n")
        self.assertEqual(len(self.pages()), 2)

    def test_bad_files(self):
        cases = [
            (b"http://127.0.0.1:1/\nftp://x/\n", ":2: "),
            (b"http://127.0.0.1:1/\nnonsense\n", ":2: "),
            (b"http://127.0.0.1:1/" + b"a" * 100_000, "longer than 64 KiB"),
            (b"\x7fELF\x02\0\0\0\0", "NUL byte"),
            (b"\xff\xfeh\0t\0t\0p\0", "UTF-16"),
            (b"# nothing\n\n", "has no URL"),
            (b"", "has no URL"),
        ]
        for data, word in cases:
            with self.subTest(data=data[:20]):
                done = self.crawl("--seeds", self.seed_file(data), check=2)
                self.assertIn(word, done.stderr)
                self.assertFalse(self.out.exists())
        for path in (self.base, self.base / "missing"):
            self.assertIn("cannot read", self.crawl("--seeds", path, check=2).stderr)
        self.assertIn("longer than 64 KiB", self.crawl("--seeds", "/dev/zero", check=2).stderr)
        self.assertIn("--seeds", self.crawl(check=2).stderr)

    def test_a_million_lines(self):
        """In bounded memory, and one more is refused."""
        path = self.base / "seeds.txt"
        with path.open("w") as file:
            for number in range(1_000_001):
                file.write(f"http://127.0.0.1:1/{number}\n")

        def limit():
            resource.setrlimit(resource.RLIMIT_AS, (1 << 30, 1 << 30))
        done = subprocess.run(
            [self.crawler.program, "crawl", "--seeds", path, "--out", self.out],
            preexec_fn=None if harness.SANITIZED else limit, capture_output=True, text=True, timeout=60)
        self.assertEqual(done.returncode, 2)
        self.assertIn("seeds.txt:1000001: there are more than 1,000,000", done.stderr)


class Sitemaps(Seeds):
    def sitemap(self, *urls):
        return ('<?xml version="1.0"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">'
                + "".join(f"<url><loc>{url}</loc></url>" for url in urls) + "</urlset>").encode()

    def index(self, *urls):
        return ('<?xml version="1.0"?>'
                '<sitemapindex xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">'
                + "".join(f"<sitemap><loc>{url}</loc></sitemap>" for url in urls)
                + "</sitemapindex>").encode()

    def test_file_and_url_and_index(self):
        server = self.server(["/a", "/b", "/c"])
        url = server.url
        server.pages["/one.xml"] = (XML, self.sitemap(url("/a")))
        server.pages["/two.xml.gz"] = ({"Content-Type": "application/gzip"},
                                       gzip.compress(self.sitemap(url("/b"))))
        server.pages["/index.xml"] = (XML, self.index(url("/one.xml"), url("/two.xml.gz"),
                                                      url("/missing.xml"), url("/index.xml")))
        path = self.base / "sitemap.xml"
        path.write_bytes(self.sitemap(url("/c")))
        done = self.crawl("--sitemap", url("/index.xml"), "--sitemap", path)
        self.assert_same([url(p) for p in ("/a", "/b", "/c")], self.pages(), "seeds")
        self.assertIn("/missing.xml: it answered 404", done.stderr)
        asked = [request[0] for request in server.requests]
        self.assertEqual(asked.count("/index.xml"), 1)

    def test_bad_ones(self):
        server = self.server(["/page"])
        path = self.base / "noise"
        path.write_bytes(bytes(range(256)) * 100)
        for given, code, word in ((server.url("/none.xml"), 1, "answered 404"),
                                  (server.url("/page"), 1, "is no sitemap"),
                                  (path, 2, "is no sitemap"),
                                  (self.base / "missing", 2, "cannot read")):
            with self.subTest(given=given):
                self.assertIn(word, self.crawl("--sitemap", given, check=code).stderr)
                self.assertFalse(self.out.exists())

    def test_the_limit_of_entries_counts_entries_alone_and_is_told(self):
        server = self.server(["/a", "/b", "/c", "/seed"])
        path = self.base / "sitemap.xml"
        path.write_bytes(self.sitemap(*map(server.url, ("/a", "/b", "/c"))))
        seeds = self.base / "seeds.txt"
        seeds.write_text(server.url("/seed"))
        done = self.crawl("--seeds", seeds, "--sitemap", path, "--max-sitemap-entries", "2")
        self.assert_same([server.url(p) for p in ("/a", "/b", "/seed")], self.pages(), "seeds")
        self.assertIn("only the first 2 entries of sitemaps were taken", done.stderr)

    def test_folder_and_options_are_checked_before_anything_is_fetched(self):
        server = self.server(["/a"])
        server.pages["/map.xml"] = (XML, self.sitemap(server.url("/a")))
        self.out.mkdir()
        (self.out / "letter.txt").write_text("mine")
        for options, words in (([], "is not empty and holds no crawl"),
                               (["--include", "("], "missing")):
            done = self.crawl("--sitemap", server.url("/map.xml"), *options, check=2)
            self.assertIn(words, done.stderr)
        self.assertEqual(server.requests, [])
        self.assertEqual([path.name for path in self.out.iterdir()], ["letter.txt"])

    def test_robots_txt_is_obeyed(self):
        server = self.server([])
        server.pages["/robots.txt"] = ({"Content-Type": "text/plain"},
                                       b"User-agent: *\nDisallow: /map")
        server.pages["/map.xml"] = (XML, self.sitemap(server.url("/a")))
        done = self.crawler.run("crawl", "--sitemap", server.url("/map.xml"), "--out", self.out,
                                *harness.QUICK, check=3)
        self.assertIn("robots.txt does not allow it", done.stderr)
        self.assertNotIn("/map.xml", [request[0] for request in server.requests])


class Search(Seeds):
    def search(self, server, *arguments, check=0):
        return self.crawl("--query", "solar cells & more", "--search-engine",
                          server.url("/html/?q={words}"), *arguments, check=check)

    def test_results_become_seeds_with_their_rank(self):
        server = self.server(["/a?x=1&y=2", "/b", "/never"])
        url = server.url
        server.pages["/html/?q=solar+cells+%26+more"] = (HTML, results_page(
            result(url("/never"), ad=True),
            result("https://duckduckgo.com/y.js?ad_domain=x&u3=" + url("/never"), wrapped=False),
            result(url("/a?x=1&y=2")),
            result(url("/a?x=1&y=2")),
            result("javascript:alert(1)"), result("ftp://127.0.0.1/"), result("nonsense"),
            result(url("/b"), wrapped=False)))
        self.search(server)
        self.assert_same([url("/a?x=1&y=2"), url("/b")], self.pages(), "seeds")
        explain = json.loads(self.crawler.run("explain", self.out, url("/b"), "--json").stdout)
        self.assertEqual(explain["search"], 'rank 2 of the search "solar cells & more"')
        self.assertIn('rank 1 of the search "solar cells & more"',
                      self.crawler.run("explain", self.out, url("/a?x=1&y=2")).stdout)
        options = json.loads(harness.Catalogue(self.out).rows(
            "SELECT value FROM crawl_state WHERE key = 'options'")[0][0])
        self.assertEqual(options["scope"], 3)  # The web.
        self.assertEqual(options["topic"], "solar cells & more")
        self.assertEqual([seed["rank"] for seed in options["searched_seeds"]], [1, 2])
        # One request for the search, and no credentials or robots.txt.
        asked = [request[0] for request in server.requests]
        self.assertEqual(asked.count("/html/?q=solar+cells+%26+more"), 1)
        self.crawler.run("resume", self.out, "--quiet")
        self.assert_verified()

    def test_results_get_no_advice_that_is_for_the_own_server(self):
        server = self.server(["/a"])
        server.pages["/html/?q=solar+cells+%26+more"] = (HTML, results_page(
            result(server.url("/a")), result("http://10.1.2.3/"), result(server.url("/none"))))
        done = self.search(server)
        self.assertIn("http://10.1.2.3/ was refused", done.stdout)
        self.assertIn("answered 404", done.stdout)
        self.assertNotIn("If the server is yours", done.stdout)
        self.assertNotIn("Check the URL", done.stdout)

    def test_options_win(self):
        server = self.server(["/a"])
        server.pages["/html/?q=solar+cells+%26+more"] = (HTML, results_page(
            result(server.url("/a"))))
        self.search(server, "--scope", "host", "--topic", "moon")
        options = json.loads(harness.Catalogue(self.out).rows(
            "SELECT value FROM crawl_state WHERE key = 'options'")[0][0])
        self.assertEqual((options["scope"], options["topic"]), (1, "moon"))

    def test_pages_without_results(self):
        server = self.server([])
        path = "/html/?q=solar+cells+%26+more"
        for answer, word in (((HTML, EMPTY), "has found nothing"),
                             ((HTML, CHALLENGE, 202), "asks whether a person searches"),
                             ((HTML, b"<p>Forbidden", 403), "answered 403"),
                             ((HTML, b"error", 500), "answered 500"),
                             ((HTML, b"<html><body>Welcome"), "has no results in the form"),
                             ((HTML, b""), "has no results in the form"),
                             ((HTML, results_page(result("http://x/", ad=True))),
                              "has no results in the form"),
                             (({"Content-Type": "image/png"}, b"\x89PNG"), "image/png")):
            with self.subTest(word=word):
                server.pages[path] = answer
                self.assertIn(word, self.search(server, check=1).stderr)
                self.assertFalse(self.out.exists())

    def test_bad_addresses(self):
        for engine, code, word in (("http://127.0.0.1:1/?q=", 2, "needs {words}"),
                                   ("ftp://127.0.0.1/{words}", 2, "ftp"),
                                   ("http://127.0.0.1:1/{words}", 1, "no results from")):
            done = self.crawl("--query", "x", "--search-engine", engine, check=code)
            self.assertIn(word, done.stderr)


if __name__ == "__main__":
    harness.main(__doc__)
