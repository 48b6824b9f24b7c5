"""crawler diff: the pages of two crawls."""
import csv
import io
import json
import sqlite3
import subprocess

import harness

HTML = {"Content-Type": "text/html; charset=utf-8"}
LINKS = b"".join(b"<a href='/%s'>x</a>" % p for p in (b"same", b"edited", b"old", b"new", b"gone",
                                                      b"cut", b"fresh"))
BEFORE = {"/": (HTML, LINKS), "/same": (HTML, b"<title>Same</title>same"),
          "/edited": (HTML, b"<title>Edited</title>one"), "/old": (HTML, b"<title>M</title>moves"),
          "/gone": (HTML, b"<title>Gone</title>gone"), "/cut": (HTML, b"cut " * 50)}
AFTER = {"/": (HTML, LINKS), "/same": BEFORE["/same"],
         "/edited": (HTML, b"<title>=1+1</title>two!"), "/new": BEFORE["/old"],
         "/cut": (HTML, b"cut "), "/fresh": (HTML, b"<title>Fresh</title>fresh")}


class Diff(harness.Case):
    def setUp(self):
        super().setUp()
        self.before, self.after = self.base / "before", self.base / "after"
        pages = dict(BEFORE)
        with harness.PageServer(pages) as server:
            self.url = server.url
            for folder, there in ((self.before, BEFORE), (self.after, AFTER)):
                pages.clear()
                pages.update(there)
                self.crawler.run("crawl", server.url(), "--out", folder, *harness.QUICK)
        # As if the connection had ended before the page did.
        with sqlite3.connect(self.after / "crawl.db") as db:
            db.execute("UPDATE pages SET truncated = 'disconnect' WHERE url LIKE '%/cut'")
        db.close()

    def diff(self, *options, check=0):
        return self.crawler.run("diff", self.before, self.after, *options, check=check)

    def test_new_changed_gone_and_moved(self):
        lines = self.diff("--format", "jsonl").stdout.splitlines()
        rows = [json.loads(line) for line in lines]
        url = self.url
        self.assertEqual(
            [(r["change"], r["url"], r["moved_from"], r["size_before"], r["size_after"])
             for r in rows],
            [("changed", url("/edited"), None, 24, 23), ("new", url("/fresh"), None, None, 25),
             ("gone", url("/gone"), None, 23, None), ("moved", url("/new"), url("/old"), None, 21)])
        text = subprocess.run([self.crawler.program, "diff", str(self.before), str(self.after)],
                              check=True, capture_output=True).stdout.decode()
        in_csv = list(csv.DictReader(io.StringIO(text, newline="")))
        self.assertEqual([(r["change"], r["url"]) for r in in_csv],
                         [(r["change"], r["url"]) for r in rows])
        self.assertEqual(in_csv[0]["title"], "'=1+1")
        self.assertIn("moved", self.diff("--format", "table").stdout)
        same = self.crawler.run("diff", self.before, self.before, "--format", "jsonl")
        self.assertEqual(same.stdout, "")

    def test_pages_that_an_unfinished_crawl_has_not_reached(self):
        """Only what the later crawl has asked for can be gone."""
        pages = dict(AFTER)
        with harness.PageServer(pages) as server:
            short = self.base / "short"
            before = self.base / "first"
            pages.update(BEFORE)
            self.crawler.run("crawl", server.url(), "--out", before, *harness.QUICK)
            pages.clear()
            pages.update(AFTER)
            pages["/same"] = (HTML, b"x", 503)
            self.crawler.run("crawl", server.url(), "--out", short, "--max-pages", "1",
                             "--order", "bfs", *harness.QUICK)
            rows = self.changes(before, short)
            self.assertEqual(set(rows.values()), {"not reached"}, rows)
            self.crawler.run("resume", short, "--max-pages", "0", "--retries", "0", check=None)
            rows = self.changes(before, short)
            self.assertEqual((rows[server.url("/gone")], rows[server.url("/same")]),
                             ("gone", "not reached"))

    def changes(self, before, after):
        done = self.crawler.run("diff", before, after, "--format", "jsonl")
        rows = [json.loads(line) for line in done.stdout.splitlines()]
        return {row["url"]: row["change"] for row in rows}

    def test_text_of_a_round(self):
        pages = dict(BEFORE)
        with harness.PageServer(pages) as server:
            folder = self.base / "rounds"
            self.crawler.run("crawl", server.url(), "--out", folder, *harness.QUICK)
            self.assertIn("has one round", self.crawler.run("diff", folder, "--text", check=1).stderr)
            pages.clear()
            pages.update(AFTER)
            self.crawler.run("recrawl", folder, "--quiet")
            text = self.crawler.run("diff", folder, "--text").stdout
            self.assertIn(server.url("/edited") + "\n", text)
            self.assertIn("-one", text)
            self.assertIn("+two!", text)
            self.assertNotIn(server.url("/same"), text)
            for words in (["--round", "2"], [server.url("/edited")], ["/edited"]):
                one = self.crawler.run("diff", folder, "--text", *words).stdout
                self.assertIn("-one", one)
            self.assertIn("did not change", self.crawler.run("diff", folder, "--text", "/same",
                                                             check=1).stderr)
            self.crawler.run("diff", folder, "--text", "--round", "3", check=2)
            self.crawler.run("diff", folder, folder, "--round", "2", check=2)

    def test_text_of_changed_pages(self):
        self.assertEqual(self.diff("--text").stdout,
                         f"{self.url('/edited')}\n@@ -1,1 +1,1 @@\n-one\n+two!\n")
        self.assertEqual(self.diff("/edited", "--text").stdout, self.diff("--text").stdout)
        # A page that was cut is no change, but it can be asked for.
        self.assertIn("-cut cut", self.diff("--text", "/cut").stdout)
        self.assertEqual(self.diff("--text", self.url("/same")).stdout,
                         f"{self.url('/same')}\nThe text is the same.\n")
        self.assertIn("is not a page of both", self.diff("--text", "/gone", check=1).stderr)
        self.diff("--text", "mailto:x", check=2)
        self.diff("/edited", check=2)
        self.diff("--text", "--format", "csv", check=2)

    def test_text_of_hostile_and_damaged_pages(self):
        pages = {"/": (HTML, b"<p>safe<p>\xe2\x80\xaeevil \xc2\x9b2J"), "/robots.txt": (HTML, b"", 404)}
        folders = [self.base / name for name in ("one", "two", "three")]
        with harness.PageServer(pages) as server:
            for folder, rest in zip(folders, (b"<p>a", b"<p>b", b"<p>line" * 5000)):
                pages["/"] = (HTML, pages["/"][1] + rest)
                self.crawler.run("crawl", server.url(), "--out", folder, *harness.QUICK)
        one, two, three = folders
        text = self.crawler.run("diff", one, two, "--text").stdout
        self.assertIn("\n \\u202eevil \\xc2\\x9b2J\n", text)
        self.assertTrue(text.endswith(" a\n+b\n"), text)
        self.assertIn("Too different: 4 lines before, 5004 after.",
                      self.crawler.run("diff", two, three, "--text").stdout)
        # Without the archive the index has the text; without both there is none.
        for warc in (two / "warc").glob("*.warc.gz"):
            warc.write_bytes(b"damaged")
        self.assertEqual(self.crawler.run("diff", one, two, "--text").stdout, text)
        with sqlite3.connect(two / "crawl.db") as db:
            db.execute("DELETE FROM page_text")
        db.close()
        self.assertIn("No text to compare: ",
                      self.crawler.run("diff", one, two, "--text").stdout)

    def test_bad_input(self):
        self.crawler.run("diff", self.before, self.base / "none", "--text", check=1)
        self.crawler.run("diff", self.before, self.base / "none", check=1)
        self.crawler.run("diff", self.base / "none", self.after, check=1)
        self.assertIn("No space left", self.diff("-o", "/dev/full", check=4).stderr)
        with sqlite3.connect(self.after / "crawl.db") as db:
            db.execute("PRAGMA user_version = 1000")
        db.close()
        self.assertIn("newer version", self.diff(check=4).stderr)
        (self.after / "crawl.db").write_text("no database " * 100)
        self.assertIn("crawl.db", self.diff(check=4).stderr)


if __name__ == "__main__":
    harness.main(__doc__)
