#!/usr/bin/env python3
"""`crawler index` of crawls whose pages were stored without their text.

docs/search.md: a crawl with --no-index, or of an older version, is indexed afterwards from its WARC,
and the index is the one that the crawl would have made. It may be killed at any moment; a page whose
record cannot be read is named and left out.
"""
import gzip
import json
import os
import shutil
import signal
import sqlite3
import subprocess
import time

import harness

FAILED, NOT_READY = 1, 6
# One page after the other: which of several copies is the first decides about ranks.
IN_ORDER = harness.LOOPBACK + ["--delay", "0", "--per-host", "1", "--quiet"]
HTML = {"Content-Type": "text/html"}
MODIFIED = {"Last-Modified": "Tue, 02 Jan 2024 03:04:05 GMT"}
STORY = ("<html lang=en><title>The {0} story</title><h1>About {0}</h1><p>Nobody knows where the {0} "
         "lives, but many people have looked for it in the old forest.</p>").format
PACKED = gzip.compress(STORY("heron").encode(), mtime=0)
QUESTIONS = ["story", "otter", "\"old forest\"", "heron OR badger", "title:lynx", "wolken*",
             "lang:de", "site:127.0.0.1 -story"]
TEXTS = ("SELECT p.url, t.language, t.words, t.sketch, t.headings, t.terms, t.text "
         "FROM page_text t JOIN pages p ON p.id = t.page_id ORDER BY p.url")


def chunked(body, size):
    pieces = [body[i:i + size] for i in range(0, len(body), size)]
    return b"".join(b"%x\r\n%s\r\n" % (len(p), p) for p in pieces) + b"0\r\n\r\n"


def site():
    """All the ways a body can come: coded, in chunks, in other charsets, as one that was there."""
    pages = {
        "/otter": (HTML | MODIFIED, STORY("otter").encode()),
        "/badger": (HTML | {"Content-Encoding": "gzip"}, gzip.compress(STORY("badger").encode())),
        "/lynx": (HTML | {"Transfer-Encoding": "chunked"}, chunked(STORY("lynx").encode(), 50)),
        "/heron": (HTML | {"Content-Encoding": "gzip", "Transfer-Encoding": "chunked"},
                   chunked(PACKED, 64)),
        # The same payload as /heron without its chunks, and the same bytes as no coding at all.
        "/heron/again": (HTML | {"Content-Encoding": "gzip"}, PACKED),
        "/heron/bytes": ({"Content-Type": "text/plain"}, PACKED),
        "/heron/plain": (HTML, STORY("heron").encode()),
        "/otter/again": (HTML, STORY("otter").encode()),
        "/latin": ({"Content-Type": "text/html; charset=iso-8859-1"},
                   "<html lang=de><title>Über Wölfe</title><p>Die Wölfe hören den Wolken zu, und "
                   "niemand weiß, was sie dabei denken.".encode("iso-8859-1")),
        "/text": ({"Content-Type": "text/plain; charset=utf-8"}, "only a text, of a lynx".encode()),
        "/feed": ({"Content-Type": "application/rss+xml"},
                  b"<rss><channel><item><link>/text</link></item></channel></rss>"),
        "/secret": (HTML, b"<meta name=robots content=noindex><p>an otter nobody may find"),
        "/header": (HTML | {"X-Robots-Tag": "noindex"}, b"<p>nor this otter"),
        "/empty": (HTML, b""),
        "/broken": (HTML | {"Content-Encoding": "gzip"}, PACKED[:len(PACKED) // 2]),
        "/long": (HTML, b"<title>Long</title>" + b"<p>a lynx and an otter " * 20_000),
    }
    links = "".join(f'<a href="{path}">to {path[1:]}</a> ' for path in pages)
    pages["/"] = (HTML, f"<title>All stories</title>{links}".encode())
    return pages


class IndexArchive(harness.Case):
    maxDiff = 4000

    def crawl(self, url, name, *options):
        folder = self.base / name
        self.crawler.run("crawl", url, "--out", folder, *IN_ORDER, *options)
        return folder

    def index(self, folder, *options, check=0):
        done = self.crawler.run("index", folder, "--json", *options, check=check)
        return json.loads(done.stdout), done.stderr

    def answers(self, folder):
        found = {}
        for question in QUESTIONS:
            done = self.crawler.run("search", folder, question, "--json", "--no-fold", "--limit",
                                    "1000", check=None)
            self.assertIn(done.returncode, (0, FAILED), done.stderr)
            found[question] = {r["url"]: (round(r["score"], 5), r["title"], r["snippet"])
                               for r in json.loads(done.stdout)["results"]}
        return found

    def copy(self, folder, name):
        return shutil.copytree(folder, self.base / name)

    def change(self, folder, sql):
        db = sqlite3.connect(folder / "crawl.db")
        db.executescript(sql)
        db.close()

    def forget_texts(self, folder):
        """What a migration from a version without the index, or --no-index, leaves."""
        self.change(folder, "DELETE FROM page_text; DELETE FROM index_segments; DELETE FROM "
                            "postings; DELETE FROM index_terms; DELETE FROM page_weights; "
                            "DELETE FROM crawl_state WHERE key LIKE 'index.%'; "
                            "UPDATE pages SET relevance_score = NULL")

    def assert_same_index(self, expected, found, what=""):
        left, right = harness.Catalogue(expected), harness.Catalogue(found)
        for part in ("terms", "indexed"):
            self.assertEqual(left.state()[part], right.state()[part], f"{what}: {part}")
        self.assertEqual(left.rows(TEXTS), right.rows(TEXTS), what)
        wanted, got = self.answers(expected), self.answers(found)
        for question in QUESTIONS:
            self.assertEqual(wanted[question], got[question], f"{what}: {question}")

    def test_the_index_is_that_of_the_crawl(self):
        with harness.PageServer(site()) as server:
            indexed = self.crawl(server.url(), "indexed")
            plain = self.crawl(server.url(), "plain", "--no-index")
        self.assertEqual(harness.Catalogue(plain).value("SELECT count(*) FROM page_text"), 0)
        self.assert_verified(plain)
        self.assertIn(b"warc/revisit", (plain / "warc" / "crawl-00001.cdxj").read_bytes())
        done = self.crawler.run("search", plain, "otter", "--json", check=NOT_READY)
        self.assertEqual(json.loads(done.stdout)["error"], "not_ready")
        self.assertIn("crawler index", done.stderr)
        outcome, _ = self.index(plain)
        self.assertEqual(outcome["unreadable"] + outcome["unarchived"], 0)
        self.assertEqual(outcome["from_archive"], outcome["pages"])
        self.assertEqual(outcome["unindexed"], 2)  # Those that ask not to be.
        self.assert_same_index(indexed, plain)
        self.assertTrue(all(self.answers(plain)[question] for question in QUESTIONS))
        self.assert_verified(plain)
        again, _ = self.index(plain)
        self.assertEqual((again["from_archive"], again["rank_iterations"]), (0, 0))
        self.assertTrue(outcome["rank_converged"])

    def test_a_damaged_index_is_made_again(self):
        with harness.PageServer(site()) as server:
            whole = self.crawl(server.url(), "whole")
        damages = {
            "far": ("UPDATE index_segments SET last_page = 300000000", "contradict their pages"),
            "negative": ("UPDATE index_segments SET last_page = -1", "contradict their pages"),
            "garbage": ("UPDATE postings SET docs = zeroblob(50), document_freq = 9",
                        "postings that cannot be read"),
            "no segments": ("DELETE FROM index_segments", "segments that are not there"),
            "no trace": ("DELETE FROM index_segments; DELETE FROM postings", "are in no segment"),
            "no postings": ("DELETE FROM postings", "have lost postings"),
            "no terms": ("DELETE FROM index_terms", "terms that index_terms does not have"),
            "no weights": ("DELETE FROM page_weights", "pages without a row in page_weights"),
            "text": ("UPDATE page_text SET text = randomblob(100) WHERE page_id IN (3, 5)",
                     "texts of pages that cannot be read: 2, the first is http://"),
        }
        self.assert_verified(whole)
        for name, (sql, problem) in damages.items():
            folder = self.copy(whole, name)
            self.change(folder, sql)
            done = self.crawler.run("verify", folder, "--json", check=FAILED)
            said = [text for text in json.loads(done.stdout)["problems"] if problem in text]
            self.assertEqual(len(said), 1, f"{name}: {done.stdout}")
            self.assertIn("`crawler index --rebuild`", said[0])
            done = self.crawler.run("search", folder, "otter", "--json", check=None)
            answer = json.loads(done.stdout)  # Something, and no crash.
            if name in ("far", "negative", "garbage"):
                self.assertIn("--rebuild", answer["message"], name)
            if name == "text":  # One text is not the whole answer.
                self.assertEqual(answer["total"], self.found(whole, "otter")["total"])
            self.index(folder, "--rebuild")
            self.assert_same_index(whole, folder, name)
            self.assert_verified(folder)

    def found(self, folder, question):
        return json.loads(self.crawler.run("search", folder, question, "--json").stdout)

    def test_a_folder_that_may_not_be_written(self):
        if os.getuid() != 0:
            self.skipTest("only root can become somebody who may not write")
        with harness.PageServer(site()) as server:
            folder = self.crawl(server.url(), "locked # 1%")
        for left in folder.glob("crawl.db-*"):
            left.unlink()
        self.base.chmod(0o755)
        folder.chmod(0o555)
        for arguments in (["search", folder, "otter"], ["status", folder],
                          ["explain", folder, server.url()], ["keywords", folder, server.url()]):
            done = subprocess.run(["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups",
                                   self.crawler.program, *map(str, arguments)],
                                  capture_output=True, text=True, timeout=60)
            self.assertEqual(done.returncode, 0, f"{arguments}: {done.stderr}")

    def test_a_copy_of_a_page_that_was_visited_often_since(self):
        # A hundred rounds later its original has as many captures, none of which has the content.
        with harness.PageServer(site()) as server:
            plain = self.crawl(server.url(), "plain", "--no-index")
        indexed = self.copy(plain, "indexed")
        self.index(indexed)
        self.change(plain, """
            WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100)
            INSERT INTO visits(url_id, at, final, outcome, failures, priority, bytes, warc_file,
                               warc_offset, warc_length)
            SELECT p.duplicate_of, 1, 0, 'unchanged', 0, 0, 0, p.warc_file, p.warc_offset,
                   p.warc_length FROM pages p, n WHERE p.duplicate_of IS NOT NULL""")
        outcome, _ = self.index(plain)
        self.assertEqual(outcome["unreadable"], 0)
        self.assert_same_index(indexed, plain)

    def test_texts_that_are_missing_between_others(self):
        with harness.PageServer(site()) as server:
            indexed = self.crawl(server.url(), "indexed")
        all_rows = "SELECT * FROM page_text ORDER BY page_id"
        expected = harness.Catalogue(indexed).rows(all_rows)
        for number, where in enumerate(("1", "page_id % 3 = 1", "page_id = 1", "page_id > 9")):
            folder = self.copy(indexed, f"copy-{number}")
            if where == "1":
                self.forget_texts(folder)
            else:
                self.change(folder, f"DELETE FROM page_text WHERE {where}")
            self.index(folder)
            self.assertEqual(harness.Catalogue(folder).rows(all_rows), expected, where)
            self.assert_same_index(indexed, folder, where)
            self.assert_verified(folder)

    def test_a_crawl_that_goes_on_without_an_index(self):
        with harness.PageServer(site()) as server:
            indexed = self.crawl(server.url(), "indexed")
            plain = self.crawl(server.url(), "plain", "--no-index", "--max-pages", "5")
            self.assertEqual(self.index(plain)[0]["from_archive"], 5)
            self.crawler.run("resume", plain, "--quiet", "--max-pages", "0")
        self.index(plain)
        self.assert_same_index(indexed, plain)

    def test_kills(self):
        web = self.web("1 pages=1500 links=6 copies=40 gzip=1 noindex-every=9")
        plain = self.crawl(web.url(), "plain", "--no-index")
        reference = self.copy(plain, "reference")
        memory = ("--max-ram", "4000000")
        outcome, _ = self.index(reference, *memory)
        texts = 0
        for _ in range(4):  # Each gets further than the one before by a commit or more.
            process = self.crawler.start("index", plain, *memory)
            before = texts
            while texts == before and process.poll() is None:
                time.sleep(0.002)
                texts = harness.Catalogue(plain).value("SELECT count(*) FROM page_text")
            process.send_signal(signal.SIGKILL)
            process.communicate()
            if before == 0:
                self.assertTrue(0 < texts < outcome["pages"], "no kill came in the middle")
        last, _ = self.index(plain, *memory)
        self.assertEqual(last["pages"], outcome["pages"])
        self.assert_same_index(reference, plain)
        self.assert_verified(plain)

    def test_without_an_archive(self):
        with harness.PageServer(site()) as server:
            folder = self.crawl(server.url(), "none", "--no-index", "--no-warc")
        outcome, said = self.index(folder, check=FAILED)
        self.assertEqual((outcome["pages"], outcome["from_archive"]), (0, 0))
        self.assertGreater(outcome["unarchived"], 10)
        self.assertIn("--no-warc", said)

    def test_damaged_records(self):
        with harness.PageServer(site()) as server:
            indexed = self.crawl(server.url(), "indexed")
            url = server.url("/lynx")
        where = harness.Catalogue(indexed).rows(
            "SELECT warc_offset, warc_length, id FROM pages WHERE url = ?", url)[0]
        folder = self.copy(indexed, "damaged")
        self.forget_texts(folder)
        archive = folder / "warc" / "crawl-00001.warc.gz"
        sound = archive.read_bytes()
        damaged = bytearray(sound)
        damaged[where[0] + where[1] // 2] ^= 0x55
        archive.write_bytes(damaged)
        outcome, said = self.index(folder, check=FAILED)
        self.assertEqual(outcome["unreadable"], 1)
        self.assertIn(f"{url} is not indexed: crawl-00001.warc.gz: ", said)
        self.assertIn(str(where[0]), said)
        self.assertEqual(self.answers(folder)["otter"].keys(),
                         self.answers(indexed)["otter"].keys())
        segments = "SELECT * FROM index_segments ORDER BY id"
        before = harness.Catalogue(folder).rows(segments)
        self.index(folder, check=FAILED)  # Once more in vain changes nothing.
        self.assertEqual(harness.Catalogue(folder).rows(segments), before)
        archive.write_bytes(sound)
        self.assertEqual(self.index(folder)[0]["from_archive"], 1)
        self.assert_same_index(indexed, folder)
        # A record of another page in its place, and no file at all.
        self.forget_texts(folder)
        self.change(folder, "UPDATE pages SET (warc_offset, warc_length) = (SELECT warc_offset, "
                            f"warc_length FROM pages WHERE url LIKE '%/text') WHERE id = {where[2]}")
        self.assertIn("is not of this page", self.index(folder, check=FAILED)[1])
        self.forget_texts(folder)
        archive.unlink()
        outcome, said = self.index(folder, check=FAILED)
        self.assertEqual(outcome["pages"], 0)
        self.assertIn("cannot open", said)


if __name__ == "__main__":
    harness.main(__doc__)
