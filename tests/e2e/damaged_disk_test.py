"""A bad disk: pages of crawl.db are overwritten. Every damage is found, no command crashes, and the
steps of docs/reliability.md bring the crawl back."""
import random
import shutil
import subprocess
import unittest

import harness

HOSTS = ["1 pages=150 links=6 bytes=900 copies=2 missing=2 redirects=3 gzip=1"]
ROUNDS = 6
PAGE_SIZE = 16384


class DamagedDiskTest(harness.Case):
    def setUp(self):
        super().setUp()
        self.server = self.web(*HOSTS)
        self.crawler.run("crawl", self.server.url(1), "--out", self.out, *harness.QUICK)
        self.pages = harness.Catalogue(self.out).pages()

    def damage(self, name, seed):
        """A copy of the crawl with a page of the database overwritten."""
        folder = self.base / name
        shutil.copytree(self.out, folder)
        rng = random.Random(seed)
        with open(folder / "crawl.db", "r+b") as file:
            pages = file.seek(0, 2) // PAGE_SIZE
            file.seek(rng.randrange(1, pages) * PAGE_SIZE)
            file.write(rng.choice([bytes(PAGE_SIZE), rng.randbytes(PAGE_SIZE)]))
        return folder

    def test_damage_is_found_and_crashes_nothing(self):
        for seed in range(ROUNDS):
            folder = self.damage(f"damaged{seed}", seed)
            self.crawler.run("verify", folder, check=1)
            for command in (["resume", folder, "--quiet"], ["search", folder, "copper"],
                            ["explain", folder, self.server.url(1)], ["index", folder, "--rebuild"]):
                done = self.crawler.run(*command, check=None)
                self.assertIn(done.returncode, (0, 1, 4, 6), (seed, command, done.stderr))

    @unittest.skipUnless(shutil.which("sqlite3"), "the sqlite3 program is not installed")
    def test_what_can_be_read_is_brought_back(self):
        version = harness.Catalogue(self.out).value("PRAGMA user_version")
        for seed in range(ROUNDS):
            folder = self.damage(f"recovered{seed}", seed)
            recovered = subprocess.run(
                ["sh", "-ec", f"""cd "$0" && mv crawl.db damaged.db && rm -f crawl.db-wal crawl.db-shm
                 (sqlite3 damaged.db .dump || true) 2>/dev/null |
                   sed 's/^ROLLBACK; -- due to errors$/COMMIT;/' | sqlite3 crawl.db
                 sqlite3 crawl.db 'PRAGMA user_version = {version}'""", folder],
                capture_output=True, text=True, timeout=60)
            self.assertEqual(recovered.returncode, 0, recovered.stderr)
            left = harness.Catalogue(folder).pages()
            self.assertGreater(len(left & self.pages), len(self.pages) // 3)
            self.crawler.run("recrawl", folder, "--quiet", check=None)
            self.crawler.run("index", folder, "--rebuild")
            self.assertEqual(harness.Catalogue(folder).pages(), self.pages)
            self.assert_verified(folder)


if __name__ == "__main__":
    harness.main(__doc__)
