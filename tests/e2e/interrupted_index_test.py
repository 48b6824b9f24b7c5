#!/usr/bin/env python3
"""Kills crawls and their indexing phase and finishes the index.

An interrupted indexing phase continues, a repeated one re-indexes only what changed.
However often it was killed or stopped, the terms with their weights and the answers are those of a
crawl that nobody disturbed, and once all is done `crawler index` changes nothing. The crawl has so
little memory for its index that it writes several segments.

Crawls the documentation of Python behind nginx; exits with 77 if one of them is not installed.
"""
import json
import pathlib
import random
import shutil
import signal
import sys
import tempfile
import time

import harness

sys.path.insert(0, str(harness.HERE.parent / "web"))
import docs_site  # noqa: E402

SKIPPED = 77
OPTIONS = harness.QUICK + ["--max-ram", "4000000", "--no-warc"]
QUESTIONS = ["asyncio gather", "\"virtual environment\"", "socket OR ssl", "tkinter -ttk",
             "inurl:library xml", "decod*"]


def answers(crawler, folder):
    """{question: {path: score}}; ties may stand in the order of the crawl, so order is left out."""
    found = {}
    for question in QUESTIONS:
        done = crawler.run("search", folder, question, "--json", "--no-fold", "--limit", "1000")
        found[question] = {r["url"].split("/", 3)[3]: round(r["score"], 5)
                           for r in json.loads(done.stdout)["results"]}
    return found


def index_state(crawler, folder):
    catalogue = harness.Catalogue(folder)
    return {
        "terms": catalogue.rows("SELECT term, document_freq, idf, shown FROM index_terms "
                                "ORDER BY term"),
        "pages": catalogue.value("SELECT count(*) FROM page_text"),
        "relevance": {url.split("/", 3)[3]: round(score, 7) for url, score in catalogue.rows(
            "SELECT url, relevance_score FROM pages WHERE id IN (SELECT page_id FROM page_text)")},
        "answers": answers(crawler, folder),
    }


def assert_same(expected, found, what):
    for part in expected:
        if expected[part] == found[part]:
            continue
        left, right = expected[part], found[part]
        if isinstance(left, dict):
            left, right = left.items(), right.items()
        if not isinstance(left, int):
            right = list(right)
            left = [x for x in left if x not in right]
        sys.exit(f"{what}: {part} differ: {str(left)[:2000]}")


def wait_for_phase(process, folder):
    """Until the crawl has ended and its indexing phase begins; False if the process is over."""
    while process.poll() is None:
        try:
            if harness.Catalogue(folder).value(
                    "SELECT count(*) FROM events WHERE kind = 'stopped'") > 0:
                return True
        except Exception:  # There is no catalogue, or no table in it.
            pass
        time.sleep(0.005)
    return False


def end(process, how):
    process.send_signal(how)
    out, err = process.communicate(timeout=60)
    # Else it was over before the signal came, or took it as a request to stop.
    assert process.returncode in (0, -how), f"exit code {process.returncode}\n{out}{err}"


def crawl_and_kill(crawler, url, folder, in_phase, how, delay):
    process = crawler.start("crawl", url, "--out", folder, *OPTIONS)
    if in_phase:
        wait_for_phase(process, folder)
    time.sleep(delay)
    end(process, how)


def finish(crawler, folder, rng, phase_seconds):
    """Kills `crawler index` now and then, and at last has the crawl finished."""
    for _ in range(rng.randrange(0, 3)):
        process = crawler.start("index", folder)
        time.sleep(rng.random() * phase_seconds)
        end(process, signal.SIGKILL)
    # A kill before the first commit leaves no URL, so none waits either.
    complete = harness.Catalogue(folder).value(
        "SELECT count(*) > 0 AND NOT sum(fate = 'waiting') FROM fates") == 1
    if complete and rng.random() < 0.5:
        crawler.run("index", folder)
    else:
        crawler.run("resume", folder, "--quiet")


def check_repeated(crawler, folder, phase_seconds):
    def stamp():
        return harness.Catalogue(folder).rows(
            "SELECT key, value FROM crawl_state WHERE key LIKE 'index.%' UNION ALL "
            "SELECT 'segment', id || ' ' || state || ' ' || pages FROM index_segments")
    before = stamp()
    start = time.monotonic()
    again = json.loads(crawler.run("index", folder, "--json").stdout)
    took = time.monotonic() - start
    assert again["rank_iterations"] == 0, again
    assert stamp() == before, "a second `crawler index` has changed the index"
    assert took < phase_seconds / 2 + 0.5, f"a second `crawler index` took {took:.2f} s"
    return took


def run(crawler, url, base, rounds, seed):
    start = time.monotonic()
    process = crawler.start("crawl", url, "--out", base / "reference", *OPTIONS)
    assert wait_for_phase(process, base / "reference")
    crawl_seconds = time.monotonic() - start
    out, err = process.communicate(timeout=300)
    phase_seconds = time.monotonic() - start - crawl_seconds
    assert process.returncode == 0, out + err
    expected = index_state(crawler, base / "reference")
    segments = harness.Catalogue(base / "reference").value(
        "SELECT max(id) FROM index_segments WHERE kind = 0")
    # Merged ones included.
    assert 3 < segments < expected["pages"] / 2, f"{segments} segments were written"
    took = check_repeated(crawler, base / "reference", phase_seconds)
    print(f"{expected['pages']} pages, {len(expected['terms'])} terms, {segments} segments; crawl "
          f"{crawl_seconds:.2f} s, phase {phase_seconds:.2f} s, again {took:.2f} s; seed {seed}",
          flush=True)
    begun = 0
    for number in range(rounds):
        rng = random.Random(seed + number)
        folder = base / f"round-{number}"
        in_phase = number % 3 != 0
        how = signal.SIGTERM if number % 4 == 3 else signal.SIGKILL
        longest = phase_seconds if in_phase else crawl_seconds
        crawl_and_kill(crawler, url, folder, in_phase, how, rng.random() * longest)
        if not (folder / "crawl.db").exists() or not harness.Catalogue(folder).rows(
                "SELECT 1 FROM sqlite_master WHERE name = 'crawl_state'") or not (
                harness.Catalogue(folder).rows("SELECT 1 FROM crawl_state WHERE key = 'hash_key'")):
            continue  # Killed before anything was written.
        begun += 1
        finish(crawler, folder, rng, phase_seconds)
        assert_same(expected, index_state(crawler, folder), f"round {number} (seed {seed})")
        check_repeated(crawler, folder, phase_seconds)
        crawler.run("verify", folder)
        shutil.rmtree(folder)
    assert begun >= sum(number % 3 != 0 for number in range(rounds)), "too few rounds began"
    print(f"{rounds} rounds, the same index in each")


def main():
    def add(parser):
        parser.add_argument("--rounds", type=int, default=6)
        parser.add_argument("--seed", type=int, default=None)
    arguments = harness.programs(__doc__, add)
    seed = arguments.seed if arguments.seed is not None else random.randrange(1 << 30)
    crawler = harness.Crawler(arguments.crawler)
    with tempfile.TemporaryDirectory(prefix="interrupted-index-") as base:
        try:
            with docs_site.DocsSite(["python"]) as site:
                run(crawler, site.urls["python"], pathlib.Path(base), arguments.rounds, seed)
        except docs_site.Missing as missing:
            print(f"interrupted_index_test: skipped: {missing}")
            return SKIPPED
    return 0


if __name__ == "__main__":
    sys.exit(main())
