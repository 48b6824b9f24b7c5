#!/usr/bin/env python3
"""A focused crawl: how many relevant pages do the first N find, in each order?

Crawls the documentation of PostgreSQL behind nginx as a whole, in the orders bfs and priority and
once for each topic by relevance, and looks at the order in which pages came. Relevant is what has a
relevance_score of RELEVANT at least when all is crawled and weighed, which no order changes. Prints
a table and demands that the order by relevance finds clearly more early on than bfs. Exits with 77
if nginx or the package is not installed.
"""
import pathlib
import sys
import tempfile

import harness

sys.path.insert(0, str(harness.HERE.parent / "web"))
import docs_site  # noqa: E402

SKIPPED = 77
TOPICS = ["logical replication", "full text search", "foreign data wrapper"]
RELEVANT = 0.15
FIRST = (50, 100, 200, 500)
OPTIONS = harness.LOOPBACK + ["--delay", "0", "--per-host", "4", "--quiet", "--no-warc"]


def crawl(crawler, url, folder, *options):
    """The pages in the order in which they came, and {page: relevance_score}."""
    crawler.run("crawl", url, "--out", folder, *OPTIONS, *options)
    rows = harness.Catalogue(folder).rows(
        "SELECT url, coalesce(relevance_score, 0) FROM pages ORDER BY id")
    return [url for url, _ in rows], dict(rows)


def found(order, relevant, first):
    return len(relevant & set(order[:first]))


def run(crawler, url, base, topics):
    orders = {name: crawl(crawler, url, base / name, "--order", name)[0]
              for name in ("bfs", "priority")}
    print("| topic (relevant pages) | order | " + " | ".join(f"first {n}" for n in FIRST) + " |")
    print("|---" * (len(FIRST) + 2) + "|")
    gains = []
    for number, topic in enumerate(topics):
        focused, scores = crawl(crawler, url, base / f"topic-{number}", "--order", "relevance",
                                "--topic", topic)
        assert set(focused) == set(orders["bfs"]) == set(orders["priority"])
        relevant = {page for page, score in scores.items() if score >= RELEVANT}
        assert 10 <= len(relevant) <= len(scores) / 4, f"{topic}: {len(relevant)} are relevant"
        for name, order in {**orders, "relevance": focused}.items():
            counts = [str(found(order, relevant, n)) for n in FIRST]
            print(f"| {topic} ({len(relevant)}) | {name} | {' | '.join(counts)} |", flush=True)
        gains.append((topic, found(focused, relevant, 100),
                      max(1, found(orders["bfs"], relevant, 100)), len(relevant)))
    for topic, focused, plain, all_relevant in gains:
        assert focused >= 2 * plain or focused >= 0.9 * min(100, all_relevant), (
            f"{topic}: the first 100 pages have {focused} relevant ones by relevance, {plain} by bfs")


def main():
    def add(parser):
        parser.add_argument("--topics", type=int, default=len(TOPICS), help="how many of them")
    arguments = harness.programs(__doc__, add)
    with tempfile.TemporaryDirectory(prefix="focus-test-") as base:
        try:
            with docs_site.DocsSite(["postgresql"]) as site:
                run(harness.Crawler(arguments.crawler), site.urls["postgresql"],
                    pathlib.Path(base), TOPICS[:arguments.topics])
        except docs_site.Missing as missing:
            print(f"focus_test: skipped: {missing}")
            return SKIPPED
    return 0


if __name__ == "__main__":
    sys.exit(main())
