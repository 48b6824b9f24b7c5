"""crawler report: text, JSON and an HTML page, looked at with a real browser."""
import base64
import hashlib
import html.parser
import json
import os
import re
import resource
import sqlite3
import subprocess
import time
import unittest

import chromium
import harness

HTML = {"Content-Type": "text/html; charset=utf-8"}
EVIL = "<script>alert(1)</script>\"'><img src=x onerror=alert(2)>"
FORMS = ((), ("--json",), ("--html", "-"))


def escaped(text):
    return text.replace("&", "&amp;").replace("<", "&lt;").replace('"', "&quot;")


def site():
    words = " ".join(f"word{i}" for i in range(200))
    links = "".join(f"<a href='/p{i}'>Page {i}</a>" for i in range(12))
    links += ("<a href='/evil'>e</a><a href='/r1'>r</a><a href='/loop1'>l</a><a href='/copy'>c</a>"
              "<a href='/near'>n</a><a href='/bare'>b</a><a href='/private/x'>p</a>"
              "<a href='/err'>x</a>")
    pages = {f"/p{i}": (HTML, f"<title>Page {i}</title>{i} {words[i * 40:]}"
                              f"<a href='/gone'>{escaped(EVIL)}</a>".encode()) for i in range(12)}
    pages["/"] = (HTML, f"<title>Front</title>{links}".encode())
    pages["/evil"] = (HTML, f"<title>{escaped(EVIL)}</title>evil".encode())
    pages["/copy"] = pages["/p1"]
    pages["/near"] = (HTML, pages["/p0"][1].replace(b"</title>", b"!</title>") + b"<p>more</p>")
    pages["/bare"] = (HTML, b"no title")
    pages["/err"] = (HTML, b"oops", 500)
    pages["/robots.txt"] = ({"Content-Type": "text/plain"},
                            b"User-agent: *\nDisallow: /private/ # <b>\nCrawl-delay: 0.05\n" +
                            b"".join(b"Disallow: /never/%d/%s\n" % (i, b"x" * 150) for i in range(60)))
    for path, target in (("/r1", "/r2"), ("/r2", "/p1"), ("/loop1", "/loop2"),
                         ("/loop2", "/loop1")):
        pages[path] = ({"Location": target}, b"", 302)
    return pages


class Page(html.parser.HTMLParser):
    """What is in a page: (tag, attributes) and the text."""

    def __init__(self, text):
        super().__init__()
        self.tags, self.text = [], ""
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data):
        self.text += data


class Report(harness.Case):
    def setUp(self):
        super().setUp()
        server = harness.PageServer(site())
        self.server = server.__enter__()
        self.addCleanup(server.__exit__)

    def crawl(self):
        self.crawler.run("crawl", self.server.url(), "--out", self.out, *harness.LOOPBACK,
                         "--quiet", "--delay", "20ms", "--retries", "1", "--retry-delay", "20ms")

    def report(self, *options, check=0):
        return self.crawler.run("report", self.out, *options, check=check)

    def test_the_three_forms(self):
        self.crawl()
        found = json.loads(self.report("--json").stdout)
        catalogue = harness.Catalogue(self.out)
        url = self.server.url
        self.assertEqual(found["totals"]["pages"], len(catalogue.pages()))
        gone = next(b for b in found["broken"]["rows"] if b["url"] == url("/gone"))
        self.assertEqual((gone["links"], gone["status_code"], len(gone["sources"])), (14, 404, 5))
        self.assertEqual(gone["sources"][0]["text"], EVIL)
        self.assertEqual(found["broken_links"],
                         catalogue.value("SELECT count(*) FROM broken_links"))
        chains = {r["url"]: (r["hops"], r["loop"]) for r in found["redirects"]["rows"]}
        self.assertEqual(chains, {url("/r1"): (2, False), url("/r2"): (1, False),
                                  url("/loop1"): (2, True), url("/loop2"): (2, True)})
        self.assertEqual([d["url"] for d in found["duplicates"]["rows"]
                          for d in (d, {"url": d["others"][0]})], [url("/p1"), url("/copy")])
        self.assertIn(url("/near"), [other for d in found["near_duplicates"]["rows"]
                                     for other in (d["url"], *d["others"])])
        self.assertEqual(found["missing_titles"]["rows"], [url("/bare")])
        codes = {c["status_code"]: c["responses"] for c in found["status_codes"]}
        answers = [status for path, _, status in self.server.requests
                   if path not in ("/robots.txt", "/sitemap.xml")]
        self.assertEqual(codes, {code: answers.count(code) for code in set(answers)})
        host, = found["hosts"]["rows"]
        self.assertEqual(host["requests"], len(self.server.requests))
        self.assertGreaterEqual(host["shortest_gap_ms"], 49)  # Milliseconds are cut.
        self.assertEqual(host["asked_gap_ms"], 50)
        self.assertEqual((host["backoffs"], host["server_errors"]), (0, answers.count(500)))
        self.assertEqual(host["robots"]["sha256"],
                         hashlib.sha256(site()["/robots.txt"][1]).hexdigest())
        self.assertEqual(host["robots"]["rules"]["rows"][0],
                         {"line": 2, "text": "Disallow: /private/", "refused": 1})
        self.assertEqual(host["robots"]["rules"]["total"], 61)
        self.assertEqual(sum(s["requests"] for s in found["throughput"]["slots"]),
                         len(self.server.requests))

        text = self.report("--rows", "1").stdout
        self.assertIn("line 2 refused 1: Disallow: /private/", text)
        self.assertIn(f"more: crawler export {self.out} redirects", text)
        page = self.report("--html", "-").stdout
        self.assertEqual(page.count("<script"), 1)
        parsed = Page(page)
        self.assertIn(EVIL, parsed.text)
        self.assertFalse({"img", "iframe", "form", "object"} & {tag for tag, _ in parsed.tags})
        for tag, attributes in parsed.tags:
            self.assertFalse([a for a in attributes if a.startswith("on") or a == "src"], tag)
            href = attributes.get("href", "")
            self.assertTrue(re.match(r"#|http://127\.0\.0\.1:|data:,$", href) or not href, href)
        script = re.search(r"<script>(.*)</script>", page, re.S)[1].encode()
        self.assertIn(base64.b64encode(hashlib.sha256(script).digest()).decode(), page)

    def test_bad_input(self):
        self.crawl()
        for form in FORMS:
            self.crawler.run("report", self.base / "none", *form, check=1)
        (self.base / "file").mkdir()
        (self.base / "file" / "crawl.db").write_text("no database " * 100)
        self.assertIn("crawl.db",
                      self.crawler.run("report", self.base / "file", check=4).stderr)
        target = self.base / "report.html"
        target.write_text("before")
        done = subprocess.run(
            [self.crawler.program, "report", str(self.out), "--html", str(target)],
            capture_output=True, text=True,
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (34_000, 34_000)))
        self.assertEqual((done.returncode, target.read_text()), (4, "before"), done.stderr)
        self.assertIn("File too large", done.stderr)
        self.assertEqual([x for x in os.listdir(self.base) if "part" in x], [])
        self.assertIn("No space left", self.report("--html", "/dev/full", check=4).stderr)
        self.report("--html", self.base, check=2)
        self.report("--html", self.base / "no" / "such", check=2)
        self.report("--html", target, "--json", check=2)
        self.report("--rows", "0", check=2)
        self.report("--max-time", "1ms", check=None)
        locked = sqlite3.connect(self.out / "crawl.db", isolation_level=None)
        locked.execute("PRAGMA locking_mode = EXCLUSIVE")
        locked.execute("BEGIN EXCLUSIVE")
        self.assertIn("locked", self.report(check=5).stderr)
        locked.close()
        with sqlite3.connect(self.out / "crawl.db") as db:
            db.execute("PRAGMA user_version = 1000")
        db.close()
        self.assertIn("newer version", self.report(check=4).stderr)

    def test_while_a_crawl_runs(self):
        web = self.web("1 pages=2000 links=5")
        process = self.crawler.start("crawl", web.url(1), "--out", self.out, *harness.LOOPBACK,
                                     "--quiet", "--delay", "5ms")
        self.addCleanup(process.communicate)
        self.addCleanup(process.kill)
        deadline = time.monotonic() + 60
        pages = 0
        while pages < 10 and time.monotonic() < deadline:
            done = self.report("--json", check=None)
            if done.returncode == 0:
                found = json.loads(done.stdout)
                self.assertTrue(found["running"])
                pages = found["totals"]["pages"]
        self.assertGreaterEqual(pages, 10)
        self.assertIn("The crawl is running", self.report().stdout)

    @unittest.skipUnless(chromium.PROGRAM, "chromium is not installed")
    def test_a_browser_shows_it(self):
        self.crawl()
        target = self.base / "report.html"
        self.assertIn(str(target), self.report("--html", target).stdout)
        address = target.as_uri()
        with chromium.Chromium() as browser:
            backgrounds = set()
            for width in (360, 1280):
                for dark in (False, True):
                    browser.show(address, width=width, dark=dark)
                    self.assertLessEqual(
                        browser.evaluate("document.documentElement.scrollWidth"), width)
                    backgrounds.add(browser.evaluate("getComputedStyle(document.body).backgroundColor"))
            self.assertEqual(len(backgrounds), 2, "light and dark")
            self.assertTrue(browser.evaluate("document.querySelector('.plot svg .line') !== null"))
            self.assertIn(EVIL, browser.evaluate("document.body.innerText"))
            # Tables are sorted by a click: here by the number of links, then the other way.
            column = ("(() => { const table = document.querySelector('table.list');"
                      "table.tHead.rows[0].cells[2].querySelector('button').click();"
                      "return [...table.tBodies[0].rows].map(r => Number(r.cells[2].dataset.v)); })()")
            down, up = browser.evaluate(column), browser.evaluate(column)
            self.assertEqual((down, up), (sorted(down, reverse=True), sorted(down)))
            self.assertEqual(browser.problems, [])
            self.assertEqual(set(browser.requests), {address})


if __name__ == "__main__":
    harness.main(__doc__)
