#!/usr/bin/env python3
"""`crawler explain` and `crawler status`: every decision with its reason, while it runs and after.

Explain says who linked a URL, depth, score, scope and robots decisions with the rule's
line, attempts with times and outcomes, duplicate of, when due; status says from a second terminal
what the crawl does and why it is not finished: which hosts hold it up, when each is due.
"""
import json
import shlex
import sqlite3
import time

import harness


class Explain(harness.Case):
    def explain(self, url, out=None, known=True):
        done = self.crawler.run("explain", out or self.out, url, "--json", check=0 if known else 1)
        explained = json.loads(done.stdout)
        self.assertEqual(explained["known"], known)
        # The same in words.
        text = self.crawler.run("explain", out or self.out, url, check=None).stdout
        self.assertIn(explained["url"], text)
        self.assertIn(explained["fate"], text)
        return explained

    def test_every_fate(self):
        web = self.web("1 pages=9 shape=star cross=2 copies=2 missing=1 redirects=2 files=1 "
                       "robots=200 disallow=/p/3",
                       "2 pages=9",
                       "3 pages=3 fail-every=2 fail-tries=9",
                       "4 robots=500",
                       "5 robots=200 sitemap=plain listed=1 pages=1",
                       "6 pages=20 shape=star meta-nofollow-every=1")
        seeds = [web.url(n) for n in (1, 3, 4, 5, 6)]
        self.crawler.run("crawl", *seeds, "--out", self.out, *harness.QUICK, "--host-failures", "4",
                         "--exclude", "/p/4$", check=7)  # A host was given up.
        for check in (self.check_seed, self.check_page, self.check_out_of_scope,
                      self.check_excluded, self.check_refused, self.check_redirect,
                      self.check_missing, self.check_other_type, self.check_dead_letter,
                      self.check_given_up, self.check_duplicate, self.check_nofollow,
                      self.check_sitemap, self.check_unknown):
            with self.subTest(check.__name__):
                check(web)

    def check_seed(self, web):
        found = self.explain(web.url(1))
        self.assertEqual((found["fate"], found["via"], found["depth"]), ("page", "seed", 0))
        self.assertRegex(found["robots"], "^allowed")

    def check_page(self, web):
        url = web.url(1, "/p/2")
        found = self.explain(url + "#part")  # Asked for as in a browser's address bar.
        self.assertEqual(found["url"], url)
        self.assertEqual((found["fate"], found["via"], found["depth"]), ("page", "link", 1))
        self.assertTrue(found["scope"].startswith("in scope"))
        self.assertIn(web.url(1), [referrer["url"] for referrer in found["linked_by"]])
        self.assertGreaterEqual(found["links"], 1)
        self.assertTrue(found["title"])
        attempt, = found["attempts"]
        self.assertEqual((attempt["outcome"], attempt["status"], attempt["final"]),
                         ("page", 200, True))
        self.assertRegex(attempt["at"], r"^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d")
        self.assertGreater(attempt["score"], 0)
        self.assertGreater(attempt["total_us"], 0)
        self.assertTrue(attempt["address"].startswith("127.0.0.1"))

    def check_out_of_scope(self, web):
        elsewhere = [url for url, (fate, _) in harness.Catalogue(self.out).fates().items()
                     if url.startswith(web.url(2))]
        self.assertTrue(elsewhere)
        found = self.explain(elsewhere[0])
        self.assertEqual((found["fate"], found["attempts"]), ("skipped", []))
        expected = "out of scope: it is not on a host of the seeds (--scope host)"
        self.assertEqual((found["scope"], found["skipped"]), (expected, expected))

    def check_excluded(self, web):
        found = self.explain(web.url(1, "/p/4"))
        self.assertEqual(found["fate"], "skipped")
        self.assertIn("/p/4$", found["scope"])  # The rule.
        self.assertIn("/p/4$", found["skipped"])

    def check_refused(self, web):
        found = self.explain(web.url(1, "/p/3"))
        self.assertEqual(found["fate"], "refused")
        self.assertRegex(found["robots"], r"^refused by line \d+: Disallow: /p/3$")
        self.assertRegex(found["attempts"][0]["detail"], r"line \d+: Disallow: /p/3$")

    def check_redirect(self, web):
        found = self.explain(web.url(1, "/redirect/301/2"))
        self.assertEqual(found["fate"], "redirect")
        self.assertEqual(found["attempts"][0]["status"], 301)
        self.assertIn(web.url(1, "/redirect/301/1"), found["attempts"][0]["detail"])
        target = self.explain(web.url(1, "/redirect/301/1"))
        self.assertEqual((target["via"], target["depth"]), ("redirect", found["depth"]))
        self.assertEqual(found["redirects"][0], web.url(1, "/redirect/301/1"))
        self.assertFalse(found["redirect_loop"])
        self.assertEqual(target["redirected_from"], [web.url(1, "/redirect/301/2")])
        self.assertEqual(target["path"][-1]["url"], web.url(1, "/redirect/301/2"))
        self.assertEqual(target["path"][0], {"url": web.url(1), "via": "seed"})
        text = self.crawler.run("explain", self.out, target["url"]).stdout
        self.assertNotIn("linked by", text)
        self.assertIn("redirected from\n  " + web.url(1, "/redirect/301/2") + "\n", text)

    def check_missing(self, web):
        found = self.explain(web.url(1, "/missing/0"))
        self.assertEqual((found["fate"], found["attempts"][0]["status"]), ("http error", 404))
        self.assertEqual(len(found["attempts"]), 1)
        self.assertEqual(found["dead_letter"], "")

    def check_other_type(self, web):
        found = self.explain(web.url(1, "/file/0.png"))
        self.assertEqual(found["fate"], "unwanted")
        self.assertIn("image/png", found["attempts"][0]["detail"])

    def check_dead_letter(self, web):
        found = self.explain(web.url(3, "/p/1"))
        self.assertEqual([a["status"] for a in found["attempts"]], [500] * 4)
        self.assertEqual([a["final"] for a in found["attempts"]], [False] * 3 + [True])
        self.assertEqual(len({a["at"] for a in found["attempts"]}), 4)
        self.assertIn("500", found["dead_letter"])

    def check_given_up(self, web):
        found = self.explain(web.url(4))
        self.assertEqual(found["fate"], "given up")
        self.assertIn("500", found["robots"])
        # Which host, how often, when, and what came last.
        self.assertRegex(found["dead_letter"],
                         rf"^no robots.txt from its host http://127.0.0.4:{web.port}, given up at "
                         r"\d{4}-\d\d-\d\dT[\d:]+Z after 4 attempts; the last: status 500$")
        self.assertEqual(found["attempts"][-1]["detail"], found["dead_letter"])
        events = harness.Catalogue(self.out).rows(
            "SELECT detail FROM events WHERE kind = 'host given up'")
        self.assertEqual(events, [(found["dead_letter"],)])

    def check_duplicate(self, web):
        found = [self.explain(web.url(1, f"/copy/{n}")) for n in (0, 1)]
        first, second = sorted(found, key=lambda e: e["duplicate_of"])
        self.assertEqual(first["duplicate_of"], "")
        self.assertEqual(second["duplicate_of"], first["url"])

    def check_nofollow(self, web):
        linked = [row[0] for row in harness.Catalogue(self.out).rows(
            "SELECT t.url FROM edges e JOIN urls f ON f.id = e.from_id JOIN fates t "
            "ON t.url_id = e.to_id WHERE f.url = ? AND t.fate = 'skipped'", web.url(6))]
        self.assertTrue(linked)
        found = self.explain(linked[0])
        self.assertEqual((found["fate"], found["skipped"]),
                         ("skipped", "every link to it says nofollow, or its page does"))
        self.assertEqual([r["nofollow"] for r in found["linked_by"]
                          if r["url"] == web.url(6)][-1:], [True])

    def check_sitemap(self, web):
        found = self.explain(web.url(5, "/listed/0"))
        self.assertEqual((found["fate"], found["via"], found["depth"]), ("page", "sitemap", 1))
        self.assertEqual(self.explain(web.url(5, "/sitemap.xml"))["fate"], "sitemap")

    def check_unknown(self, web):
        found = self.explain(web.url(1, "/nobody/links/here"), known=False)
        self.assertEqual(found["fate"], "unknown")
        self.assertTrue(found["scope"].startswith("in scope"))
        for nonsense, why in (("mailto:a@example.org", "only http and https URLs"),
                              ("nonsense", "not an http or https URL"),
                              ("http://", "not a valid URL"),
                              ("/p/2", "is a path, and the crawl has several hosts")):
            done = self.crawler.run("explain", self.out, nonsense, check=2)
            self.assertIn(why, done.stderr)

    def test_a_path_is_of_the_only_host(self):
        web = self.web("1 pages=4 shape=chain links=1")
        self.crawler.run("crawl", web.url(1), "--out", self.out, *harness.QUICK)
        for given in ("/p/3", "p/3", web.url(1, "/p/3")[len("http://"):]):
            found = json.loads(self.crawler.run("explain", self.out, given, "--json").stdout)
            self.assertEqual((found["url"], found["fate"]), (web.url(1, "/p/3"), "page"))
        self.assertEqual([(step["via"], step["url"]) for step in found["path"]],
                         [("seed", web.url(1)), ("link", web.url(1, "/p/1")),
                          ("link", web.url(1, "/p/2"))])

    def test_what_became_of_pages_in_words(self):
        html = {"Content-Type": "text/html"}
        with harness.PageServer({
                "/": (html, b"<a href=/secret>s</a><a href=/long>l</a><a href=/a>a</a>"),
                "/secret": (html, b"<meta name=robots content=noindex>secret"),
                "/long": (html, b"long " * 2000)}) as server:
            self.crawler.run("crawl", server.url(), "--out", self.out, *harness.QUICK,
                             "--max-page-bytes", "1kB")
            secret = self.explain(server.url("/secret"))
            self.assertEqual((secret["fate"], secret["noindex"]), ("page", True))
            text = self.crawler.run("explain", self.out, "/secret").stdout
            self.assertIn("asks not to be indexed", text)
            self.assertIn("linked by 1 page\n", text)
            cut = self.explain(server.url("/long"))
            self.assertEqual(cut["fate"], "page")
            text = self.crawler.run("explain", self.out, "/long").stdout
            self.assertIn("it is larger than --max-page-bytes", text)

    def test_waiting_after_a_budget(self):
        web = self.web("1 pages=40 shape=star")
        self.crawler.run("crawl", web.url(1), "--out", self.out, *harness.QUICK, "--max-pages", "5")
        waiting = harness.Catalogue(self.out).rows("SELECT url FROM fates WHERE fate = 'waiting'")
        self.assertEqual(len(waiting), 35)
        found = self.explain(waiting[0][0])
        self.assertEqual((found["fate"], found["due"]), ("waiting", "when the crawl is resumed"))

    def test_too_deep(self):
        web = self.web("1 pages=10 shape=chain links=1")
        self.crawler.run("crawl", web.url(1), "--out", self.out, *harness.QUICK, "--max-depth", "3")
        found = self.explain(web.url(1, "/p/4"))
        self.assertEqual((found["fate"], found["depth"]), ("skipped", 4))
        self.assertIn("depth", found["skipped"])


class Status(harness.Case):
    def status(self):
        return json.loads(self.crawler.run("status", self.out, "--json").stdout)

    def start(self, *arguments):
        process = self.crawler.start("crawl", *arguments, "--out", self.out, *harness.LOOPBACK,
                                     "--quiet")
        self.addCleanup(process.communicate)
        self.addCleanup(process.kill)
        return process

    def status_when(self, condition, process):
        """The first status for which `condition` holds."""
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline:
            self.assertIsNone(process.poll(), "the crawl ended too soon")
            if (self.out / "crawl.db").exists():
                done = self.crawler.run("status", self.out, "--json", check=None)
                if done.returncode == 0 and condition(status := json.loads(done.stdout)):
                    return status
            time.sleep(0.1)
        self.fail("no such status in a minute")

    def test_while_it_runs_and_after(self):
        web = self.web("1 pages=30 robots=200 crawl-delay=5000", "2 pages=3",
                       "3 throttle=1 retry-after=100")
        process = self.start(web.url(1), web.url(2), web.url(3), "--delay", "0.1")
        polite, throttled = (f"http://127.0.0.{n}:{web.port}" for n in (1, 3))

        def both_hold_it_up(status):
            why = {h["host"]: h["why"] for h in status["holdups"] if h["due_in_ms"]}
            return why.get(polite) == "politeness" and why.get(throttled) == "backoff"
        status = self.status_when(both_hold_it_up, process)
        self.assertEqual((status["state"], status["running"], status["process"]),
                         ("running", True, process.pid))
        self.assertIn(status["phase"], ("discovery", "expansion"))
        self.assertEqual(status["phases"][0]["name"], "discovery")
        self.assertGreater(status["pages"], 0)
        # Those due last come first.
        self.assertEqual([h["host"] for h in status["holdups"]], [throttled, polite])
        due = {h["host"]: h["due_in_ms"] for h in status["holdups"]}
        self.assertTrue(0 < due[polite] <= 5000, due)
        self.assertTrue(5000 < due[throttled] <= 100_000, due)
        self.assertTrue(all(h["waiting"] > 0 for h in status["holdups"]))
        text = self.crawler.run("status", self.out).stdout
        self.assertIn("Not finished because of these hosts", text)
        self.assertIn(throttled, text)
        self.check_due(web, polite)

        process.kill()
        process.wait()
        status = self.status()
        self.assertEqual((status["state"], status["running"]), ("interrupted", False))
        self.assertIn("crawler resume", self.crawler.run("status", self.out).stdout)

    def check_due(self, web, host):
        waiting = harness.Catalogue(self.out).rows(
            "SELECT url FROM fates WHERE fate = 'waiting' AND url LIKE ?", host + "/%")
        done = self.crawler.run("explain", self.out, waiting[-1][0], "--json")
        self.assertRegex(json.loads(done.stdout)["due"], r"its host( in \d+ ms)?: ")

    def test_after_the_end(self):
        web = self.web("1 pages=12 missing=2")
        totals = self.crawler.totals("crawl", web.url(1), "--out", self.out, *harness.QUICK)
        status = self.status()
        self.assertEqual((status["state"], status["running"], status["holdups"]),
                         ("finished", False, []))
        self.assertEqual((status["pages"], status["urls_waiting"]), (12, 0))
        for key in ("requests", "bytes", "http_errors", "urls_known"):
            self.assertEqual(status[key], totals[key], key)
        self.assertTrue(self.crawler.run("status", self.out).stdout.startswith("finished\n"))


    def test_the_command_to_go_on_can_be_copied(self):
        web = self.web("1 pages=12")
        out = self.base / "it's a crawl"
        done = self.crawler.run("crawl", web.url(1), "--out", out, *harness.QUICK, "--max-pages", "4")
        for text in (done.stdout, self.crawler.run("status", out).stdout):
            command = [x for x in text.splitlines() if x.startswith("To go on: ")]
            self.assertEqual(shlex.split(command[0])[-3:], ["crawler", "resume", str(out)])

    def test_a_spent_budget_is_not_the_end(self):
        web = self.web("1 pages=12")
        self.crawler.run("crawl", web.url(1), "--out", self.out, *harness.QUICK, "--max-pages", "4")
        self.assertEqual(self.status()["state"], "budget spent")
        self.assertIn("crawler resume", self.crawler.run("status", self.out).stdout)

    def test_it_stays_true_while_the_crawl_only_waits(self):
        web = self.web("1 pages=3 throttle=1 retry-after=30")
        process = self.start(web.url(1))
        first = self.status_when(lambda s: s["throttled"] == 1 and s["holdups"], process)
        due = first["holdups"][0]["due_in_ms"]
        self.status_when(lambda s: s["holdups"][0]["due_in_ms"] < due - 1500, process)


class Output(harness.Case):
    def test_a_line_a_page(self):
        """Timestamp, priority, depth, size, status, URL."""
        web = self.web("1 pages=25 bytes=700")
        done = self.crawler.run("crawl", web.url(1), "--out", self.out, *harness.QUICK,
                                "--log-pages")
        lines = [line.split() for line in done.stdout.splitlines() if "http://" in line]
        self.assertEqual({line[5] for line in lines}, harness.Catalogue(self.out).pages())
        for at, priority, depth, size, status, _ in lines:
            self.assertRegex(at, r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$")
            self.assertGreaterEqual(float(priority), 0)
            self.assertGreaterEqual(int(depth), 0)
            self.assertGreaterEqual(int(size), 700)
            self.assertEqual(status, "200")

    def test_without_a_terminal_the_log_has_lines(self):
        web = self.web("1 pages=3")
        done = self.crawler.run("crawl", web.url(1), "--out", self.out, *harness.LOOPBACK,
                                "--delay", "0")
        self.assertIn("Phase begins", done.stderr)
        self.assertNotIn("\r", done.stderr)
        self.assertIn("3 pages", done.stdout)

    def test_help_has_examples_and_exit_codes(self):
        for command in ("crawl", "resume"):
            text = self.crawler.run(command, "--help").stdout
            self.assertIn("Examples:", text)
            self.assertIn("xit codes", text)

    def test_nonsense_is_refused_with_a_reason(self):
        web = self.web("1 pages=3")
        for arguments, word in ((["crawl", "--out", self.out], "URL"),
                                (["crawl", web.url(1)], "--out"),
                                (["crawl", "ftp://127.0.0.1/", "--out", self.out], "ftp"),
                                (["crawl", web.url(1), "--out", self.out, "--scope", "moon"],
                                 "--scope"),
                                (["crawl", web.url(1), "--out", self.out, "--include", "("],
                                 "pattern"),
                                (["crawl", web.url(1), "--out", self.out, "--allow-net", "moon"],
                                 "moon"),
                                (["crawl", web.url(1), "--out", self.out, "-4", "-6"], "ipv4"),
                                (["crawl", web.url(1), "--out", self.out, "--local-address",
                                  "moon"], "moon"),
                                (["crawl", web.url(1), "--out", self.out, "--max-pages", "-1"],
                                 "--max-pages")):
            with self.subTest(arguments=arguments[1:]):
                done = self.crawler.run(*arguments, check=2)
                self.assertIn(word, done.stdout + done.stderr)
                self.assertFalse((self.out / "crawl.db").exists())
        self.assertEqual(web.flush_log(), [])

    def test_user_and_password_of_a_url_are_nowhere(self):
        """They are never sent; so they make no other page and are written down nowhere."""
        secret = "open-sesame"
        with harness.PageServer({}) as server:
            own = server.url().replace("http://", f"http://ali:{secret}@")
            pages = {"/": ({"Content-Type": "text/html"},
                           f"<a href='{own}'>again</a> <a href='{own}b'>b</a> "
                           f"<link rel=canonical href='{own}c'>".encode()),
                     "/b": ({"Content-Type": "text/html"}, b"<base href='//u:open-sesame@h/'>b")}
            server.pages.update(pages)
            done = self.crawler.run("crawl", own, "--out", self.out, *harness.LOOPBACK,
                                    "--delay", "0", "--log-pages")
            self.assertIn("--basic-auth-from", done.stderr)
            self.assertNotIn(secret, done.stdout + done.stderr)
            self.assertEqual(harness.Catalogue(self.out).pages(),
                             {server.url(), server.url("/b")})
            db = sqlite3.connect(self.out / "crawl.db")
            dump = "\n".join(db.iterdump())
            db.close()
            # The text of a page and of its links is the page's own; nothing else may have it.
            self.assertNotIn(secret, dump)
            explained = json.loads(self.crawler.run("explain", self.out, own, "--json").stdout)
            self.assertEqual((explained["url"], explained["fate"]), (server.url(), "page"))
            fetched = self.crawler.run("fetch", own, *harness.LOOPBACK)
            self.assertIn("--basic-auth-from", fetched.stderr)

    def test_loopback_is_not_asked_unless_allowed(self):
        web = self.web("1 pages=3")
        self.crawler.run("crawl", web.url(1), "--out", self.out, "--quiet", "--delay", "0", check=1)
        self.assertEqual(web.flush_log(), [])


if __name__ == "__main__":
    harness.main(__doc__)
