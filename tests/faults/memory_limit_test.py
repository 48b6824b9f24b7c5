"""A crawl with too little memory (`ulimit -v`): it ends cleanly, keeps what was committed, and goes
on when there is more."""
import pathlib
import resource
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "e2e"))
import harness

EXIT_NO_MEMORY = 8
MB = 1 << 20
OPTIONS = [*harness.QUICK, "--fetch-threads", "1"]


def page(number):
    words = " ".join(f"word{number}x{i}" for i in range(4_000))
    links = "".join(f'<a href="/{number * 2 + i}">next</a>' for i in (1, 2) if number < 5)
    return {"Content-Type": "text/html"}, f"<title>{number}</title><p>{words}</p>{links}".encode()


class MemoryLimitTest(harness.Case):
    def limited(self, megabytes, *command):
        limit = megabytes * MB
        return subprocess.run(
            [self.crawler.program, *map(str, command)], capture_output=True, text=True, timeout=120,
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (limit, limit)))

    def least(self):
        """Megabytes in which the program starts at all."""
        return next(size for size in range(10, 1000, 10)
                    if self.limited(size, "--version").returncode == 0)

    def test_a_crawl_ends_cleanly_and_goes_on(self):
        codes = []
        with harness.PageServer({"/" if n == 0 else f"/{n}": page(n) for n in range(11)}) as server:
            least = self.least()
            # Addresses, not memory: much is reserved and never used.
            for more in (0, 20, 40, 400, 4000):
                out = self.base / f"crawl{more}"
                done = self.limited(least + more, "crawl", server.url(), "--out", out, *OPTIONS)
                codes.append(done.returncode)
                said = done.stdout + done.stderr
                self.assertIn(done.returncode, (0, EXIT_NO_MEMORY), (more, said))
                if done.returncode != 0:
                    self.assertRegex(said, "memory|thread")
                self.complete(out, server)
        self.assertIn(EXIT_NO_MEMORY, codes)
        self.assertIn(0, codes)

    def complete(self, out, server):
        """With enough memory: all pages, and nothing is wrong."""
        begun = False
        if (out / "crawl.db").exists():
            begun = self.crawler.run("verify", out, check=None).returncode == 0
        if begun:
            self.crawler.run("resume", out, "--quiet")
        else:
            self.crawler.run("crawl", server.url(), "--out", out, *OPTIONS)
        self.assertEqual(len(harness.Catalogue(out).pages()), 11)
        self.assert_verified(out)


if __name__ == "__main__":
    harness.main(__doc__)
