#!/usr/bin/env python3
"""index_terms, page_terms and relevance_score as any SQLite client reads them, by brute force.

The tables give the right numbers; a test recomputes them from the text. Here twice: from
page_text.terms, and for plain English pages from the words that the test itself wrote. The formulas
are those of docs/search.md.
"""
import collections
import json
import math
import random

import harness

# Words and their terms. Only the last ones are changed by stemming.
PLAIN = {w: w for w in "kelp okapi quartz fjord lynx zinc bishop anvil rhubarb sonnet walrus tulip "
         "mosaic vortex gizmo plinth cobalt garnet falcon".split()}
STEMMED = {"connection": "connect", "connected": "connect", "Connecting": "connect",
           "gardens": "garden", "Garden": "garden", "painted": "paint", "paints": "paint"}
STOPS = ["the", "of", "and", "in", "is", "that"]  # Counted as words, but no terms of the body.
TOPIC = "kelp gardens"


def make_pages(count, rng):
    """{path: (title, heading, body)} as lists of words, with a link to the next pages."""
    words = list(PLAIN) + list(STEMMED)
    weights = [1 / (n + 1) for n in range(len(words))]
    rng.shuffle(words)
    pages = {}
    for number in range(count):
        body = [w for w in rng.choices(words, weights, k=rng.randrange(30, 200))]
        body = [x for w in body for x in ((w, rng.choice(STOPS)) if rng.random() < 0.5 else (w,))]
        pages[f"/p/{number}"] = (rng.choices(list(PLAIN), k=3), rng.choices(words, k=2), body)
    return pages


def serve(pages):
    count = len(pages)
    site = {"/robots.txt": ({"Content-Type": "text/plain"}, b"")}
    for number, (path, (title, heading, body)) in enumerate(pages.items()):
        links = "".join(f'<a href="/p/{n % count}"></a>' for n in
                        (number + 1, number * 3 + 1, number // 2))
        site[path] = ({"Content-Type": "text/html; charset=utf-8", "Content-Language": "en"},
                      (f"<html lang=en><title>{' '.join(title)}</title><h1>{' '.join(heading)}</h1>"
                       f"<p>{' '.join(body)}.</p>{links}").encode())
    return site


def expected_terms(page):
    title, heading, body = page
    return collections.Counter(
        {**PLAIN, **STEMMED}[word] for word in title + heading + body if word not in STOPS)


class Weights(harness.Case):
    def crawl(self, pages, *options):
        with harness.PageServer(serve(pages)) as server:
            self.crawler.run("crawl", server.url("/p/0"), "--out", self.out, *harness.QUICK,
                             *options)
            return server.url("").rstrip("/")

    def check_against_page_text(self, catalogue):
        """The views and tables against the vectors of the pages. Returns {page: {term: tf-idf}}."""
        rows = catalogue.rows("SELECT page_id, words, terms FROM page_text")
        vectors = {page: (words, json.loads(terms)) for page, words, terms in rows}
        df = collections.Counter(term for _, terms in vectors.values() for term in terms)
        idf = {term: math.log(len(vectors) / n) for term, n in df.items()}
        found = catalogue.rows("SELECT term, document_freq, idf FROM index_terms")
        self.assertEqual({term: n for term, n, _ in found}, dict(df))
        self.assertEqual(len(found), len(df))
        for term, _, value in found:
            self.assertAlmostEqual(value, idf[term], 12, term)
        expected = {(page, term): (n, n / words * idf[term])
                    for page, (words, terms) in vectors.items() for term, n in terms.items()}
        found = catalogue.rows("SELECT p.page_id, t.term, p.term_freq, p.tf_idf_score FROM "
                               "page_terms p JOIN index_terms t ON t.id = p.term_id")
        self.assertEqual(len(found), len(expected))
        for page, term, count, score in found:
            self.assertEqual(count, expected[page, term][0])
            self.assertAlmostEqual(score, expected[page, term][1], 12)
        for page, norm in catalogue.rows("SELECT page_id, norm FROM page_weights"):
            squares = sum((n * idf[t]) ** 2 for t, n in vectors[page][1].items())
            self.assertAlmostEqual(norm, math.sqrt(squares), 8)
        return vectors, idf

    def test_plain_english_is_counted_by_its_words(self):
        pages = make_pages(80, random.Random(5))
        base = self.crawl(pages)
        catalogue = harness.Catalogue(self.out)
        self.check_against_page_text(catalogue)
        rows = catalogue.rows("SELECT p.url, t.words, t.terms FROM pages p JOIN page_text t "
                              "ON t.page_id = p.id")
        self.assertEqual(len(rows), len(pages))
        counts = {path: expected_terms(page) for path, page in pages.items()}
        df = collections.Counter(term for terms in counts.values() for term in terms)
        for url, words, terms in rows:
            path = url.removeprefix(base)
            self.assertEqual(json.loads(terms), counts[path], path)
            self.assertEqual(words, sum(map(len, pages[path])), path)
        self.assertEqual(dict(catalogue.rows("SELECT term, document_freq FROM index_terms")), df)
        # `keywords` has the same numbers.
        url, words, terms = rows[0]
        path = url.removeprefix(base)
        answer = json.loads(self.crawler.run("keywords", self.out, url, "--json").stdout)
        for keyword in answer["keywords"]:
            term = keyword["term"]
            self.assertEqual(keyword["term_freq"], counts[path][term])
            self.assertEqual(keyword["document_freq"], df[term])
            self.assertAlmostEqual(keyword["tf_idf"],
                                   counts[path][term] / words * math.log(len(pages) / df[term]), 9)

    def test_relevance_is_the_cosine_of_page_and_topic(self):
        self.crawl(make_pages(60, random.Random(6)), "--topic", TOPIC)
        catalogue = harness.Catalogue(self.out)
        vectors, idf = self.check_against_page_text(catalogue)
        topic = {term: idf[term] for term in ("kelp", "garden")}
        length = math.sqrt(sum(value ** 2 for value in topic.values()))
        rows = catalogue.rows("SELECT id, relevance_score FROM pages")
        self.assertEqual(len(rows), len(vectors))
        for page, score in rows:
            weights = {term: n * idf[term] for term, n in vectors[page][1].items()}
            norm = math.sqrt(sum(value ** 2 for value in weights.values()))
            dot = sum(weights.get(term, 0) * value for term, value in topic.items())
            self.assertAlmostEqual(score, dot / (norm * length) if norm else 0, 6)
        self.assertGreater(max(score for _, score in rows), 0.2)

    def test_without_a_topic_relevance_is_the_static_rank(self):
        self.crawl(make_pages(60, random.Random(7)))
        catalogue = harness.Catalogue(self.out)
        rows = catalogue.rows("SELECT p.relevance_score, w.static_rank, w.page_rank FROM pages p "
                              "JOIN page_weights w ON w.page_id = p.id")
        self.assertEqual(len(rows), 60)
        self.assertAlmostEqual(sum(rank for *_, rank in rows), 1, 6)
        best = max(rank for *_, rank in rows)
        for relevance, static, rank in rows:
            self.assertEqual(relevance, static)
            self.assertAlmostEqual(static, math.log1p(60 * rank) / math.log1p(60 * best), 9)

    def test_a_real_web_with_all_its_copies(self):
        web = self.web("1 pages=150 links=6 bytes=2000 copies=5 gzip=1 redirects=3")
        self.crawler.run("crawl", web.url(), "--out", self.out, *harness.QUICK)
        catalogue = harness.Catalogue(self.out)
        self.check_against_page_text(catalogue)
        self.assertEqual(catalogue.value(
            "SELECT count(*) FROM pages p JOIN page_text t ON t.page_id = p.id "
            "WHERE p.relevance_score IS NULL"), 0)
        self.assertGreater(catalogue.value("SELECT count(*) FROM page_text"), 150)

    def test_no_index_leaves_none(self):
        self.crawl(make_pages(10, random.Random(8)), "--no-index")
        catalogue = harness.Catalogue(self.out)
        for table in ("page_text", "index_terms", "page_terms", "postings", "index_segments"):
            self.assertEqual(catalogue.value(f"SELECT count(*) FROM {table}"), 0, table)
        done = self.crawler.run("search", self.out, "kelp", check=6)
        self.assertNotIn("sql", done.stderr.lower())
        self.assertIn("no page of the crawl is indexed", done.stderr)
        # The WARC has what the catalogue has not.
        done = self.crawler.run("index", self.out)
        self.assertNotIn("\n0 pages indexed", "\n" + done.stdout)
        self.check_against_page_text(catalogue)


if __name__ == "__main__":
    harness.main(__doc__)
