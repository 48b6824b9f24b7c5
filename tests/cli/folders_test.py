#!/usr/bin/env python3
"""folders_test.py CRAWLER: the same mistake with a folder has the same exit code in every command.

A missing folder, an empty one, a file in its place, a catalogue of a newer version, one that another
program has locked, and a crawl that runs: a clear message, the documented exit code, nothing changed.
"""
import pathlib
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import threading
import unittest

from site_server import Answer, Site

CRAWLER = sys.argv.pop(1)
OK, FAILED, USAGE, STORAGE, BUSY, NOT_READY = 0, 1, 2, 4, 5, 6
QUICK = ["--allow-net", "127.0.0.0/8", "--delay", "0", "-q"]


def commands(folder, url):
    """Every command that takes the folder of a crawl: those that read it, and those that change it."""
    reading = {
        "status": [folder], "explain": [folder, url], "verify": [folder],
        "export": [folder, "pages"], "sql": [folder, "SELECT count(*) FROM pages"],
        "diff": [folder, folder], "show": [folder, url],
        "extract": [folder, "--into", str(folder) + "-files"], "report": [folder],
        "search": [folder, "words"], "similar": [folder, url], "keywords": [folder, url],
        "suggest": [folder, "w"],
    }
    changing = {"resume": [folder], "retry": [folder], "recrawl": [folder], "index": [folder]}
    return reading, changing


class Folders(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.base = pathlib.Path(tempfile.mkdtemp(prefix="crawler-folders-"))
        cls.addClassCleanup(shutil.rmtree, cls.base, ignore_errors=True)
        cls.whole = cls.base / "whole"
        page = Answer(body=b"<title>A page</title>words of a page <a href=/2>next</a>")
        with Site({"/": page, "/2": page}) as site:
            cls.url = site.url()
            subprocess.run([CRAWLER, "crawl", cls.url, "--out", cls.whole, *QUICK], check=True,
                           stdout=subprocess.DEVNULL)

    def copy(self, name):
        folder = self.base / name
        shutil.copytree(self.whole, folder)
        return folder

    def run_all(self, folder, groups):
        """All commands at once, since those that meet a lock wait for it. Returns code and stderr."""
        started = {name: subprocess.Popen([CRAWLER, name, *arguments], stdout=subprocess.DEVNULL,
                                          stderr=subprocess.PIPE, text=True)
                   for group in groups for name, arguments in group.items()}
        done = {}
        for name, process in started.items():
            errors = process.communicate(timeout=120)[1]
            done[name] = (process.returncode, errors)
        return done

    def check(self, folder, codes, words):
        groups = commands(folder, self.url)
        for name, (code, errors) in self.run_all(folder, groups).items():
            with self.subTest(folder=folder.name, command=name):
                self.assertEqual(code, codes if isinstance(codes, int) else codes[name], errors)
                if code != OK and errors + name != "suggest":  # Which may just find nothing.
                    self.assertRegex(errors, f"(?m)^crawler {name}: .*({words})")

    def test_every_command_that_takes_a_folder_is_tried(self):
        listed = subprocess.run([CRAWLER, "help", "--markdown"], capture_output=True, text=True,
                                check=True).stdout
        with_folder = {section.split()[0] for section in listed.split("\n## crawler ")[1:]
                       if f"    crawler {section.split()[0]} DIR" in section}
        reading, changing = commands(self.base, self.url)
        self.assertEqual(with_folder, set(reading) | set(changing))

    def test_no_crawl(self):
        empty, file = self.base / "empty", self.base / "file"
        empty.mkdir()
        file.write_text("not a folder")
        self.check(self.base / "missing", FAILED, "there is no such folder")
        self.check(empty, FAILED, "no crawl.db")
        self.check(file, FAILED, "that is no folder")
        self.assertEqual(list(empty.iterdir()), [])
        self.assertEqual(file.read_text(), "not a folder")
        self.assertFalse((self.base / "missing").exists())

    def test_newer_version(self):
        folder = self.copy("newer")
        with sqlite3.connect(folder / "crawl.db") as db:
            db.execute("PRAGMA user_version = 999")
        db.close()
        before = (folder / "crawl.db").read_bytes()
        self.check(folder, STORAGE, "newer version of this program")
        self.assertEqual((folder / "crawl.db").read_bytes(), before)

    def test_locked(self):
        folder = self.copy("locked")
        db = sqlite3.connect(folder / "crawl.db", isolation_level=None)
        db.execute("PRAGMA locking_mode = EXCLUSIVE")
        db.execute("BEGIN EXCLUSIVE")
        self.check(folder, BUSY, "locked")
        db.close()
        self.assertEqual(subprocess.run([CRAWLER, "verify", folder], capture_output=True).returncode,
                         OK)

    def test_running(self):
        gate = threading.Event()

        def answer(path):
            if path == "/":
                return Answer(body=b"<title>A page</title>words <a href=/slow>slow</a>")
            if path == "/slow":
                gate.wait(60)
            return None

        folder = self.base / "running"
        with Site(answer) as site:
            crawl = subprocess.Popen([CRAWLER, "crawl", site.url(), "--out", folder,
                                      "--no-sitemaps", *QUICK], stdout=subprocess.DEVNULL)
            try:
                for _ in range(600):
                    done = subprocess.run([CRAWLER, "sql", folder, "SELECT count(*) FROM pages"],
                                          capture_output=True, text=True)
                    if done.stdout.split()[-1:] == ["1"]:
                        break
                    threading.Event().wait(0.1)
                url, type(self).url = self.url, site.url()
                self.addCleanup(setattr, type(self), "url", url)
                reading, changing = commands(folder, site.url())
                codes = {name: OK for name in reading} | {name: BUSY for name in changing}
                codes |= {"verify": BUSY, "search": NOT_READY, "similar": NOT_READY,
                          "keywords": NOT_READY, "suggest": FAILED}
                self.check(folder, codes, "process|index|in use")
            finally:
                gate.set()
                self.assertEqual(crawl.wait(timeout=120), OK)

    def test_a_full_disk_is_4_in_every_command_that_prints(self):
        reading, _ = commands(self.whole, self.url)
        with open("/dev/full", "w") as full:
            for name, arguments in reading.items():
                if name == "extract":
                    continue  # Writes files.
                for json in ([], ["--json"] if name in ("status", "explain", "report", "search") else []):
                    with self.subTest(command=name, json=json):
                        done = subprocess.run([CRAWLER, name, *arguments, *json], stdout=full,
                                              stderr=subprocess.PIPE, text=True)
                        words = "No space left on device|cannot be written"
                        if name != "diff":  # Without a difference there is nothing to print but a head.
                            self.assertEqual(done.returncode, STORAGE, done.stderr)
                            self.assertRegex(done.stderr, words)

    def test_nobody_reads(self):
        reading, _ = commands(self.whole, self.url)
        for name in ("export", "report", "show", "sql"):
            process = subprocess.Popen([CRAWLER, name, *reading[name]], stdout=subprocess.PIPE,
                                       stderr=subprocess.PIPE, text=True)
            process.stdout.close()
            errors = process.stderr.read()
            process.stderr.close()
            self.assertEqual(process.wait(timeout=60), FAILED, (name, errors))


if __name__ == "__main__":
    unittest.main()
