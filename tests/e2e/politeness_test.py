#!/usr/bin/env python3
"""Whole crawls of hosts of every temper, judged by the server's log and by what it expects.

Never two requests at once to a polite host, never closer than its delay, nothing that
robots.txt refuses, one slow host delays no other; retries 1 s, 2 s, 4 s; throttling costs no retry;
every URL's fate is in the catalogue with the reason. What needs no sockets is shown under a manual
clock, in tests/sim.
"""
import json

import harness

DELAY = 0.3
HOSTS = {
    "1": "pages=8 copies=2 files=1 missing=2",
    "1:1": "pages=4",  # Another port is another host.
    "2": "robots=200 disallow=/p/1 allow=/p/12 pages=14 shape=star",
    "3": "robots=401 pages=3",
    "4": "robots=403 pages=3",
    "5": "robots=429",
    "6": "robots=500",
    "7": "robots=503",
    "8": "robots=redirect disallow=/p/2 pages=4 shape=star",
    "9": "robots=redirect-loop pages=3",
    "10": "robots=close",
    "11": "robots=huge pages=3",
    "12": "robots=500 robots-fails=2 disallow=/p/2 pages=4 shape=star",
    "13": "robots=429 robots-fails=1 pages=3",
    "14": "robots=200 crawl-delay=900 pages=4",
    "15": "throttle=2 retry-after=1 pages=3",
    "16": "throttle=1 retry-after=2 retry-form=date pages=3",
    "17": "throttle-every=4 throttle-status=503 retry-after=1 pages=4",
    "18": "fail-every=3 pages=6",
    "19": "fail-every=4 fail-tries=9 fail-status=502 pages=4 shape=star",
    "20": "dead=refuse",
    "21": "dead=hang",
    "22": "dead=close",
    "23": "latency=2200 pages=2",
    "24": "redirects=2 pages=1",
    "25": "loop=3 away=1 pages=1",
    "26": "loop=1 segments=1 pages=1",
    "27": "robots=200 sitemap=plain listed=2 pages=2",
    "28": "robots=200 sitemap=index listed=4 pages=1",
    "29": "robots=200 sitemap=gzip listed=2 pages=1",
    "30": "robots=200 sitemap=unnamed listed=2 pages=2",
    "31": "nofollow-every=3 meta-nofollow-every=4 noindex-every=3 pages=9",
    "32": "header-every=3 canonical-every=2 pages=6",
    "33": "robots=200 robots-latency=900 pages=3",
}
SEEDS = range(1, 34)
# What the catalogue calls what --expect calls so.
FATES = {"page": {"page"}, "redirect": {"redirect"}, "error": {"http error"},
         "other": {"unwanted"}, "dead": {"http error", "failed"}, "refused": {"refused"},
         "unreachable": {"given up"}, "sitemap": {"sitemap"}}


def is_default_sitemap(url):
    return url.endswith("/sitemap.xml")


class Politeness(harness.Case):
    def test_hosts_of_every_temper(self):
        web = self.web(*(f"{number} {keys}" for number, keys in HOSTS.items()))
        expected, path = web.expectation("--from", "1-33")
        seeds = [web.url(n) for n in SEEDS] + [f"http://127.0.0.1:{web.port + 1}/"]
        totals = self.crawler.totals("crawl", *seeds, "--out", self.out, *harness.LOOPBACK,
                                     "--delay", DELAY, "--timeout", "3.2",
                                     "--connect-timeout", "3.2", "--host-failures", "4",
                                     "--quiet", check=7)
        self.assertEqual(totals["outcome"], "not complete")
        self.assert_log(web, "--expect", path, "--delay", DELAY, "--per-host", "1",
                        "--slack", "0.1", "--max-gap", 10 if harness.SANITIZED else 2, "--slow", f"127.0.0.23:{web.port}",
                        "--slow", f"127.0.0.21:{web.port}")
        catalogue = harness.Catalogue(self.out)
        self.check_fates(catalogue, expected)
        self.check_pages(catalogue, expected, path)
        self.check_dead_letters(catalogue, expected)
        self.check_robots_cache(catalogue, web)
        self.assert_verified()

    def check_fates(self, catalogue, expected):
        fates = catalogue.fates()
        for fate, url in expected:
            self.assertIn(url, fates)
            found, reason = fates[url]
            self.assertIn(found, FATES[fate], f"{url}: {reason}")
            if fate in ("refused", "unreachable", "redirect", "other"):
                self.assertTrue(reason, f"{url} is {found} without a reason")
        urls = {url for _, url in expected}
        for url, (found, reason) in fates.items():
            if url in urls:
                continue
            if is_default_sitemap(url):
                self.assertIn(found, ("no sitemap", "refused"), url)
            else:
                self.assertEqual(found, "skipped", url)
                self.assertTrue(reason, f"{url} was skipped without a reason")

    def check_pages(self, catalogue, expected, path):
        self.assert_same((u for fate, u in expected if fate == "page"), catalogue.pages(), "pages")
        noindex = {line.split("\t")[1] for line in path.read_text().splitlines()
                   if line.endswith("\tnoindex")}
        self.assertTrue(noindex)
        found = {row[0] for row in catalogue.rows("SELECT url FROM pages WHERE noindex")}
        self.assert_same(noindex, found, "noindex")
        # Content that occurs twice is known as such.
        copies = catalogue.rows("SELECT p.url, u.url FROM pages p JOIN urls u "
                                "ON u.id = p.duplicate_of WHERE p.url LIKE '%/copy/%'")
        self.assertEqual(len(copies), 1)

    def check_dead_letters(self, catalogue, expected):
        dead = {url for fate, url in expected if fate in ("dead", "unreachable")}
        letters = catalogue.rows("SELECT u.url, d.reason, d.history FROM dead_letters d "
                                 "JOIN urls u ON u.id = d.url_id")
        self.assert_same(dead, (url for url, _, _ in letters), "dead letters")
        self.assertEqual(len(letters), len(dead))
        for url, reason, history in letters:
            self.assertTrue(reason, url)
            if "127.0.0.19:" in url:  # Four times 502.
                self.assertEqual([failure["what"] for failure in json.loads(history)],
                                 ["status 502"] * 4)

    def check_robots_cache(self, catalogue, web):
        delay = dict(catalogue.rows("SELECT domain, crawl_delay FROM robots_cache"))
        self.assertEqual(delay[f"http://127.0.0.14:{web.port}"], 0.9)
        refused = catalogue.rows("SELECT DISTINCT reason FROM fates WHERE fate = 'refused' "
                                 "AND url LIKE 'http://127.0.0.2:%'")
        self.assertEqual(len(refused), 1)
        self.assertRegex(refused[0][0], r"line \d+: Disallow: /p/1$")

    def test_traps_end_at_the_depth_budget(self):
        for order in ("priority", "bfs"):
            with self.subTest(order=order):
                web = self.web("1 pages=endless shape=tree calendar=1 segments=1 loop=2",
                               "2 pages=endless shape=chain calendar=1")
                expected, path = web.expectation("--from", "1-2", "--max-depth", "5")
                out = self.base / order
                self.crawler.run("crawl", web.url(1), web.url(2), "--out", out, *harness.QUICK,
                                 "--max-depth", "5", "--order", order)
                self.assert_log(web, "--expect", path, "--per-host", "16")
                self.assert_same((u for fate, u in expected if fate == "page"),
                                 harness.Catalogue(out).pages(), "pages")

    def test_without_robots_nothing_is_refused(self):
        web = self.web("1 pages=9 robots=200 disallow=/ sitemap=plain listed=3", "2 robots=500")
        expected, path = web.expectation("--from", "1-2", "--no-robots")
        self.crawler.run("crawl", web.url(1), web.url(2), "--out", self.out, *harness.QUICK,
                         "--no-robots")
        self.assert_log(web, "--expect", path, "--per-host", "16", "--no-robots")
        self.assertFalse([r for r in web.requests() if r[5] in ("/robots.txt", "/sitemap.xml")])
        self.assert_same((u for fate, u in expected if fate == "page"),
                         harness.Catalogue(self.out).pages(), "pages")


if __name__ == "__main__":
    harness.main(__doc__)
