#!/usr/bin/env python3
"""`crawler search` over several folders: which arguments are folders, one list of results, the scores
of one crawl of all pages, and terminals that are sent no control characters."""
import json
import os

import harness

# The same length each, so that scores differ by words alone.
PAGES = {
    "red": "sorting a vector of numbers quickly",
    "green": "sorting a list of numbers slowly",
    "blue": "painting a vector of colours quickly",
    "white": "painting a wall of bricks slowly",
}
HIDDEN = "\u200e\u202egnitros\u202c\x1b[31m\u00ad"


def html(words):
    page = f"<!doctype html><html lang=en><title>Page</title><p>{words}.</p>"
    return {"Content-Type": "text/html; charset=utf-8"}, page.encode()


class SearchFolders(harness.Case):
    def crawl(self, name, pages):
        """Into folder `name`; nothing links, so that all pages have the same rank."""
        site = {"/" + page: html(words) for page, words in pages.items()}
        server = harness.PageServer(site)
        self.addCleanup(server.__exit__)
        server.__enter__()
        folder = self.base / name
        self.crawler.run("crawl", *(server.url(path) for path in site), "--out", folder,
                         "--seeds-only", *harness.QUICK)
        return folder

    def search(self, *arguments, check=0):
        done = self.crawler.run("search", *arguments, "--json", check=check, cwd=self.base)
        return json.loads(done.stdout)

    def scores(self, answer):
        return [(result["url"].rsplit("/", 1)[1], round(result["score"], 4))
                for result in answer["results"]]

    def test_folders_and_words(self):
        whole = self.crawl("whole", PAGES)
        names = sorted(PAGES)
        one = self.crawl("one", {name: PAGES[name] for name in names[:1]})
        rest = self.crawl("rest", {name: PAGES[name] for name in names[1:]})
        for query in (["sorting"], ["vector", "quickly"], ["vector", "sorting", "numbers"],
                      ["painting", "-wall"], ["\"vector of numbers\""]):
            expected = self.search(whole, *query)
            found = self.search(one, rest, *query)
            self.assertEqual(found["total"], expected["total"], query)
            self.assertEqual(sorted(self.scores(found)), sorted(self.scores(expected)), query)
            self.assertEqual([s for _, s in self.scores(found)],
                             [s for _, s in self.scores(expected)], query)
            for result in found["results"]:
                is_one = result["url"].endswith("/" + names[0])
                self.assertEqual(result["folder"], str(one if is_one else rest))
        # The same pages twice are found once, unless they are asked for.
        self.assertEqual(self.search("rest", "rest", "painting")["results"][0]["folded"], 1)
        self.assertEqual(len(self.search("rest", "rest", "wall", "--no-fold")["results"]), 2)

    def test_a_folder_that_is_a_word(self):
        self.crawl("painting", {"red": PAGES["red"]})
        self.crawl("vector", {"blue": PAGES["blue"]})
        # Only folders of crawls are folders; others are words, wherever they are.
        os.mkdir(self.base / "sorting")
        self.assertEqual(self.search("painting", "sorting", "numbers")["total"], 1)
        # The last argument is a word; words behind a word are words, and so is what is quoted.
        self.assertEqual(self.scores(self.search("painting", "vector"))[0][0], "red")
        self.assertEqual(self.search("painting", "quickly", "vector")["total"], 1)
        self.assertEqual(self.search("painting", "vector quickly")["total"], 1)
        self.assertEqual(self.search("painting", "vector", "quickly")["total"], 2)
        self.assertEqual(self.search("painting", "./vector", "quickly")["total"], 2)
        done = self.crawler.run("search", "painting", "vector", "quickly", "--rank", "cosine",
                                check=2, cwd=self.base)
        self.assertIn("several crawls can be ranked by bm25 only", done.stderr)

    def test_terminals_get_no_control_characters(self):
        folder = self.crawl("hidden", {"red": f"sorting {HIDDEN} a vector {HIDDEN} quickly"})
        for command in (("search", folder, "vector", "--why"), ("search", folder, "vectr"),
                        ("suggest", folder, "v")):
            shown = self.crawler.run(*command).stdout
            self.assertIn("vector", shown)
            for sign in "\u200e\u202e\u202c\x1b\u00ad\x07":
                self.assertNotIn(sign, shown, command)


if __name__ == "__main__":
    harness.main(__doc__)
