"""A crawl in a control group with a memory limit, as a container has one. It ends by itself before the
kernel kills it, or is killed; either way commits are kept, and a resume with more memory completes it.
Skipped where no such group can be made."""
import os
import pathlib
import signal
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "e2e"))
import harness

EXIT_NO_MEMORY = 8
MIB = 1 << 20
PAGES = 20
OPTIONS = [*harness.LOOPBACK, "--delay", "0.05", "--quiet", "--fetch-threads", "1"]


def page(number):
    # Memory grows by little from page to page, so the crawl sees the limit coming.
    words = " ".join(f"word{number}x{i}" for i in range(6_000))
    return ({"Content-Type": "text/html"},
            f'<title>{number}</title><a href="/{number + 1}">next</a><p>{words}</p>'.encode())


def memory_folder():
    """The folder of this process's control group with a limit of memory, and its version."""
    mounts = [line.split() for line in pathlib.Path("/proc/self/mountinfo").read_text().splitlines()]
    groups = [line.split(":", 2) for line in
              pathlib.Path("/proc/self/cgroup").read_text().splitlines()]
    for version in (1, 2):
        for fields in mounts:
            kind, options = fields[-3], fields[-1].split(",")
            if not (kind == "cgroup" and "memory" in options if version == 1 else kind == "cgroup2"):
                continue
            for _, controllers, path in groups:
                if ("memory" in controllers.split(",")) if version == 1 else controllers == "":
                    return pathlib.Path(fields[4] + path), version
    raise OSError("there are no control groups")


class Group:
    """A group below that of this process, which goes with the `with` block."""

    def __init__(self, limit):
        parent, self.version = memory_folder()
        self.folder = parent / f"crawler-test-{os.getpid()}-{limit}"
        self.folder.mkdir()
        try:
            name = "memory.limit_in_bytes" if self.version == 1 else "memory.max"
            (self.folder / name).write_text(str(limit))
        except OSError:
            self.__exit__()
            raise

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for _ in range(100):  # The kernel may be a moment behind the end of a process.
            try:
                self.folder.rmdir()
                return
            except OSError:
                time.sleep(0.05)

    def join(self):
        (self.folder / "cgroup.procs").write_text(str(os.getpid()))


class MemoryGroupTest(harness.Case):
    def setUp(self):
        super().setUp()
        try:
            with Group(64 * MIB):
                pass
        except OSError as error:
            self.skipTest(f"no control group with a memory limit can be made: {error}")

    def limited(self, limit, *command):
        with Group(limit) as group:
            return subprocess.run([self.crawler.program, *map(str, command)], capture_output=True,
                                  text=True, timeout=120, preexec_fn=group.join)

    def test_a_crawl_ends_and_goes_on(self):
        codes = []
        with harness.PageServer({"/" if n == 0 else f"/{n}": page(n) for n in range(PAGES)}) as server:
            for limit in (10, 36, 40, 400):
                out = self.base / f"crawl{limit}"
                done = self.limited(limit * MIB, "crawl", server.url(), "--out", out, *OPTIONS)
                codes.append(done.returncode)
                self.assertIn(done.returncode, (0, EXIT_NO_MEMORY, -signal.SIGKILL), done.stderr)
                if done.returncode == EXIT_NO_MEMORY:
                    self.assertIn("control group", done.stdout + done.stderr)
                before = self.pages(out)
                self.complete(out, server)
                self.assertLessEqual(before, self.pages(out))
        self.assertEqual(codes[-1], 0, "there is enough")
        self.assertIn(EXIT_NO_MEMORY, codes)

    def pages(self, out):
        return harness.Catalogue(out).pages() if (out / "crawl.db").exists() else set()

    def complete(self, out, server):
        """Without the limit: all pages, and nothing is wrong."""
        if (out / "crawl.db").exists():
            self.assert_verified(out)
            self.crawler.run("resume", out, "--quiet")
        else:
            self.crawler.run("crawl", server.url(), "--out", out, *OPTIONS)
        self.assertEqual(len(harness.Catalogue(out).pages()), PAGES)
        self.assert_verified(out)


if __name__ == "__main__":
    harness.main(__doc__)
