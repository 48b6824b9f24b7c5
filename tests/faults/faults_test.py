#!/usr/bin/env python3
"""Whole crawls of a small web in which calls of the system fail at random: memory, writes, fsync,
rename, open, sockets, threads, and clocks that jump (faults.c).

However a command ends, it must end by itself, with an exit code that it documents and a sentence;
`crawler verify` must find nothing; nothing that was committed may be lost or asked for again; and
once the faults are over, `crawler resume` must bring the crawl to the end of an undisturbed one.

The seed of a round that fails is printed; --seed SEED --rounds 1 repeats it.
"""
import collections
import errno
import math
import multiprocessing
import os
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "e2e"))
import harness

HOSTS = ["1 pages=60 links=6 bytes=900 cross=2 copies=3 missing=2 redirects=3 gzip=1",
         "2 pages=30 links=5 cross=2 robots=200 disallow=/p/7 sitemap=plain listed=9"]
LATENCY_MS = 3
WORD = "copper"
TIMEOUT_S = 60
# Quick to give up, because the web is not what is tested.
OPTIONS = harness.QUICK + ["--scope", "web", "--max-per-domain", "0", "--connections", "8",
                           "--per-address", "1000", "--per-domain", "1000", "--retry-delay", "0.05",
                           "--max-backoff", "0.2"]
ALL = ["--quiet", "--max-pages", "0"]
ERRORS = {
    "malloc": [errno.ENOMEM],
    "write": [errno.ENOSPC, errno.EIO, errno.EDQUOT],
    "sync": [errno.EIO, errno.ENOSPC],
    "rename": [errno.EIO, errno.ENOSPC, errno.EACCES],
    "open": [errno.EMFILE, errno.ENFILE, errno.EACCES, errno.EIO, errno.ENOSPC],
    "socket": [errno.EMFILE, errno.ENFILE, errno.ENOBUFS],
    "connect": [errno.ECONNREFUSED, errno.ENETUNREACH, errno.EADDRNOTAVAIL],
    "recv": [errno.ECONNRESET, errno.ETIMEDOUT],
    "send": [errno.EPIPE, errno.ECONNRESET],
    "thread": [errno.EAGAIN],
    "clock": [-365 * 86400, -3600, 5, 3600, 10 * 365 * 86400],  # Seconds.
}
# More often what is called more often, or matters more.
WEIGHTS = {"malloc": 12, "write": 6, "sync": 2, "rename": 1, "open": 3, "socket": 1, "connect": 1,
           "recv": 2, "send": 1, "thread": 2, "clock": 1}
NETWORK = {"socket", "connect", "recv", "send"}
# Exit codes, see apps/crawler/exit_codes.hpp.
CRAWL_CODES = {0, 1, 4, 7, 8}
READ_CODES = {0, 1, 4, 6, 8}


class Problem(Exception):
    pass


class Round:
    def __init__(self, seed, setup, base):
        self.seed, self.setup, self.base = seed, setup, base
        self.rng = random.Random(seed)
        self.folder = base / "crawl"

    def run(self):
        """Returns the kind of the fault, whether it came up, and the exit code."""
        shutil.rmtree(self.folder, ignore_errors=True)
        scenario = self.rng.choice(["crawl", "crawl", "resume", "resume", "resume", "recrawl", "index",
                                    "read"])
        command = self.command(scenario)
        kinds = self.setup.kinds or list(WEIGHTS)
        kind = self.rng.choices(kinds, [WEIGHTS[kind] for kind in kinds])[0]
        fault = self.fault(kind, self.setup.counts["start"][kind],
                           self.setup.counts[scenario][kind])
        self.what = f"{' '.join(map(str, command[:2]))} with FAULTS={fault}"
        before = self.setup.pages_before[scenario]
        requests = len(self.setup.web.flush_log())
        counts = self.base / "counts"
        counts.unlink(missing_ok=True)
        code, said = self.execute(command, {"FAULTS": fault, "FAULTS_COUNTS": str(counts)})
        self.check_end(scenario, code, said)
        if scenario in ("crawl", "resume"):
            self.check_requests(requests, before)
        committed = self.committed()
        if scenario != "recrawl" and set(before) - set(committed):
            raise Problem(f"lost {sorted(set(before) - set(committed))[:3]}")
        self.verify()
        requests = len(self.setup.web.flush_log())
        self.go_on(scenario, kind)
        if scenario in ("crawl", "resume"):
            self.check_requests(requests, committed)
        self.verify()
        if self.committed() != self.setup.pages:
            left, right = set(self.setup.pages), set(self.committed())
            raise Problem(f"other pages at the end: missing {sorted(left - right)[:3]}, too many "
                          f"{sorted(right - left)[:3]}, or other contents")
        lines = counts.read_text().splitlines() if counts.exists() else []
        hit = any(line.split()[0] == kind and int(line.split()[2]) > 0 for line in lines)
        return kind, hit, code

    def command(self, scenario):
        """Prepares the folder for `scenario`; what is run in it."""
        if scenario == "crawl":
            extra = self.rng.choice([[], ["--parse-threads", "2"], ["--durable"], ["--no-warc"],
                                     ["--fetch-threads", "1"]])
            return ["crawl", self.setup.web.url(1), "--out", self.folder, *OPTIONS, *extra]
        origin = self.setup.partial if scenario == "resume" else self.setup.complete
        shutil.copytree(origin, self.folder)
        if scenario == "read":
            name = self.rng.choice(["search", "search", "verify", "status", "explain", "keywords"])
            return {"search": ["search", self.folder, WORD],
                    "explain": ["explain", self.folder, self.setup.web.url(1)],
                    "keywords": ["keywords", self.folder, self.setup.web.url(1)]}.get(
                        name, [name, self.folder])
        if scenario == "index":
            return ["index", self.folder, "--rebuild"]
        return [scenario, self.folder, *ALL]

    def fault(self, kind, begin, end):
        """Seldom among the calls that read the command line, which end with the call `begin`."""
        calls = max(end - begin, 1)
        first = begin + (self.rng.randint(1, calls) if self.rng.random() < 0.6 else
                         int(math.exp(self.rng.random() * math.log(calls + 1))))
        if self.rng.random() < 0.1:
            first = self.rng.randint(1, max(begin, 1))
        count = self.rng.choice([1, 1, 1, self.rng.randint(2, 20), 0])
        if kind in NETWORK and count == 0:
            count = 50  # A network that never comes back is not what is tested.
        return f"{kind}:{max(first, 1)}:{count}:{self.rng.choice(ERRORS[kind])}"

    def execute(self, command, extra):
        environment = {**os.environ, "LD_PRELOAD": str(self.setup.preload), **extra}
        try:
            done = subprocess.run([self.setup.crawler.program, *map(str, command)], env=environment,
                                  capture_output=True, text=True, timeout=TIMEOUT_S, errors="replace")
        except subprocess.TimeoutExpired as expired:
            raise Problem(f"hangs: {expired.stderr!r}")
        return done.returncode, done.stdout + done.stderr

    def check_end(self, scenario, code, said):
        allowed = READ_CODES if scenario in ("index", "read") else CRAWL_CODES
        if code not in allowed:
            raise Problem(f"exit code {code}: {said[-1500:]}")
        if code != 0 and not said.strip():
            raise Problem(f"exit code {code} without a word")

    def check_requests(self, since, pages):
        """No page that was committed is asked for again."""
        asked = {f"http://{r[3]}{r[5]}" for r in self.setup.web.flush_log()[since:] if r[6] == "200"}
        again = asked & set(pages)
        if again:
            raise Problem(f"asked again: {sorted(again)[:3]}")

    def begun(self):
        try:
            return harness.Catalogue(self.folder).value(
                "SELECT count(*) FROM crawl_state WHERE key = 'hash_key'") == 1
        except Exception:  # There is no catalogue, or no table in it.
            return False

    def committed(self):
        if not self.begun():
            return {}
        return dict(harness.Catalogue(self.folder).rows("SELECT url, content_hash FROM pages"))

    def verify(self):
        if not self.begun():
            return
        done = self.setup.crawler.run("verify", self.folder, check=None)
        if done.returncode != 0:
            raise Problem(f"verify: {done.stdout[-1500:]}{done.stderr[-500:]}")

    def go_on(self, scenario, kind):
        """Without faults, to the end."""
        if scenario in ("read",):
            return
        if scenario == "index":
            self.expect(["index", self.folder])
            return
        if not self.begun():
            shutil.rmtree(self.folder, ignore_errors=True)
            self.expect(["crawl", self.setup.web.url(1), "--out", self.folder, *OPTIONS])
            return
        # What failed because of the network may have been given up.
        self.expect(["retry" if kind in NETWORK | {"open", "clock", "malloc"} else "resume",
                     self.folder, *ALL])

    def expect(self, command):
        done = self.setup.crawler.run(*command, check=None, timeout=TIMEOUT_S)
        if done.returncode != 0:
            raise Problem(f"afterwards `crawler {command[0]}` ends with {done.returncode}: "
                          f"{done.stdout[-1000:]}{done.stderr[-500:]}")


class Setup:
    """What the rounds of a process share: a web, crawls to begin with, numbers of calls."""

    def __init__(self, arguments, base, web):
        self.crawler = harness.Crawler(arguments.crawler)
        self.preload = arguments.preload
        self.kinds = arguments.kinds
        self.base = base
        self.web = web
        self.complete, self.partial = base / "complete", base / "partial"
        self.counts = {}
        self.measure("start", ["verify", base / "nothing"], code=1)
        self.measure("crawl", ["crawl", self.web.url(1), "--out", self.complete, *OPTIONS])
        self.crawler.run("crawl", self.web.url(1), "--out", self.partial, "--max-pages", "35",
                         *OPTIONS)
        copy = base / "copy"
        for scenario, origin in (("resume", self.partial), ("recrawl", self.complete),
                                 ("index", self.complete), ("read", self.complete)):
            shutil.rmtree(copy, ignore_errors=True)
            shutil.copytree(origin, copy)
            self.measure(scenario, {"index": ["index", copy, "--rebuild"],
                                    "read": ["search", copy, WORD]}.get(
                                        scenario, [scenario, copy, *ALL]))
        read = lambda folder: dict(harness.Catalogue(folder).rows(
            "SELECT url, content_hash FROM pages"))
        self.pages = read(self.complete)
        partial = read(self.partial)
        self.pages_before = {"crawl": {}, "resume": partial, "recrawl": {}, "index": self.pages,
                             "read": self.pages}

    def measure(self, scenario, command, code=0):
        """How many calls of each kind there are if none fails."""
        counts = self.base / "counts"
        environment = {**os.environ, "LD_PRELOAD": str(self.preload), "FAULTS_COUNTS": str(counts)}
        done = subprocess.run([self.crawler.program, *map(str, command)], env=environment,
                              capture_output=True, timeout=TIMEOUT_S)
        if done.returncode != code:
            raise Problem(f"{scenario} without faults: {done.stdout}{done.stderr}")
        self.counts[scenario] = {name: int(calls) for name, calls, _ in
                                 (line.split() for line in counts.read_text().splitlines())}


def work(number, arguments, seeds, results):
    base = pathlib.Path(tempfile.mkdtemp(prefix=f"crawler-faults-{number}-"))
    try:
        with harness.SyntheticWeb(arguments.synthetic_web, HOSTS, max_seconds=3600,
                                  options=["--latency", str(LATENCY_MS)]) as web:
            setup = Setup(arguments, base, web)
            for seed in seeds:
                one = Round(seed, setup, base)
                try:
                    results.put((seed, *one.run(), None))
                except Problem as problem:
                    results.put((seed, "", False, 0, f"{one.what}: {problem}"))
    except Exception as error:
        results.put((0, "", False, 0, f"the test itself failed: {error!r}"))
    finally:
        shutil.rmtree(base, ignore_errors=True)
        results.put(None)


def main():
    def add(parser):
        parser.add_argument("--preload", required=True, type=pathlib.Path)
        parser.add_argument("--rounds", type=int, default=60)
        parser.add_argument("--jobs", type=int, default=2)
        parser.add_argument("--kinds", nargs="*", choices=list(WEIGHTS), help="default: all")
        parser.add_argument("--seed", type=int, default=int(time.time()))
    arguments = harness.programs(__doc__, add)
    arguments.preload = arguments.preload.resolve()
    seeds = range(arguments.seed, arguments.seed + arguments.rounds)
    jobs = min(arguments.jobs, arguments.rounds)
    results = multiprocessing.Queue()
    workers = [multiprocessing.Process(target=work, args=(i, arguments, seeds[i::jobs], results))
               for i in range(jobs)]
    for worker in workers:
        worker.start()
    hits, codes, problems, running, rounds = collections.Counter(), collections.Counter(), 0, jobs, 0
    while running:
        result = results.get()
        if result is None:
            running -= 1
            continue
        seed, kind, hit, code, problem = result
        rounds += 1
        if problem:
            problems += 1
            print(f"seed {seed}: {problem}", flush=True)
        elif hit:
            hits[kind] += 1
            codes[code] += 1
    for worker in workers:
        worker.join()
    print(f"{rounds} rounds from seed {arguments.seed}: {sum(hits.values())} with faults "
          f"({', '.join(f'{kind} {n}' for kind, n in hits.most_common())}); exit codes "
          f"{dict(sorted(codes.items()))}; {problems} failed")
    sys.exit(1 if problems or rounds < arguments.rounds else 0)


if __name__ == "__main__":
    main()
