#!/usr/bin/env python3
"""A crawl is repeated: only what has changed is stored and indexed anew (docs/recrawling.md)."""
import gzip
import json
import os
import random
import shutil
import signal
import sqlite3
import time

import harness

HTML = {"Content-Type": "text/html; charset=utf-8"}


def page(words, *links, etag=None, modified=None, **more):
    headers = {**HTML, **more}
    if etag:
        headers["ETag"] = f'"{etag}"'
    if modified:
        headers["Last-Modified"] = modified
    anchors = "".join(f'<p><a href="{link}">to {link.strip("/")}</a></p>' for link in links)
    body = f"<html lang=en><title>{words.split()[0]}</title><body><p>{words}</p>{anchors}</html>"
    return headers, body.encode()


def site():
    """A small site: pages with ETags, with dates, with neither; duplicates, a redirect, a 404."""
    monday = "Mon, 02 Nov 2026 10:00:00 GMT"
    return {
        "/robots.txt": ({"Content-Type": "text/plain"}, b"User-agent: *\nDisallow: /never/\n"),
        "/": page("entrance hall", "/etag", "/date", "/plain", "/changes", "/goes", "/moved",
                  "/missing", "/twin-a", "/twin-b", "/never/x", etag="root"),
        "/etag": page("walnut cupboard", "/deep", etag="one"),
        "/date": page("copper kettle", "/deep", modified=monday),
        "/plain": page("woollen blanket", "/etag"),
        "/changes": page("ephemeral gazette", "/only-here", etag="v1"),
        "/only-here": page("lonely lighthouse", etag="lone"),
        "/goes": page("vanishing rabbit"),
        "/moved": ({"Location": "/etag", **HTML}, b"", 301),
        "/twin-a": page("identical twins", etag="t"),
        "/twin-b": page("identical twins", etag="t"),
        "/deep": page("velvet curtain", etag="deep"),
    }


class Recrawl(harness.Case):
    def setUp(self):
        super().setUp()
        self.catalogue = harness.Catalogue(self.out)

    def serve(self, pages, **options):
        server = harness.PageServer(pages, **options)
        server.__enter__()
        self.addCleanup(server.__exit__)
        return server

    def crawl(self, server, out=None, *options):
        return self.crawler.totals("crawl", server.url(), "--out", out or self.out, *harness.QUICK,
                                   *options)

    def recrawl(self, *options, check=0):
        totals = self.crawler.totals("recrawl", self.out, "--quiet", *options, check=check)
        self.assert_verified()
        return totals

    def change(self, sql):
        """What the catalogue says, as nothing but a test does it."""
        db = sqlite3.connect(self.out / "crawl.db")
        with db:
            db.execute(sql)
        db.close()

    def changes(self, totals):
        return tuple(totals["pages_" + name] for name in ("new", "changed", "unchanged", "gone"))

    def page_ids(self):
        return dict(self.catalogue.rows("SELECT url, id FROM pages"))

    def found(self, query):
        done = self.crawler.run("search", self.out, query, "--json", check=None)
        answer = json.loads(done.stdout)
        if answer["corrected"]:
            return []  # What was found is another word.
        return [result["url"] for result in answer["results"]]

    def assert_as_fresh(self, server, *options):
        """The catalogue is what a first crawl of the site as it is now gives."""
        fresh = self.base / "fresh"
        shutil.rmtree(fresh, ignore_errors=True)
        self.crawl(server, fresh, *options)
        expected, found = harness.Catalogue(fresh).state(), self.catalogue.state()
        for what in expected:
            self.assertEqual(found[what], expected[what], what)
        by_rank = "SELECT p.url, round(w.page_rank, 9) FROM pages p JOIN page_weights w " \
                  "ON w.page_id = p.id ORDER BY p.url"
        self.assertEqual(self.catalogue.rows(by_rank), harness.Catalogue(fresh).rows(by_rank))

    def test_an_unchanged_site_is_not_stored_again(self):
        server = self.serve(site())
        first = self.crawl(server)
        before, ids = self.catalogue.state(), self.page_ids()
        for _ in range(2):
            server.requests.clear()
            totals = self.recrawl()
            self.assertEqual(self.changes(totals), (0, 0, first["pages"], 0))
            self.assertEqual(totals["pages"], first["pages"])
            self.assertEqual(self.page_ids(), ids)
            self.assertEqual(self.catalogue.state(), before)
            paths = [path for path, _, _ in server.requests]
            self.assertEqual(len(paths), len(set(paths)), "each URL once")
            self.assertIn("/robots.txt", paths)  # Asked again, though it would still be good.
            for path, headers, status in server.requests:
                stored = server.pages.get(path, ({}, b""))[0]
                self.assertEqual(headers.get("If-None-Match"), stored.get("ETag"), path)
                self.assertEqual(headers.get("If-Modified-Since"), stored.get("Last-Modified"))
                if "ETag" in stored or "Last-Modified" in stored:
                    self.assertEqual(status, 304, path)

    def test_what_has_changed_is_replaced(self):
        server = self.serve(site())
        self.crawl(server)
        ids = self.page_ids()
        pages = server.pages
        pages["/changes"] = page("durable chronicle", "/brand-new", etag="v2")
        pages["/brand-new"] = page("novel pamphlet")
        pages["/"] = page("entrance hall", "/etag", "/date", "/plain", "/changes", "/goes", "/moved",
                          "/missing", "/twin-a", "/twin-b", "/never/x", "/only-here", etag="root2")
        del pages["/goes"]
        totals = self.recrawl()
        self.assertEqual(self.changes(totals), (1, 2, 7, 1))
        after = self.page_ids()
        for path in ("/etag", "/date", "/plain", "/deep", "/twin-a", "/only-here"):
            self.assertEqual(after[server.url(path)], ids[server.url(path)], path)
        self.assertGreater(after[server.url("/changes")], max(ids.values()))
        self.assertEqual(self.found("durable"), [server.url("/changes")])
        self.assertEqual(self.found("pamphlet"), [server.url("/brand-new")])
        self.assertEqual(self.found("ephemeral"), [])
        self.assertEqual(self.found("rabbit"), [])
        self.assert_as_fresh(server)
        # And back again.
        pages.update(site())
        del pages["/brand-new"]
        totals = self.recrawl()
        self.assertEqual(self.changes(totals), (1, 2, 7, 1))
        self.assertEqual(self.found("ephemeral"), [server.url("/changes")])
        self.assertEqual(self.found("durable"), [])

    def diff(self, *options):
        """The rows of `crawler diff` of the rounds."""
        done = self.crawler.run("diff", self.out, "--format", "jsonl", *options)
        return [tuple(json.loads(line).values()) for line in done.stdout.splitlines()]

    def test_rounds_are_told(self):
        server = self.serve(site())
        first = self.crawler.run("crawl", server.url(), "--out", self.out, *harness.QUICK,
                                 "--log-pages")
        self.assertNotRegex(first.stdout, " (new|changed|unchanged|gone) ")
        self.assertIn("one round", self.crawler.run("diff", self.out, check=1).stderr)
        server.pages["/changes"] = page("durable chronicle", "/brand-new", etag="v2")
        server.pages["/brand-new"] = page("novel pamphlet")
        del server.pages["/goes"]
        server.pages["/robots.txt"] = ({"Content-Type": "text/plain"},
                                       b"User-agent: *\nDisallow: /never/\nDisallow: /date\n")
        done = self.crawler.run("recrawl", self.out, "--log-pages", "--quiet")
        lines = [line.split() for line in done.stdout.splitlines() if " http://" in line]
        told = {line[6].removeprefix(server.url("")).strip("/"): (line[5], line[4])
                for line in lines}
        changes = {path: change for path, (change, _) in told.items()}
        self.assertEqual(changes, {
            "": "unchanged", "etag": "unchanged", "plain": "unchanged", "deep": "unchanged",
            "twin-a": "unchanged", "twin-b": "unchanged", "only-here": "unchanged",
            "changes": "changed", "brand-new": "new", "goes": "gone", "date": "gone"})
        self.assertEqual(len(lines), len(told), "each page once")
        self.assertEqual((told["etag"][1], told["plain"][1], told["goes"][1]),
                         ("304", "200", "404"))

        url = server.url
        size = len(server.pages["/changes"][1])
        expected = [
            ("new", url("/brand-new"), None, None, 200, None,
             len(server.pages["/brand-new"][1]), "novel"),
            ("changed", url("/changes"), None, 200, 200, None, size, "durable"),
            ("gone", url("/date"), None, 200, None, None, None, None),
            ("gone", url("/goes"), None, 200, None, None, None, None)]
        self.assertEqual(self.diff(), expected)
        self.assertEqual(self.diff("--round", "2"), expected)
        self.recrawl()
        self.assertEqual(self.diff(), [])
        self.assertEqual(self.diff("--round", "2"), expected)
        self.assertIn("rounds 1 to 3",
                      self.crawler.run("diff", self.out, "--round", "4", check=2).stderr)
        self.crawler.run("diff", self.out, self.out, "--round", "2", check=2)

    def test_a_body_that_is_cut_at_the_same_place_is_no_change(self):
        pages = {"/": page("entrance", "/long"), "/long": page("word " * 1000)}
        server = self.serve(pages)
        self.crawl(server, None, "--max-page-bytes", "2k")
        self.assertEqual(self.catalogue.value("SELECT count(*) FROM pages WHERE truncated = 'length'"),
                         1)
        ids = self.page_ids()
        pages["/long"] = page("word " * 1001)  # The difference is in the rest.
        self.assertEqual(self.changes(self.recrawl()), (0, 0, 2, 0))
        self.assertEqual(self.page_ids(), ids)
        self.assertEqual(self.diff(), [])
        # A whole body is stored in its place.
        self.assertEqual(self.changes(self.recrawl("--max-page-bytes", "1M")), (0, 1, 1, 0))
        self.assertEqual(self.changes(self.recrawl()), (0, 0, 2, 0))

    def test_what_may_not_be_had_any_more_leaves(self):
        pages = site()
        server = self.serve(pages)
        self.crawl(server)
        pages["/robots.txt"] = ({"Content-Type": "text/plain"},
                                b"User-agent: *\nDisallow: /never/\nDisallow: /date\n")
        pages["/plain"] = ({"Location": "/deep", **HTML}, b"", 302)
        # The same bytes, but a header that asks to be left out of the index.
        pages["/goes"] = (
            {**pages["/goes"][0], "X-Robots-Tag": "noindex"}, pages["/goes"][1])
        pages["/deep"] = ({"Content-Type": "image/png"}, b"\x89PNG")
        pages["/etag"] = (HTML, b"", 410)
        totals = self.recrawl()
        self.assertEqual(self.changes(totals), (0, 1, 5, 4))
        fates = self.catalogue.fates()
        for path, fate in (("/date", "refused"), ("/plain", "redirect"), ("/deep", "unwanted"),
                           ("/etag", "http error"), ("/goes", "page"), ("/twin-a", "page")):
            self.assertEqual(fates[server.url(path)][0], fate, path)
        for word in ("copper", "woollen", "velvet", "walnut", "rabbit"):
            self.assertEqual(self.found(word), [], word)
        self.assert_as_fresh(server)
        explained = json.loads(self.crawler.run(
            "explain", self.out, server.url("/date"), "--json").stdout)
        self.assertEqual([a["outcome"] for a in explained["attempts"]], ["page", "refused"])
        self.assertEqual(explained["fate"], "refused")

    def test_what_merely_fails_stays(self):
        pages = site()
        server = self.serve(pages)
        self.crawl(server)
        ids = self.page_ids()
        pages["/plain"] = (HTML, b"sorry", 500)
        totals = self.recrawl("--retry-delay", "0.1")
        self.assertEqual(self.changes(totals), (0, 0, 9, 0))
        self.assertEqual(self.page_ids(), ids)
        self.assertEqual(self.found("woollen"), [server.url("/plain")])
        self.assertEqual(self.catalogue.fates()[server.url("/plain")][0], "http error")
        self.assertEqual(self.catalogue.value("SELECT count(*) FROM dead_letters"), 1)
        # Well again: nothing is dead any more.
        pages["/plain"] = site()["/plain"]
        self.assertEqual(self.changes(self.recrawl()), (0, 0, 10, 0))
        self.assertEqual(self.catalogue.value("SELECT count(*) FROM dead_letters"), 0)
        self.assert_as_fresh(server)

    def test_pages_that_nothing_links_to_are_visited_last(self):
        pages = site()
        server = self.serve(pages)
        self.crawl(server)
        pages["/changes"] = page("ephemeral gazette", etag="v2")
        server.requests.clear()
        totals = self.recrawl("--per-host", "1")
        self.assertEqual(self.changes(totals), (0, 1, 9, 0))
        self.assertEqual(server.requests[-1][0], "/only-here")
        self.assertEqual(self.found("lighthouse"), [server.url("/only-here")])
        del pages["/only-here"]
        self.assertEqual(self.changes(self.recrawl()), (0, 0, 9, 1))
        # It is not asked for again: nothing leads to it, and there is no page.
        server.requests.clear()
        self.assertEqual(self.changes(self.recrawl()), (0, 0, 9, 0))
        self.assertNotIn("/only-here", [path for path, _, _ in server.requests])

    def test_a_full_frontier_is_written_down_once(self):
        # Every page links to every other: each would be turned away by each.
        paths = [f"/{i}" for i in range(40)]
        pages = {"/": page("list", *paths, etag="r")}
        pages.update({path: page(f"number{path[1:]} words", "/", *paths) for path in paths})
        server = self.serve(pages)
        self.crawl(server)
        totals = self.recrawl("--max-frontier", "3", "--per-host", "1")
        self.assertEqual(self.changes(totals), (0, 0, 41, 0))
        turned_away = "SELECT count(*), count(DISTINCT url_id) FROM requeued WHERE NOT waits"
        rows, urls = self.catalogue.rows(turned_away)[0]
        self.assertEqual(rows, urls)
        # Nothing leads to them: they come in waves of three, and none is turned away for that.
        for path in pages:
            pages[path] = page("alone " + path, etag="alone")
        totals = self.recrawl("--max-frontier", "3", "--per-host", "1")
        self.assertEqual(self.changes(totals), (0, 41, 0, 0))
        self.assertEqual(self.catalogue.rows(turned_away)[0], (0, 0))
        self.assertEqual(self.catalogue.value(
            "SELECT count(*) FROM requeued WHERE url_id IN (SELECT url_id FROM pages)"), 41)

    def test_duplicates_point_at_pages_that_have_the_content(self):
        pages = {"/": page("list", "/a", "/b", "/c"), "/a": page("same text"),
                 "/b": page("same text"), "/c": page("same text")}
        server = self.serve(pages)
        self.crawl(server)
        originals = "SELECT u.url FROM pages p JOIN urls u ON u.id = p.duplicate_of"
        original = self.catalogue.rows(originals)[0][0]
        path = original[original.rindex("/"):]
        pages[path] = page("other text")
        self.recrawl()
        heirs = self.catalogue.rows(originals)
        self.assertEqual(len(heirs), 1)
        self.assertNotEqual(heirs[0][0], original)
        # The way back, and a third one.
        pages[path] = pages["/d"] = page("same text")
        pages["/"] = page("list", "/a", "/b", "/c", "/d")
        self.recrawl()
        self.assertEqual(self.catalogue.rows(originals), heirs * 3)

    def test_an_original_that_is_written_anew_is_still_of_its_content(self):
        pages = {"/": page("list", "/a", "/b"), "/a": page("same text"), "/b": page("same text")}
        server = self.serve(pages)
        self.crawl(server)
        pairs = "SELECT p.url, u.url FROM pages p JOIN urls u ON u.id = p.duplicate_of"
        (copy, original), = self.catalogue.rows(pairs)
        # The same bytes in another charset: the page has changed, its content has not.
        path = original[original.rindex("/"):]
        pages[path] = ({"Content-Type": "text/html; charset=windows-1252"}, pages[path][1])
        self.assertEqual(self.changes(self.recrawl("--no-index")), (0, 1, 2, 0))
        self.assertEqual(self.catalogue.rows(pairs), [(original, copy)])
        self.crawler.run("index", self.out)
        self.assertEqual(self.catalogue.rows(pairs), [(original, copy)])
        self.assert_as_fresh(server)

    def test_ids_of_pages_do_not_grow_for_ever(self):
        pages = {"/": page("list", *[f"/{i}" for i in range(12)])}
        server = self.serve(pages)

        def change(number):
            for i in range(12):
                words = "same words" if i % 5 == 0 else f"edition{number} number{i} words"
                pages[f"/{i}"] = page(words, f"/{(i * 7 + number) % 12}", "/")

        change(0)
        self.crawl(server)
        for number in range(1, 4):
            # As if many rounds had been before.
            self.change("INSERT OR REPLACE INTO crawl_state VALUES('last_page', '60000')")
            change(number)
            del pages[f"/{number}"]
            self.recrawl()
            ids = sorted(self.page_ids().values())
            self.assertEqual(ids, list(range(1, len(pages) + 1)))
            self.assertEqual(self.found("edition0"), [])
            self.assertEqual(self.found(f"+edition{number} +number11"), [server.url("/11")])
            self.assert_as_fresh(server)

    def test_pages_whose_urls_are_written_otherwise_now(self):
        pages = {"/": page("list", "/a?utm_source=x", "/b"), "/b": page("beech"),
                 "/a?utm_source=x": page("alder"), "/a": page("alder")}
        server = self.serve(pages)
        self.crawl(server)
        pages["/"] = page("list", "/b")
        # Crawl::Recrawl() may change any option; the command takes fewer.
        self.change("UPDATE crawl_state SET value = json_set(value, '$.drop_tracking', json('true')) "
                    "WHERE key = 'options'")
        totals = self.recrawl()
        # Nothing leads to the page any more, and now it has an address that was never heard of.
        self.assertEqual(self.changes(totals), (1, 1, 1, 0))
        self.assertIn(server.url("/a"), self.page_ids())
        self.assertEqual(self.catalogue.fates()[server.url("/a")][0], "page")
        self.assertEqual(self.changes(self.recrawl()), (0, 0, 3, 0))

    def test_budgets_count_afresh(self):
        pages = site()
        server = self.serve(pages)
        self.crawl(server)
        before = self.page_ids()
        totals = self.recrawl("--max-pages", "4")
        self.assertEqual((totals["outcome"], totals["pages"]), ("budget spent", 4))
        self.assertEqual(self.page_ids(), before)
        done = self.crawler.totals("resume", self.out, "--quiet", "--max-pages", "0")
        self.assertEqual(self.changes(done), (0, 0, 10, 0))
        self.assert_verified()
        self.assert_as_fresh(server)

    def test_depths_are_those_of_the_links_now(self):
        pages = {"/": page("zero", "/one"), "/one": page("one", "/two"),
                 "/two": page("two", "/three"), "/three": page("three", "/four")}
        server = self.serve(pages)
        self.crawl(server, None, "--max-depth", "2")
        self.assertEqual(len(self.catalogue.pages()), 3)
        pages["/"] = page("zero", "/one", "/two")
        self.assertEqual(self.changes(self.recrawl()), (1, 1, 2, 0))
        depths = dict(self.catalogue.rows("SELECT title, depth FROM pages"))
        self.assertEqual(depths, {"zero": 0, "one": 1, "two": 1, "three": 2})
        self.assert_as_fresh(server, "--max-depth", "2")

    def test_the_archive_keeps_everything(self):
        pages = site()
        pages["/zip"] = ({**HTML, "Content-Encoding": "gzip"},
                         gzip.compress(page("zipped words")[1], mtime=0))
        pages["/"] = page("entrance hall", "/etag", "/plain", "/zip", etag="r")
        server = self.serve(pages)
        self.crawl(server)
        self.recrawl()
        records = []
        for path in sorted((self.out / "warc").glob("*.warc.gz")):
            for record in gzip.decompress(path.read_bytes()).split(b"WARC/1.1\r\n")[1:]:
                head = record.split(b"\r\n\r\n")[0].decode()
                records.append(dict(line.split(": ", 1) for line in head.splitlines()))
        revisits = {r["WARC-Target-URI"]: r for r in records if r["WARC-Type"] == "revisit"}
        for path, profile in (("/etag", "server-not-modified"),
                              ("/plain", "identical-payload-digest"),
                              ("/zip", "identical-payload-digest")):
            revisit = revisits[server.url(path)]
            self.assertTrue(revisit["WARC-Profile"].endswith(profile), path)
            self.assertEqual(revisit["WARC-Refers-To-Target-URI"], server.url(path))
            original, = [r for r in records if r["WARC-Type"] == "response"
                         and r["WARC-Target-URI"] == server.url(path)]
            self.assertEqual(revisit["WARC-Refers-To-Date"], original["WARC-Date"])
            if profile.startswith("identical"):
                self.assertEqual(revisit["WARC-Payload-Digest"], original["WARC-Payload-Digest"])

    def test_a_304_that_nobody_asked_for_is_an_error(self):
        pages = site()
        pages["/odd"] = ({**HTML}, b"", 304)
        pages["/"] = page("entrance hall", "/etag", "/plain", "/odd", etag="root")
        server = self.serve(pages)
        self.crawl(server)
        self.assertEqual(self.catalogue.fates()[server.url("/odd")][0], "http error")
        # A page without validators, and one that would have to be stored anew.
        pages["/plain"] = (HTML, b"", 304)
        pages["/etag"] = ({**HTML, "ETag": '"one"'}, b"", 304)
        db = sqlite3.connect(self.out / "crawl.db")
        with db:
            db.execute("DELETE FROM page_text WHERE page_id = (SELECT id FROM pages WHERE url = ?)",
                       (server.url("/etag"),))
        db.close()
        totals = self.recrawl()
        fates = self.catalogue.fates()
        for path in ("/odd", "/plain", "/etag"):
            self.assertEqual(fates[server.url(path)][0], "http error", path)
            self.assertNotIn(server.url(path), self.catalogue.pages())
        self.assertEqual(totals["pages_gone"], 2)

    def test_a_304_may_ask_robots_for_something_else(self):
        pages = site()
        pages["/"] = page("entrance hall", "/etag", "/shy", etag="root")
        pages["/shy"] = page("timid violet", "/behind", etag="shy")
        pages["/behind"] = page("hidden garden", etag="behind")
        server = self.serve(pages)
        self.crawl(server)
        self.assertEqual(self.found("walnut"), [server.url("/etag")])
        ids = self.page_ids()
        # Their content, and so their ETag, is what it was.
        pages["/etag"][0]["X-Robots-Tag"] = "noindex"
        pages["/shy"][0]["X-Robots-Tag"] = "otherbot: noindex, nofollow"
        self.assertEqual(self.changes(self.recrawl()), (0, 0, 5, 0))
        self.assertEqual(self.page_ids(), ids)
        self.assertEqual(self.found("walnut"), [])
        self.assertEqual(self.found("violet"), [server.url("/shy")])
        # The next time the pages themselves are asked for.
        server.requests.clear()
        self.assertEqual(self.changes(self.recrawl()), (0, 0, 5, 0))
        answers = {path: status for path, _, status in server.requests}
        self.assertEqual((answers["/etag"], answers["/shy"]), (200, 304))
        self.assert_as_fresh(server)
        del pages["/etag"][0]["X-Robots-Tag"]
        pages["/shy"][0]["X-Robots-Tag"] = "nofollow"
        server.requests.clear()
        self.assertEqual(self.changes(self.recrawl("--per-host", "1")), (0, 1, 4, 0))
        self.assertEqual(self.found("walnut"), [server.url("/etag")])
        self.assertEqual(server.requests[-1][0], "/behind", "no link may be followed to it")
        self.assertEqual(self.changes(self.recrawl()), (0, 1, 4, 0))
        self.assertEqual(self.catalogue.value("SELECT count(*) FROM edges WHERE nofollow"), 1)

    def test_a_refusal_leaves_the_crawl_as_it_was(self):
        server = self.serve(site())
        self.crawl(server)
        warc = next((self.out / "warc").glob("*.warc.gz"))
        warc.rename(self.base / "elsewhere")
        before = self.dump()
        for command in ("recrawl", "resume"):
            done = self.crawler.run(command, self.out, "--quiet", "--max-pages", "3", "--user-agent",
                                    "somebody", check=4)
            self.assertIn("is missing", done.stderr)
            self.assertEqual(self.dump(), before, command)
        (self.base / "elsewhere").rename(warc)
        self.assertEqual(self.changes(self.recrawl()), (0, 0, 10, 0))

    def dump(self):
        """All that is in the catalogue."""
        db = sqlite3.connect(self.out / "crawl.db")
        lines = list(db.iterdump())
        db.close()
        return lines

    def cut(self, share):
        warc = next((self.out / "warc").glob("*.warc.gz"))
        os.truncate(warc, int(warc.stat().st_size * share))

    def test_an_archive_that_was_cut(self):
        # Before the round, in it and after it; what is lost is fetched again, and only that.
        for cuts, share in ((1, 0.5), (2, 0.9), (2, 0.6), (2, 0.2), (2, 0.0)):
            with self.subTest(cuts=cuts, share=share):
                shutil.rmtree(self.out, ignore_errors=True)
                pages = site()
                server = self.serve(pages)
                self.crawl(server)
                pages["/plain"] = page("silken sheet", "/etag")
                pages["/changes"] = page("ephemeral gazette", etag="v2")  # /only-here is unlinked.
                if cuts == 2:
                    self.recrawl()
                last = max(self.page_ids().values())
                kept = self.page_ids()
                self.cut(share)
                self.crawler.run("recrawl" if cuts == 1 else "resume", self.out, "--quiet")
                self.assert_verified()
                self.assertEqual(len(self.catalogue.pages()), len(kept))
                for url, id_ in self.page_ids().items():
                    self.assertTrue(id_ == kept[url] or id_ > last, f"{url}: {id_}")
                again = self.page_ids()
                self.assertEqual(self.changes(self.recrawl()), (0, 0, len(kept), 0))
                self.assertEqual(self.page_ids(), again)
                self.assert_as_indexed_afresh()

    def assert_as_indexed_afresh(self):
        """The index is what is made of the pages that are there."""
        terms = "SELECT term, document_freq, shown FROM index_terms ORDER BY term"
        before = self.catalogue.rows(terms)
        db = sqlite3.connect(self.out / "crawl.db")
        with db:
            for table in ("page_text", "index_segments", "postings", "index_terms", "page_weights",
                          "removed_pages"):
                db.execute(f"DELETE FROM {table}")
            db.execute("DELETE FROM crawl_state WHERE key LIKE 'index.%'")
        db.close()
        self.crawler.run("index", self.out)
        self.assertEqual(self.catalogue.rows(terms), before)

    def test_a_folder_without_an_index_is_visited_again(self):
        server = self.serve(site())
        self.crawl(server)
        server.pages["/plain"] = page("silken sheet")
        totals = self.recrawl("--no-index", "--no-warc")
        self.assertEqual(self.changes(totals), (0, 1, 9, 0))
        self.assertEqual(self.found("woollen"), [])

    def test_there_must_be_a_crawl(self):
        done = self.crawler.run("recrawl", self.out, check=1)
        self.assertIn("there is no crawl", done.stderr)

    def test_a_kill_loses_nothing_and_repeats_nothing(self):
        random.seed(5)
        pages = {"/": page("root", *[f"/{i}" for i in range(40)], etag="r")}
        for i in range(400):
            links = [f"/{random.randrange(400)}" for _ in range(4)] + [f"/{(i + 40) % 400}"]
            pages[f"/{i}"] = page(f"number{i} words", *links, etag=f"v{i}" if i % 3 else None)
        server = self.serve(pages, delay=0.1)
        self.crawl(server)
        ids = self.page_ids()
        for i in range(0, 400, 7):
            pages[f"/{i}"] = page(f"fresh{i} words", f"/{(i + 40) % 400}", f"/new{i}",
                                  etag=f"w{i}")
            pages[f"/new{i}"] = page(f"additional{i}")
        for i in range(5, 400, 50):
            del pages[f"/{i}"]
        begin, go_on = ("recrawl", self.out, "--quiet"), ("resume", self.out, "--quiet")
        committed = set()
        midway = 0
        for pause in (0.3, 1.3, 1.5, 0.8, None):
            begun = self.catalogue.value("SELECT count(*) FROM rounds")
            server.requests.clear()
            process = self.crawler.start(*(go_on if begun else begin), "--json")
            if pause is not None:
                time.sleep(pause)
                process.send_signal(signal.SIGKILL)
            printed, _ = process.communicate()
            self.assert_verified()
            midway += 0 < len(committed) < 400  # After the kill before.
            again = {server.url(path) for path, _, _ in server.requests}
            self.assertFalse(again & committed, "what was committed is not asked for again")
            committed = {row[0] for row in self.catalogue.rows(
                "SELECT u.url FROM visits v JOIN urls u ON u.id = v.url_id WHERE v.final "
                "AND v.id > (SELECT coalesce(max(last_visit), 1e9) FROM rounds)")}
        self.assertGreater(midway, 0, "no kill came in the middle")
        totals = json.loads(printed)
        gone = sum(server.url(f"/{i}") in ids for i in range(5, 400, 50))
        self.assertEqual(totals["pages_gone"], gone)
        self.assertEqual(sum(self.changes(totals)[:3]), len(self.catalogue.pages()))
        self.assert_as_fresh(server)


if __name__ == "__main__":
    harness.main(__doc__)
