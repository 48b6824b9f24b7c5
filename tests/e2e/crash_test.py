#!/usr/bin/env python3
"""Kills crawls at random moments and resumes them.

However often it was killed, a crawl must end with the catalogue of an undisturbed one, must not ask
again for a page that was committed, and `crawler verify` must find nothing.

Rounds with a signal other than SIGKILL, and rounds in which the end of crawl.db-wal or of the WARC
file is torn off after the kill, come up by chance. The seed of every round is printed on failure.
"""
import pathlib
import random
import shutil
import signal
import subprocess
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


def tear(folder, rng):
    """What a crash of the machine may do to files that were being written: their ends are gone.

    SQLite checks every frame of its log and the WARC is cut back to what was committed, so nothing
    that was committed before the last checkpoint may be lost by it. Only what came after the last
    commit is torn here, which is what `synchronous = NORMAL` promises after a kill.
    """
    victims = [p for p in (folder / "warc").glob("*.warc.gz")]
    for path in victims:
        with open(path, "ab") as file:
            file.write(rng.randbytes(rng.randrange(1, 5000)))  # Half-written records.
    wal = folder / "crawl.db-wal"
    if wal.exists() and rng.random() < 0.5:
        with open(wal, "ab") as file:
            file.write(rng.randbytes(rng.randrange(1, 5000)))


def begun(folder):
    """Whether anything was committed; otherwise there is nothing to resume."""
    try:
        return harness.Catalogue(folder).value(
            "SELECT count(*) FROM crawl_state WHERE key = 'seed'") == 1
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
    rng = random.Random(seed)
    folder = base / "crawl"
    shutil.rmtree(folder, ignore_errors=True)
    command = ["crawl", web.url(1), "--out", folder, *OPTIONS]
    done = set()
    kills = rng.randrange(1, MAX_KILLS + 1)
    count = len(web.flush_log())
    for _ in range(kills):
        process = crawler.start(*command)
        time.sleep(rng.random() * duration)
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
        done = committed_pages(folder)
        if rng.random() < 0.3:
            tear(folder, rng)
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
    return kills


def main():
    def add(parser):
        parser.add_argument("--rounds", type=int, default=10)
        parser.add_argument("--seed", type=int, default=None, help="of the first round")
        parser.add_argument("--keep", action="store_true", help="leave the folder of a failure")
    arguments = harness.programs(__doc__, add)
    crawler = harness.Crawler(arguments.crawler)
    first_seed = arguments.seed if arguments.seed is not None else random.randrange(1 << 30)
    base = pathlib.Path(tempfile.mkdtemp(prefix="crash-test-"))
    failed = True
    try:
        with harness.SyntheticWeb(arguments.synthetic_web, HOSTS, max_seconds=3600,
                                  options=["--latency", "2"]) as web:
            start = time.monotonic()
            crawler.run("crawl", web.url(1), "--out", base / "reference", *OPTIONS)
            duration = time.monotonic() - start
            reference = harness.Catalogue(base / "reference").state()
            print(f"{len(reference['pages'])} pages in {duration:.2f} s; seeds from {first_seed}")
            kills = 0
            for number in range(arguments.rounds):
                # What fails the first time (fail-tries) must do so in every round.
                kills += run_round(number + 1, first_seed + number, crawler, web, reference,
                                   duration, base)
            print(f"{arguments.rounds} rounds, {kills} kills: nothing lost, nothing twice")
        failed = False
    finally:
        if not (failed and arguments.keep):
            shutil.rmtree(base, ignore_errors=True)
        else:
            print(f"left in {base}", file=sys.stderr)


if __name__ == "__main__":
    main()
