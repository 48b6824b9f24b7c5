#!/usr/bin/env python3
"""Known-item search in languages that are not English: the Debian Reference in German, French,
Japanese and Chinese, crawled into one folder.

Asks the questions of known_items_languages.tsv, and demands that the right chapter, in the language
of the question, is among the first three for nine of ten questions in each language. Exits with 77
if nginx or a package is not installed.
"""
import collections
import pathlib
import sys
import tempfile

import harness
import search_test

sys.path.insert(0, str(harness.HERE.parent / "web"))
import docs_site  # noqa: E402

LANGUAGES = ("de", "fr", "ja", "zh-cn")
RECALL = 0.9


def check(crawler, folder):
    ranks = collections.defaultdict(list)
    for question, ends in search_test.questions("known_items_languages.tsv"):
        results = search_test.ask(crawler, folder, question)["results"]
        rank = search_test.rank_of(results, ends)
        ranks[ends[0].split(".")[1]].append(rank)
        if rank is None or rank > 3:
            found = [r["url"].rsplit("/", 1)[1] for r in results[:3]]
            print(f"missed ({rank or 'not in ten'}): {question!r}: {' '.join(ends)} not in {found}")
    assert sorted(ranks) == sorted(LANGUAGES)
    for language, found in ranks.items():
        first, three = (sum(r is not None and r <= n for r in found) for n in (1, 3))
        print(f"{language}: {len(found)} questions, {first} at the first place, {three} among three")
        assert len(found) >= 12 and three >= RECALL * len(found), language


def main():
    arguments = harness.programs(__doc__)
    crawler = harness.Crawler(arguments.crawler)
    with tempfile.TemporaryDirectory(prefix="search-languages-test-") as base:
        folder = pathlib.Path(base) / "crawl"
        try:
            with docs_site.DocsSite(["debian"]) as site:
                root = site.urls["debian"].rsplit("/", 1)[0]
                seeds = [f"{root}/index.{language}.html" for language in LANGUAGES]
                totals = crawler.totals("crawl", *seeds, "--out", folder, *harness.QUICK)
                assert totals["outcome"] == "finished", totals
        except docs_site.Missing as missing:
            print(f"search_languages_test: skipped: {missing}")
            return search_test.SKIPPED
        check(crawler, folder)
    return 0


if __name__ == "__main__":
    sys.exit(main())
