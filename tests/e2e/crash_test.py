#!/usr/bin/env python3
"""Kills crawls at random moments and resumes them.

However often it was killed, a crawl must end with the catalogue of an undisturbed one, must not ask
again for a page that was committed, and `crawler verify` must find nothing.

Rounds with SIGTERM instead, and rounds in which the ends of crawl.db-wal and of the WARC file are
damaged after the kill, come up by chance. The seed of a round that fails is printed.
"""
import multiprocessing
import os
import pathlib
import random
import shutil
import signal
import sys
import tempfile
import time

import harness

HOSTS = ["1 pages=600 links=8 bytes=900 cross=2 copies=3 missing=2 redirects=3 gzip=1",
         "2 pages=300 links=5 cross=2 robots=200 disallow=/p/7 sitemap=plain listed=20",
         "3 pages=100 links=5 nofollow-every=4"]
OPTIONS = harness.QUICK + ["--scope", "web", "--max-per-domain", "0", "--connections", "16",
                           "--per-address", "1000", "--per-domain", "1000"]
MAX_KILLS = 4
# A crawl must last longer than the second between two commits.
LATENCY_MS = 20
LONGEST_S = 3.0  # A busy machine is slower, which makes no kill more telling.


def tear(folder, rng):
    """What a crash of the machine may do to files that were being written.

    Behind the committed part of a WARC file there may be anything. The end of SQLite's log may be
    gone, and the last commits with it: the default mode promises consistency then, not the last
    second. Only what no checkpoint has copied may be cut, so a log must be short of the 1000 pages
    at which SQLite makes one, and long enough that the tables are left.
    """
    for path in (folder / "warc").glob("*.warc.gz"):
        with open(path, "ab") as file:
            file.write(rng.randbytes(rng.randrange(1, 5000)))
    wal = folder / "crawl.db-wal"
    size = wal.stat().st_size if wal.exists() else 0
    if rng.random() < 0.5 and 600_000 < size < 3_000_000:
        os.truncate(wal, size - rng.randrange(1, 100_000))
        (folder / "crawl.db-shm").unlink(missing_ok=True)  # It was memory.
    elif size > 0:
        with open(wal, "ab") as file:
            file.write(rng.randbytes(rng.randrange(1, 5000)))


def begun(folder):
    """Whether anything was committed; otherwise there is nothing to resume."""
    try:
        return harness.Catalogue(folder).value(
            "SELECT count(*) FROM crawl_state WHERE key = 'hash_key'") == 1
    except Exception:  # There is no catalogue, or no table in it.
        return False


def committed_pages(folder):
    try:
        return harness.Catalogue(folder).pages()
    except Exception:  # The kill came before there was a catalogue.
        return set()


def paths_since(web, count):
    """URLs that were answered with 200 after the first `count` requests, and the new count."""
    requests = web.flush_log()
    return ([f"http://{r[3]}{r[5]}" for r in requests[count:] if r[6] == "200"], len(requests))


def run_round(number, seed, crawler, web, reference, duration, base):
    """Returns how many kills there were, and how many of them found something committed."""
    rng = random.Random(seed)
    folder = base / "crawl"
    shutil.rmtree(folder, ignore_errors=True)
    command = ["crawl", web.url(1), "--out", folder, *OPTIONS]
    done = set()
    kills = rng.randrange(1, MAX_KILLS + 1)
    count = len(web.flush_log())
    telling = 0
    for _ in range(kills):
        process = crawler.start(*command)
        time.sleep(rng.random() * min(duration, LONGEST_S))
        how = signal.SIGKILL if rng.random() < 0.8 else signal.SIGTERM
        process.send_signal(how)
        out, err = process.communicate(timeout=60)
        if how == signal.SIGTERM and process.returncode not in (0, -signal.SIGTERM):
            sys.exit(f"round {number} (seed {seed}): exit code {process.returncode} after SIGTERM\n"
                     f"{out}{err}")
        asked, count = paths_since(web, count)
        again = done & set(asked)
        if again:
            sys.exit(f"round {number} (seed {seed}): asked again: {sorted(again)[:5]}")
        if rng.random() < 0.4:
            tear(folder, rng)
        done = committed_pages(folder)
        telling += len(done) > 0
        if begun(folder):
            command = ["resume", folder, "--quiet"]
    last = crawler.run(*command, check=None, timeout=120)
    if last.returncode != 0:
        sys.exit(f"round {number} (seed {seed}): exit code {last.returncode}\n"
                 f"{last.stdout}{last.stderr}")
    asked, count = paths_since(web, count)
    again = done & set(asked)
    if again:
        sys.exit(f"round {number} (seed {seed}): asked again: {sorted(again)[:5]}")
    state = harness.Catalogue(folder).state()
    for part, expected in reference.items():
        if state[part] != expected:
            print(f"round {number} (seed {seed}): {part}", file=sys.stderr)
            harness.compare(expected, state[part], part)
            sys.exit(f"{part}: the same, but not equally often")
    verified = crawler.run("verify", folder, check=None)
    if verified.returncode != 0:
        sys.exit(f"round {number} (seed {seed}): verify\n{verified.stdout}{verified.stderr}")
    return kills, telling


def run_rounds(arguments, first_seed, rounds):
    crawler = harness.Crawler(arguments.crawler)
    base = pathlib.Path(tempfile.mkdtemp(prefix="crash-test-"))
    failed = True
    try:
        with harness.SyntheticWeb(arguments.synthetic_web, HOSTS, max_seconds=3600,
                                  options=["--latency", str(LATENCY_MS)]) as web:
            start = time.monotonic()
            crawler.run("crawl", web.url(1), "--out", base / "reference", *OPTIONS)
            duration = time.monotonic() - start
            reference = harness.Catalogue(base / "reference").state()
            print(f"{len(reference['pages'])} pages in {duration:.2f} s; seeds from {first_seed}",
                  flush=True)
            kills = telling = 0
            for number in range(rounds):
                counts = run_round(number + 1, first_seed + number, crawler, web, reference,
                                   duration, base)
                kills, telling = kills + counts[0], telling + counts[1]
            print(f"{rounds} rounds, {kills} kills, {telling} of them with pages "
                  "committed: nothing lost, nothing twice", flush=True)
            if rounds >= 5 and telling == 0:
                sys.exit("no kill came after a commit, so nothing was shown")
        failed = False
    finally:
        if not (failed and arguments.keep):
            shutil.rmtree(base, ignore_errors=True)
        else:
            print(f"left in {base}", file=sys.stderr)


def main():
    def add(parser):
        parser.add_argument("--rounds", type=int, default=10)
        parser.add_argument("--jobs", type=int, default=1, help="rounds side by side")
        parser.add_argument("--seed", type=int, default=None, help="of the first round")
        parser.add_argument("--keep", action="store_true", help="leave the folder of a failure")
    arguments = harness.programs(__doc__, add)
    first_seed = arguments.seed if arguments.seed is not None else random.randrange(1 << 30)
    jobs = max(1, min(arguments.jobs, arguments.rounds))
    if jobs == 1:
        run_rounds(arguments, first_seed, arguments.rounds)
        return
    # Each with a web of its own, because a round looks at all that its web was asked.
    shares = [arguments.rounds * (job + 1) // jobs - arguments.rounds * job // jobs
              for job in range(jobs)]
    workers = []
    for job, share in enumerate(shares):
        workers.append(multiprocessing.Process(
            target=run_rounds, args=(arguments, first_seed + sum(shares[:job]), share)))
        workers[-1].start()
    for worker in workers:
        worker.join()
    if any(worker.exitcode != 0 for worker in workers):
        sys.exit(1)
    print(f"{arguments.rounds} rounds in all")


if __name__ == "__main__":
    main()
