#!/usr/bin/env python3
"""What may happen to a crawl from outside: signals, a second crawler, a full disk, damaged files.

SIGINT and SIGTERM stop, commit, say how to resume, exit 0; a second signal stops at once
and is still safe; a full disk or a failing database has a clear message and an exit code of its
own; after any of it a resume comes to the catalogue of an undisturbed crawl, and verify is clean.
"""
import os
import random
import re
import shutil
import signal
import sqlite3
import subprocess
import time

import harness

GRAPH = ["1 pages=250 links=6 cross=1 copies=2 missing=2 redirects=2 gzip=1",
         "2 pages=150 links=5 cross=1 robots=200 disallow=/p/7 sitemap=plain listed=10"]
LATENCY = ["--latency", "15"]  # So that a crawl lasts long enough to be disturbed.
OPTIONS = harness.QUICK + ["--scope", "web", "--max-per-domain", "0", "--connections", "8"]
EXIT_USAGE, EXIT_STORAGE, EXIT_BUSY = 2, 4, 5


class Disturbed(harness.Case):
    def crawl(self, web, out=None, *more):
        return ["crawl", web.url(1), "--out", out or self.out, *OPTIONS, *more]

    def start_and_wait_for_pages(self, web, *command, pages=30):
        """Starts a crawl and waits until the server has answered some requests."""
        before = len(web.flush_log())
        process = self.crawler.start(*command)
        self.addCleanup(self.end, process)
        deadline = time.monotonic() + 60
        while len(web.flush_log()) < before + pages:
            self.assertLess(time.monotonic(), deadline, "the crawl does not begin")
            self.assertIsNone(process.poll(), "the crawl ended too soon")
        return process

    @staticmethod
    def end(process):
        if process.poll() is None:
            process.kill()
        process.communicate()

    def check_completes(self, web, *resume_options):
        """A resume finishes, asking for no committed page again; the catalogue is that of an
        undisturbed crawl; verify is clean."""
        committed = harness.Catalogue(self.out).pages()
        before = len(web.flush_log())
        totals = self.crawler.totals("resume", self.out, "--quiet", *resume_options)
        self.assertEqual(totals["outcome"], "finished")
        asked = {f"http://{r[3]}{r[5]}" for r in web.flush_log()[before:]}
        self.assertFalse(committed & asked)
        self.assert_verified()
        reference = self.base / "reference"
        self.crawler.run(*self.crawl(web, reference))
        found, expected = (harness.Catalogue(f).state() for f in (self.out, reference))
        for part in expected:
            self.assert_same(expected[part], found[part], part)
            self.assertEqual(len(expected[part]), len(found[part]), part)


class Signals(Disturbed):
    def check_signal(self, number):
        web = self.web(*GRAPH, options=LATENCY)
        command = [x for x in self.crawl(web) if x != "--quiet"]
        process = self.start_and_wait_for_pages(web, *command)
        process.send_signal(number)
        out, err = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 0, err)
        self.assertIn("Stopped on request", out)
        self.assertIn(f"crawler resume {self.out}", out)
        self.assertIn("stopping", err)
        self.assertTrue(harness.Catalogue(self.out).pages())
        status = self.crawler.run("status", self.out).stdout
        self.assertTrue(status.startswith("stopped"), status)
        self.check_completes(web)

    def test_sigterm(self):
        self.check_signal(signal.SIGTERM)

    def test_sigint(self):
        self.check_signal(signal.SIGINT)

    def test_a_second_signal_stops_at_once_and_is_safe(self):
        # What is under way would take longer than anybody wants to wait.
        web = self.web("1 pages=50 links=9 shape=star", "2 latency=15000 pages=3")
        process = self.start_and_wait_for_pages(
            web, "crawl", web.url(1), web.url(2), "--out", self.out, *harness.QUICK, pages=40)
        process.send_signal(signal.SIGINT)
        time.sleep(0.5)
        self.assertIsNone(process.poll(), "the first signal must wait for what is under way")
        start = time.monotonic()
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 0, err)
        self.assertLess(time.monotonic() - start, 4)  # The grace of the first is 5 s.
        self.assertIn("resume", out)
        self.assert_verified()
        answered = {f"http://{r[3]}{r[5]}" for r in web.flush_log() if r[5].startswith("/p/")}
        pages = harness.Catalogue(self.out).pages()
        self.assertGreater(len(pages), 30)
        self.assertFalse(answered - pages)

    def test_a_signal_ends_what_comes_before_a_resume(self):
        """What the index has lost is gathered first. That can be stopped, and what is done stays."""
        words = random.Random(1)
        pages = {"/": "".join(f'<a href="/{i}">x</a> ' for i in range(300))}
        for i in range(300):
            pages[f"/{i}"] = " ".join("".join(words.choices("abdegiklmnoprstuvz", k=6))
                                      for _ in range(300))
        with harness.PageServer({path: ({"Content-Type": "text/html"}, body.encode())
                                 for path, body in pages.items()}) as server:
            self.crawler.run("crawl", server.url(), "--out", self.out, *harness.QUICK,
                             "--max-ram", "4000000")
        catalogue = harness.Catalogue(self.out)
        before = catalogue.state()
        indexed = "SELECT coalesce(sum(pages), 0) FROM index_segments WHERE kind = 0"
        everything = catalogue.value(indexed)
        for _ in range(5):  # Until the signal comes in the middle.
            db = sqlite3.connect(self.out / "crawl.db")
            db.executescript("DELETE FROM index_segments; DELETE FROM postings; "
                             "DELETE FROM crawl_state WHERE key IN ('index.terms', 'index.ranks', "
                             "'index.anchors')")
            db.close()
            process = self.crawler.start("resume", self.out)
            while catalogue.value(indexed) == 0 and process.poll() is None:
                time.sleep(0.001)
            process.send_signal(signal.SIGINT)
            out, err = process.communicate(timeout=60)
            self.assertEqual(process.returncode, 0, err)
            if 0 < catalogue.value(indexed) < everything:
                break
        self.assertTrue(0 < catalogue.value(indexed) < everything, "no signal was in time")
        self.assertIn("Stopped on request", out)
        self.crawler.run("resume", self.out, "--quiet")
        self.assertEqual(catalogue.state(), before)
        self.assert_verified()


class Folders(Disturbed):
    def test_two_crawlers_on_one_folder(self):
        web = self.web(*GRAPH, options=["--latency", "60"])
        process = self.start_and_wait_for_pages(web, *self.crawl(web))
        for command in (["resume", self.out], self.crawl(web)):
            done = self.crawler.run(*command, check=EXIT_BUSY)
            self.assertIn(str(process.pid), done.stderr)
        done = self.crawler.run("verify", self.out, check=EXIT_BUSY)
        self.assertIn("is crawling in", done.stderr)
        self.assertEqual(process.wait(timeout=100), 0)
        self.check_completes(web)

    def test_crawl_into_an_existing_crawl(self):
        web = self.web("1 pages=3")
        self.crawler.run(*self.crawl(web))
        before = harness.Catalogue(self.out).state()
        done = self.crawler.run(*self.crawl(web), check=EXIT_USAGE)
        self.assertIn("crawler resume", done.stderr)
        self.assertEqual(harness.Catalogue(self.out).state(), before)

    def test_nothing_to_resume(self):
        empty = self.base / "empty"
        empty.mkdir()
        for folder in (self.base / "nowhere", empty):
            done = self.crawler.run("resume", folder, check=1)
            self.assertIn("there is no crawl in", done.stderr)
            for command in ("status", "verify"):
                self.crawler.run(command, folder, check=1)
            self.crawler.run("explain", folder, "http://127.0.0.1/", check=1)
        self.assertEqual(list(empty.iterdir()), [])
        self.assertFalse((self.base / "nowhere").exists())

    def test_a_catalogue_that_is_a_folder(self):
        (self.out / "crawl.db").mkdir(parents=True)
        web = self.web("1 pages=3")
        for command in (self.crawl(web), ["resume", self.out, "--quiet"],
                        ["recrawl", self.out, "--quiet"]):
            done = self.crawler.run(*command, check=EXIT_STORAGE)
            self.assertIn("crawl.db: is a folder", done.stdout + done.stderr, command)
        for command in (["status", self.out], ["verify", self.out], ["search", self.out, "x"],
                        ["index", self.out]):
            done = self.crawler.run(*command, check=None)
            self.assertNotEqual(done.returncode, 0, command)
            self.assertRegex(done.stdout + done.stderr, "crawl.db(: is a folder| is not a file)")

    def test_a_folder_that_cannot_be_made(self):
        web = self.web("1 pages=3")
        (self.base / "file").write_text("")
        done = self.crawler.run(*self.crawl(web, self.base / "file" / "crawl"), check=EXIT_USAGE)
        self.assertIn("cannot be made", done.stderr)
        self.assertIn("file/crawl", done.stderr)
        self.assertEqual(web.flush_log(), [])

    def test_finished_crawls_resume_to_nothing(self):
        web = self.web("1 pages=20")
        self.crawler.run(*self.crawl(web))
        requests = len(web.flush_log())
        totals = self.crawler.totals("resume", self.out, "--quiet")
        self.assertEqual((totals["outcome"], totals["pages"]), ("finished", 20))
        self.assertEqual(len(web.flush_log()), requests)

    def test_a_folder_of_an_older_version(self):
        web = self.web(*GRAPH)
        self.crawler.run(*self.crawl(web, None, "--max-pages", "100"))
        db = sqlite3.connect(self.out / "crawl.db")
        db.executescript(
            "DROP VIEW inlinks; DROP VIEW broken_links; DROP VIEW redirect_chains;"
            "DROP VIEW duplicate_titles; ALTER TABLE page_weights DROP COLUMN title_weight;"
            "DROP VIEW fates; DROP INDEX requeued_by_url; ALTER TABLE requeued RENAME TO promotions;"
            "CREATE INDEX promotions_by_url ON promotions(url_id);"
            "UPDATE crawl_state SET key = 'seed' WHERE key = 'hash_key';"
            "ALTER TABLE urls ADD COLUMN turned_away TEXT;"
            "UPDATE urls SET turned_away = 'scope: reach' WHERE skipped = 10;"
            "ALTER TABLE urls DROP COLUMN skipped; ALTER TABLE urls DROP COLUMN skip_detail;"
            "ALTER TABLE visits DROP COLUMN failure; ALTER TABLE visits DROP COLUMN host_id;"
            "ALTER TABLE visits DROP COLUMN given_up; DROP TABLE rounds; DROP TABLE removed_pages;"
            "UPDATE index_segments SET bytes = bytes - (SELECT sum(coalesce(length(words), 0))"
            " FROM postings WHERE segment = index_segments.id);"
            "ALTER TABLE visits DROP COLUMN change; ALTER TABLE visits DROP COLUMN retry_after_ms;"
            "ALTER TABLE pages DROP COLUMN h1; ALTER TABLE pages DROP COLUMN hreflang;"
            "ALTER TABLE pages DROP COLUMN headers;"
            "ALTER TABLE pages DROP COLUMN payload_hash; ALTER TABLE postings DROP COLUMN words;"
            "ALTER TABLE index_segments DROP COLUMN largest;"
            "CREATE VIEW fates AS SELECT 1; PRAGMA user_version = 2")
        db.close()
        self.assert_verified()
        self.check_completes(web, "--max-pages", "0")

    def test_a_folder_that_was_moved(self):
        web = self.web(*GRAPH)
        self.crawler.run(*self.crawl(web, None, "--max-pages", "100"))
        moved = self.base / "moved"
        self.out.rename(moved)
        self.out = moved
        self.assert_verified()
        self.check_completes(web, "--max-pages", "0")


class FewFiles(Disturbed):
    """The limit of open files is low."""

    def run_with(self, files, *command):
        return subprocess.run(
            ["prlimit", f"--nofile={files}", self.crawler.program, *map(str, command)],
            capture_output=True, text=True, timeout=100)

    def test_nothing_fails_for_want_of_descriptors(self):
        web = self.web(*(f"{host} pages=100 links=9 shape=star" for host in (1, 2, 3)),
                       options=["--latency", "30"])
        done = self.run_with(90, "crawl", web.url(1), web.url(2), web.url(3), "--out", self.out,
                             *harness.LOOPBACK, "--delay", "0", "--per-host", "100",
                             "--connections", "1000", "--fetch-threads", "2")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn("Fewer connections than asked for", done.stderr)
        self.assertEqual(len(harness.Catalogue(self.out).pages()), 300)
        self.assertEqual(harness.Catalogue(self.out).value("SELECT count(*) FROM dead_letters"), 0)
        self.assert_verified()

    def test_too_few_files_let_no_crawl_begin(self):
        web = self.web("1 pages=30")
        self.crawler.run(*self.crawl(web, None, "--max-pages", "5"))
        for files in (16, 24, 39, 40):
            done = self.run_with(files, "resume", self.out, "--quiet", "--max-pages", "7")
            if "invalid vptr" in done.stderr:
                self.skipTest("the sanitizer looks at memory through descriptors it cannot have")
            if files < 40:
                self.assertEqual(done.returncode, EXIT_STORAGE, f"{files}: {done.stdout}")
                self.assertIn("ulimit -n", done.stdout + done.stderr)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertEqual(len(harness.Catalogue(self.out).pages()), 7)
        self.check_completes(web, "--max-pages", "0")


class FullDisk(Disturbed):
    def setUp(self):
        super().setUp()
        disk = self.base / "disk"
        disk.mkdir()
        if os.geteuid() != 0 or subprocess.run(
                ["mount", "-t", "tmpfs", "-o", "size=2500k", "tmpfs", str(disk)],
                stderr=subprocess.DEVNULL).returncode != 0:
            self.skipTest("a disk to fill needs root and mount")
        self.addCleanup(subprocess.run, ["umount", str(disk)], check=True)
        self.disk = disk
        self.out = disk / "crawl"

    def test_full_disk(self):
        # It takes 3 s and more than 5 MB in all: the disk is full after the first commits.
        web = self.web(*(host + " bytes=3000" for host in GRAPH), options=["--latency", "50"])
        log = self.disk.parent / "log"
        done = self.crawler.run(*self.crawl(web, None, "--log", log), check=EXIT_STORAGE)
        self.assertRegex(done.stdout + done.stderr, "(?i)no space|disk is full|full")
        self.assertRegex(log.read_text(), r"ERROR .* Storage failed \{why=")
        self.assertIn("crawler resume", done.stdout)
        committed = harness.Catalogue(self.out)
        self.assertTrue(committed.pages())
        self.assert_verified()
        # The totals are those of what is there, not of what was done in vain.
        pages, waiting, urls = (
            int(n.replace(",", "")) for n in re.search(
                r"^  ([\d,]+) pages.*\n(?:.*\n)?  ([\d,]+) of ([\d,]+) known URLs still wait$",
                done.stdout, re.MULTILINE).groups())
        self.assertEqual(pages, len(committed.pages()))
        self.assertEqual(urls, committed.value("SELECT count(*) FROM urls"))
        self.assertEqual(waiting, committed.value("SELECT count(*) FROM fates WHERE fate = 'waiting'"))
        # Still full: it says so again, and does no harm.
        self.crawler.run("resume", self.out, "--quiet", check=EXIT_STORAGE)
        subprocess.run(["mount", "-o", "remount,size=64m", str(self.disk)], check=True)
        self.check_completes(web)


class Damage(Disturbed):
    def crawl_some(self):
        web = self.web(*GRAPH)
        self.crawler.run(*self.crawl(web, None, "--max-pages", "200"))
        self.assert_verified()
        return web

    def test_catalogue_overwritten(self):
        self.crawl_some()
        path = self.out / "crawl.db"
        intact = path.read_bytes()
        for start, junk in ((0, b"\xa5" * 4096), (100, b"\xff" * 60), (8192, b"\xa5" * 65536)):
            with self.subTest(start=start):
                path.write_bytes(intact[:start] + junk + intact[start + len(junk):])
                for command in (["verify", self.out], ["status", self.out],
                                ["explain", self.out, "http://127.0.0.1/"],
                                ["resume", self.out, "--quiet", "--max-pages", "0"]):
                    done = self.crawler.run(*command, check=None)
                    self.assertIn(done.returncode, (0, 1, 2, EXIT_STORAGE), done.stderr)
                    if command[0] == "verify":
                        self.assertEqual(done.returncode, 1)
                    if done.returncode:
                        self.assertRegex(done.stdout + done.stderr, "(?i)crawl.db|malformed|not a "
                                         "database|catalogue")

    def test_state_that_cannot_be_read(self):
        self.crawl_some()
        for key in ("hash_key", "options"):
            with self.subTest(key=key):
                db = sqlite3.connect(self.out / "crawl.db")
                with db:
                    db.execute("UPDATE crawl_state SET value = 'zz' WHERE key = ?", (key,))
                db.close()
                done = self.crawler.run("resume", self.out, "--quiet", check=EXIT_STORAGE)
                self.assertIn(f"the stored {key} of the crawl cannot be read", done.stderr)

    def test_catalogue_cut_short(self):
        self.crawl_some()
        path = self.out / "crawl.db"
        size = path.stat().st_size
        for kept in (size // 2, 5000, 10, 0):
            with self.subTest(kept=kept):
                os.truncate(path, kept)
                for command in ("verify", "status", "resume"):
                    done = self.crawler.run(command, self.out, check=None)
                    self.assertIn(done.returncode, (1, 2, EXIT_STORAGE) if command != "status"
                                  else (0, 1, EXIT_STORAGE), f"{command}: {done.stdout}{done.stderr}")

    def test_an_emptied_catalogue_is_not_ok(self):
        self.crawl_some()
        for name in ("crawl.db", "crawl.db-wal", "crawl.db-shm"):
            (self.out / name).unlink(missing_ok=True)
        (self.out / "crawl.db").touch()
        done = self.crawler.run("verify", self.out, check=1)
        self.assertIn("holds no crawl", done.stderr)
        for command in (["status", self.out], ["explain", self.out, "http://127.0.0.1/"]):
            self.assertIn("holds no crawl", self.crawler.run(*command, check=1).stderr)
        self.crawler.run("resume", self.out, "--quiet", check=None)  # Makes the tables.
        done = self.crawler.run("verify", self.out, check=1)
        self.assertIn("holds no crawl", done.stderr)

    def test_an_archive_without_its_catalogue_is_left_alone(self):
        web = self.crawl_some()
        warc = next((self.out / "warc").glob("*.warc.gz"))
        archived = warc.read_bytes()
        for empty in (False, True):
            with self.subTest(empty=empty):
                for name in ("crawl.db", "crawl.db-wal", "crawl.db-shm"):
                    (self.out / name).unlink(missing_ok=True)
                if empty:
                    (self.out / "crawl.db").touch()
                done = self.crawler.run(*self.crawl(web), check=EXIT_USAGE)
                self.assertIn("WARC files", done.stderr)
                self.assertEqual(warc.read_bytes(), archived)

    def test_a_resume_fetches_again_what_a_shorter_warc_has_lost(self):
        web = self.crawl_some()
        before = self.base / "before"
        shutil.copytree(self.out, before)
        reference = self.base / "reference"
        self.crawler.run(*self.crawl(web, reference))
        size = next((before / "warc").glob("*.warc.gz")).stat().st_size
        for kept in (size - 1, size // 2, 10, 0):
            with self.subTest(kept=kept):
                shutil.rmtree(self.out)
                shutil.copytree(before, self.out)
                warc = next((self.out / "warc").glob("*.warc.gz"))
                os.truncate(warc, kept)
                committed = harness.Catalogue(self.out).pages()
                asked_before = len(web.flush_log())
                done = self.crawler.run("resume", self.out, "--quiet", "--max-pages", "0")
                told = re.search(rf"{warc.name} is (\d+) bytes shorter than it was written; the "
                                 r"records of (\d+) pages", done.stderr)
                self.assertTrue(told, done.stderr)
                self.assertEqual(int(told[1]), size - kept)
                asked = {f"http://{r[3]}{r[5]}" for r in web.flush_log()[asked_before:]}
                self.assertEqual(len(committed & asked), int(told[2]))
                self.assert_verified()
                found, expected = (harness.Catalogue(f).state() for f in (self.out, reference))
                for part in expected:
                    self.assert_same(expected[part], found[part], part)
                    self.assertEqual(len(expected[part]), len(found[part]), part)

    def split_warc(self):
        """Makes two files of the first WARC file, each with about half of the captures."""
        first = next((self.out / "warc").glob("*.warc.gz"))
        content = first.read_bytes()
        db = sqlite3.connect(self.out / "crawl.db")
        with db:
            (middle,), = db.execute("SELECT min(warc_offset) FROM visits WHERE warc_offset > ?",
                                    (len(content) // 2,))
            for table in ("visits", "pages"):
                db.execute(f"UPDATE {table} SET warc_file = 2, warc_offset = warc_offset - ? WHERE "
                           "warc_offset >= ?", (middle, middle))
            db.execute("UPDATE crawl_state SET value = ? WHERE key = 'warc'",
                       (f"2 {len(content) - middle}",))
        db.close()
        first.with_name("crawl-00002.warc.gz").write_bytes(content[middle:])
        first.write_bytes(content[:middle])
        self.assert_verified()
        return first

    def test_a_resume_looks_at_every_warc_file(self):
        web = self.crawl_some()
        first = self.split_warc()
        before = self.base / "before"
        shutil.copytree(self.out, before)
        reference = self.base / "reference"
        self.crawler.run(*self.crawl(web, reference))
        size = first.stat().st_size
        for kept in (size // 2, 10, 0):
            with self.subTest(kept=kept):
                shutil.rmtree(self.out)
                shutil.copytree(before, self.out)
                os.truncate(first, kept)
                committed = harness.Catalogue(self.out).pages()
                asked_before = len(web.flush_log())
                done = self.crawler.run("resume", self.out, "--quiet", "--max-pages", "0")
                told = re.search(rf"{first.name} is \d+ bytes shorter than it was written; the "
                                 r"records of (\d+) pages", done.stderr)
                self.assertTrue(told, done.stderr)
                asked = {f"http://{r[3]}{r[5]}" for r in web.flush_log()[asked_before:]}
                self.assertEqual(len(committed & asked), int(told[1]))
                self.assert_verified()
                found, expected = (harness.Catalogue(f).state() for f in (self.out, reference))
                for part in expected:
                    self.assert_same(expected[part], found[part], part)
        shutil.rmtree(self.out)
        shutil.copytree(before, self.out)
        first.unlink()
        done = self.crawler.run("resume", self.out, "--quiet", check=EXIT_STORAGE)
        self.assertIn(f"{first.name} is missing", done.stdout + done.stderr)
        self.assertIn("--no-warc", done.stdout + done.stderr)

    def test_without_its_warc_a_crawl_says_what_to_do(self):
        self.crawl_some()
        next((self.out / "warc").glob("*.warc.gz")).unlink()
        done = self.crawler.run("resume", self.out, "--quiet", "--max-pages", "0",
                                check=EXIT_STORAGE)
        self.assertIn("is missing", done.stdout + done.stderr)
        self.assertIn("--no-warc", done.stdout + done.stderr)
        self.assertNotIn("To go on", done.stdout)
        self.crawler.run("resume", self.out, "--quiet", "--max-pages", "0", "--no-warc")

    def test_what_lies_behind_the_committed_warc_is_cut_off(self):
        web = self.crawl_some()
        warc = next((self.out / "warc").glob("*.warc.gz"))
        with open(warc, "ab") as file:
            file.write(b"\x1f\x8b half a record" * 100)
        self.assert_verified()
        self.check_completes(web, "--max-pages", "0")

    def test_a_warc_cut_before_its_committed_end_is_reported(self):
        self.crawl_some()
        warc = next((self.out / "warc").glob("*.warc.gz"))
        intact = warc.read_bytes()
        for cut in (len(intact) - 1, len(intact) // 2, 0):
            with self.subTest(cut=cut):
                warc.write_bytes(intact[:cut])
                done = self.crawler.run("verify", self.out, check=1)
                self.assertIn(warc.name, done.stdout + done.stderr)
        warc.unlink()
        self.crawler.run("verify", self.out, check=1)

    def test_a_warc_whose_bytes_were_changed_is_reported(self):
        self.crawl_some()
        warc = next((self.out / "warc").glob("*.warc.gz"))
        content = bytearray(warc.read_bytes())
        content[len(content) // 2] ^= 0x55
        warc.write_bytes(content)
        done = self.crawler.run("verify", self.out, check=1)
        self.assertIn(warc.name, done.stdout)

    def test_rows_that_contradict_each_other_are_reported(self):
        self.crawl_some()
        intact = (self.out / "crawl.db").read_bytes()
        for change in ("DELETE FROM pages WHERE id = 5",
                       "INSERT INTO visits(id, url_id, at, final, outcome, failures, priority, bytes) "
                       "SELECT 1000000, url_id, at, final, outcome, failures, priority, bytes "
                       "FROM visits WHERE outcome = 'page' LIMIT 1",
                       "UPDATE urls SET url = (SELECT url FROM urls WHERE id = 3) WHERE id = 4",
                       "DELETE FROM urls WHERE id = 7",
                       "UPDATE visits SET warc_offset = warc_offset + 1 WHERE id = 9",
                       "UPDATE page_links SET links = '[99999999]' WHERE rowid = 2"):
            with self.subTest(change=change):
                (self.out / "crawl.db").write_bytes(intact)
                db = sqlite3.connect(self.out / "crawl.db")
                with db:
                    self.assertGreater(db.execute(change).rowcount, 0)
                db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
                db.close()
                done = self.crawler.run("verify", self.out, check=None)
                self.assertEqual(done.returncode, 1, done.stdout)
                self.assertIn("not ok", done.stdout)


if __name__ == "__main__":
    harness.main(__doc__)
