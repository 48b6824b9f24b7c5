#!/usr/bin/env python3
"""Budgets hold exactly under concurrency, and the end of a crawl is found on every graph.

"--max-pages 1000 gives 1000 pages, not 1007"; a resume with a larger budget goes on; the
end is detected also when only retries, refused or throttled hosts are left (that: tests/sim).
"""
import time
import urllib.parse

import harness

GRAPH = ["1 pages=300 links=8 cross=2 missing=3 redirects=2 files=2 copies=2",
         "2 pages=200 links=5 cross=2 robots=200 disallow=/p/7 sitemap=plain listed=9",
         "3 pages=100 links=5 cross=1 nofollow-every=4"]
MANY = ["--per-address", "1000", "--per-domain", "1000", "--fetch-threads", "4"]
WIDE = MANY + ["--scope", "web", "--max-per-domain", "0"]
NO_PAGES = ("/robots.txt", "/sitemap.xml")


def html_answers(requests):
    """How many requests were answered with a page."""
    return sum(r[6] == "200" and r[5] not in NO_PAGES and not r[5].startswith("/file/")
               for r in requests)


def expected_pages(web, *options):
    return {url for fate, url in web.expectation(*options)[0] if fate == "page"}


class MaxPages(harness.Case):
    def check_spent(self, totals, budget, pages, out=None):
        self.assertEqual(totals["outcome"], "budget spent")
        self.assertEqual(totals["message"], budget)
        self.assertEqual(totals["pages"], pages)
        catalogue = harness.Catalogue(out or self.out)
        self.assertEqual(catalogue.value("SELECT count(*) FROM pages"), pages)
        self.assertEqual(catalogue.value("SELECT count(DISTINCT url) FROM pages"), pages)

    def test_exact_under_concurrency(self):
        web = self.web(*GRAPH)
        seen = 0
        for pages, more in ((1, ()), (7, ()), (100, ("--parse-threads", "2")),
                            (333, ("--order", "bfs"))):
            with self.subTest(pages=pages):
                out = self.base / str(pages)
                totals = self.crawler.totals("crawl", web.url(1), "--out", out, *harness.QUICK,
                                             *WIDE, "--max-pages", pages, *more)
                self.check_spent(totals, "max-pages", pages, out)
                requests = web.flush_log()
                self.assertEqual(html_answers(requests[seen:]), pages)
                seen = len(requests)
                self.assert_verified(out)

    def test_resume_goes_on_to_the_exact_new_number(self):
        web = self.web(*GRAPH)
        everything = expected_pages(web, "--scope", "web")
        totals = self.crawler.totals("crawl", web.url(1), "--out", self.out, *harness.QUICK, *WIDE,
                                     "--max-pages", "50")
        self.check_spent(totals, "max-pages", 50)
        # The same budget again: nothing is left of it.
        self.check_spent(self.crawler.totals("resume", self.out, "--quiet"), "max-pages", 50)
        totals = self.crawler.totals("resume", self.out, "--quiet", "--max-pages", "200")
        self.check_spent(totals, "max-pages", 200)
        self.assertEqual(html_answers(web.flush_log()), 200)
        totals = self.crawler.totals("resume", self.out, "--quiet", "--max-pages", "0")
        self.assertEqual(totals["outcome"], "finished")
        self.assert_same(everything, harness.Catalogue(self.out).pages(), "pages")
        self.assertEqual(html_answers(web.flush_log()), len(everything))
        self.assert_verified()

    def test_a_budget_that_is_not_needed_changes_nothing(self):
        web = self.web("1 pages=40")
        totals = self.crawler.totals("crawl", web.url(1), "--out", self.out, *harness.QUICK,
                                     "--max-pages", "40")
        self.assertEqual((totals["outcome"], totals["pages"]), ("finished", 40))

    def test_does_not_wait_for_hosts_it_needs_no_more(self):
        web = self.web("1 pages=60 links=6", "2 dead=refuse", "3 throttle=9 retry-after=250")
        totals = self.crawler.totals("crawl", web.url(3), web.url(2), web.url(1), "--out", self.out,
                                     *harness.QUICK, "--max-pages", "20")
        self.check_spent(totals, "max-pages", 20)


class OtherBudgets(harness.Case):
    def test_max_depth_in_every_order(self):
        web = self.web("1 pages=400 links=3 redirects=2", "2 pages=60 links=3 nofollow-every=5",
                       "3 pages=40 links=2 robots=200 sitemap=index listed=20")
        for depth in (0, 1, 2, 4):
            expected = expected_pages(web, "--from", "1-3", "--max-depth", str(depth))
            budget = ["--max-depth", depth] if depth else ["--seeds-only"]
            for order in ("priority", "bfs", "dfs"):
                with self.subTest(depth=depth, order=order):
                    out = self.base / f"{order}{depth}"
                    self.crawler.run("crawl", web.url(1), web.url(2), web.url(3), "--out", out,
                                     *harness.QUICK, *budget, "--order", order)
                    self.assert_same(expected, harness.Catalogue(out).pages(), "pages")

    def test_max_depth_takes_the_shortest_way(self):
        # Over the slow host the way is short, over the quick one long: pages that were reached by
        # the long way first must not hide what the short way leads to.
        web = self.web("1 pages=200 links=2 shape=random cross=3",
                       "2 pages=200 links=2 cross=3 latency=40",
                       "3 pages=200 links=2 cross=3 latency=5")
        expected = expected_pages(web, "--scope", "web", "--max-depth", "5")
        for order in ("priority", "bfs"):
            with self.subTest(order=order):
                out = self.base / order
                self.crawler.run("crawl", web.url(1), "--out", out, *harness.QUICK, *WIDE,
                                 "--max-depth", "5", "--order", order)
                self.assert_same(expected, harness.Catalogue(out).pages(), "pages")

    def test_resume_goes_deeper(self):
        web = self.web("1 pages=300 links=3 nofollow-every=6 redirects=2")
        self.crawler.run("crawl", web.url(1), "--out", self.out, *harness.QUICK, "--max-depth", "2")
        for depth in (3, 5):
            totals = self.crawler.totals("resume", self.out, "--quiet", "--max-depth", depth)
            self.assertEqual(totals["outcome"], "finished")
            self.assert_same(expected_pages(web, "--max-depth", str(depth)),
                             harness.Catalogue(self.out).pages(), "pages")
            self.assert_verified()

    def test_depths_of_a_crawl_in_parts(self):
        # What comes nearer while it waits does not wait twice for that.
        web = self.web("1 pages=400 links=5 nofollow-every=3 latency=5")
        expected = expected_pages(web, "--max-depth", "4")
        self.crawler.run("crawl", web.url(1), "--out", self.out, *harness.QUICK, "--max-depth", "4",
                         "--max-pages", "20")
        self.assert_verified()
        for pages in (40, 60, 0):
            self.crawler.run("resume", self.out, "--quiet", "--max-pages", pages)
            self.assert_verified()
        self.assert_same(expected, harness.Catalogue(self.out).pages(), "pages")

    def test_what_is_out_of_scope_does_not_come_nearer(self):
        # /c is found over /b1 and /b2 first. When /z shows the shorter way to it, /x, which it links
        # to, is no nearer: no way leads there at all.
        links = {"/": ["/a1", "/a2", "/z"], "/a1": ["/b1", "/b2"], "/a2": ["/b1", "/b2"],
                 "/b1": ["/c"], "/b2": ["/c"], "/c": ["/x"], "/z": ["/c"], "/x": []}
        pages = {path: ({"Content-Type": "text/html"},
                        "".join(f'<a href="{to}">{to}</a>' for to in to_all).encode())
                 for path, to_all in links.items()}
        with harness.PageServer(pages) as server:
            self.crawler.run("crawl", server.url("/"), "--out", self.out, "--quiet", "--delay", "0",
                             *harness.LOOPBACK, "--exclude", "/x$", "--max-depth", "5",
                             "--max-pages", "6")
            self.assertNotIn(server.url("/z"), harness.Catalogue(self.out).pages())
            for most in (7, 0):
                self.crawler.run("resume", self.out, "--quiet", "--max-pages", most)
                self.assert_verified()
        catalogue = harness.Catalogue(self.out)
        self.assertEqual(catalogue.value("SELECT p.depth FROM requeued p JOIN urls u ON "
                                         "u.id = p.url_id WHERE u.url LIKE '%/c'"), 2)
        self.assert_same({server.url(path) for path in links if path != "/x"}, catalogue.pages(),
                         "pages")
        self.assertEqual(catalogue.fates()[server.url("/x")][0], "skipped")

    def test_resume_goes_no_less_deep(self):
        # What is too deep now may wait already, so the new budget could not be kept.
        web = self.web("1 pages=60 links=3")
        self.crawler.run("crawl", web.url(1), "--out", self.out, *harness.QUICK, "--max-depth", "3",
                         "--max-pages", "5")
        refused = self.crawler.run("resume", self.out, "--quiet", "--max-depth", "2", check=2)
        self.assertIn("not less deep", refused.stderr)
        self.crawler.run("resume", self.out, "--quiet", "--max-depth", "3", "--max-pages", "0")
        self.assert_same(expected_pages(web, "--max-depth", "3"),
                         harness.Catalogue(self.out).pages(), "pages")
        self.crawler.run("recrawl", self.out, "--quiet", "--max-depth", "2")
        self.assert_verified()

    def per_site(self):
        counts = {}
        for url in harness.Catalogue(self.out).pages():
            site = urllib.parse.urlsplit(url).hostname
            counts[site] = counts.get(site, 0) + 1
        return counts

    def test_max_per_domain(self):
        # Two ports of one address are one domain; the second has too little to spend its share.
        web = self.web("1 pages=80 links=5 cross=2", "1:1 pages=80 links=5 cross=2",
                       "2 pages=9 links=5 cross=2", "3 pages=70 links=5 cross=2")
        totals = self.crawler.totals("crawl", web.url(1), "--out", self.out, *harness.QUICK,
                                     *MANY, "--scope", "web", "--max-per-domain", "25")
        self.assertEqual((totals["outcome"], totals["message"]), ("budget spent", "max-per-domain"))
        self.assertEqual(self.per_site(), {"127.0.0.1": 25, "127.0.0.2": 9, "127.0.0.3": 25})
        self.crawler.run("resume", self.out, "--quiet", "--max-per-domain", "60")
        self.assertEqual(self.per_site(), {"127.0.0.1": 60, "127.0.0.2": 9, "127.0.0.3": 60})
        self.assert_verified()

    def test_of_the_whole_web_50_pages_a_domain(self):
        web = self.web("1 pages=80 links=5 cross=2", "2 pages=80 links=5 cross=2")
        self.crawler.run("crawl", web.url(1), "--out", self.out, *harness.QUICK, "--scope", "web")
        self.assertEqual(self.per_site(), {"127.0.0.1": 50, "127.0.0.2": 50})
        out = self.out = self.base / "host"
        self.crawler.run("crawl", web.url(1), "--out", out, *harness.QUICK)
        self.assertEqual(self.per_site(), {"127.0.0.1": 80})

    def page_bytes(self):
        sizes = [row[0] for row in harness.Catalogue(self.out).rows(
            "SELECT bytes FROM visits WHERE outcome = 'page'")]
        return sum(sizes), max(sizes)

    def test_max_bytes(self):
        web = self.web("1 pages=200 links=6 bytes=3000")
        for budget, command in ((100_000, ["crawl", web.url(1), "--out", self.out, *harness.QUICK]),
                                (300_000, ["resume", self.out, "--quiet"])):
            totals = self.crawler.totals(*command, "--max-bytes", budget)
            self.assertEqual((totals["outcome"], totals["message"]), ("budget spent", "max-bytes"))
            total, largest = self.page_bytes()
            self.assertLessEqual(total, budget)
            self.assertGreater(total, budget - 2 * largest)
            self.assert_verified()
        totals = self.crawler.totals("resume", self.out, "--quiet", "--max-bytes", "0")
        self.assertEqual((totals["outcome"], totals["pages"]), ("finished", 200))

    def test_max_time(self):
        web = self.web("1 pages=endless links=5", options=["--latency", "20"])
        start = time.monotonic()
        totals = self.crawler.totals("crawl", web.url(1), "--out", self.out, *harness.QUICK,
                                     "--max-time", "1")
        self.assertGreaterEqual(time.monotonic() - start, 1)
        self.assertEqual((totals["outcome"], totals["message"]), ("budget spent", "max-time"))
        pages = totals["pages"]
        totals = self.crawler.totals("resume", self.out, "--quiet", "--max-time", "0",
                                     "--max-pages", pages + 10)
        self.assertEqual((totals["message"], totals["pages"]), ("max-pages", pages + 10))
        self.assert_verified()

    def test_max_frontier(self):
        web = self.web("1 pages=300 shape=star")
        totals = self.crawler.totals("crawl", web.url(1), "--out", self.out, *harness.QUICK,
                                     "--max-frontier", "20")
        self.assertEqual(totals["outcome"], "finished")
        # The front page is gone from the queue when its 299 links come: 20 of them are let in.
        self.assertEqual(totals["pages"], 21)
        reasons = harness.Catalogue(self.out).rows(
            "SELECT reason, count(*) FROM fates WHERE fate = 'skipped' GROUP BY reason")
        self.assertEqual(reasons, [("the frontier is full", 279)])
        self.assert_verified()
        totals = self.crawler.totals("resume", self.out, "--quiet", "--max-frontier", "0")
        self.assertEqual((totals["outcome"], totals["pages"]), ("finished", 300))
        self.assert_verified()


class TheEnd(harness.Case):
    def test_on_every_shape(self):
        web = self.web(*(f"{n} pages=150 shape={shape}"
                         for n, shape in enumerate(("ring", "star", "chain", "tree", "random"), 1)))
        for number in range(1, 6):
            with self.subTest(host=number):
                out = self.base / str(number)
                totals = self.crawler.totals("crawl", web.url(number), "--out", out,
                                             *harness.QUICK, *WIDE)
                self.assertEqual((totals["outcome"], totals["pages"], totals["urls_waiting"]),
                                 ("finished", 150, 0))

    def test_one_page_without_links(self):
        web = self.web("1 pages=1")
        totals = self.crawler.totals("crawl", web.url(1), "--out", self.out, *harness.QUICK)
        self.assertEqual((totals["outcome"], totals["pages"]), ("finished", 1))


if __name__ == "__main__":
    harness.main(__doc__)
