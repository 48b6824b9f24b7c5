#!/usr/bin/env python3
"""nginx serves what docs_site says, and site_walker finds what is there: every page, each once.

Exits with 77 (skipped) if nginx or the package is not installed.
"""
import collections
import pathlib
import sys
import tempfile
import unittest
from urllib.parse import unquote, urlsplit

import docs_site
import site_walker


class DocsSiteTest(unittest.TestCase):
    def check_once(self, site):
        asked = collections.Counter((r.host, r.path) for r in site.new_requests())
        self.assertEqual([url for url, times in asked.items() if times > 1], [])

    def test_odd_names_folders_and_redirects(self):
        pages = {
            "index.html": "<a href=operator+=.html><a href='a b.html'><a href=%C3%BC.html>"
                          "<a href=folder><a href=empty/><a href='q%3Fx.html'><a href=none.html>"
                          "<a href=picture.png><a href='index.html?a=1'>",
            "operator+=.html": "", "a b.html": "", "ü.html": "", "q?x.html": "", "orphan.html": "",
            "picture.png": "", "empty/x.html": "", "folder/index.html": "<a href=c.html>",
            "folder/c.html": "<a href=../index.html><a href=c.html#x>",
        }
        with tempfile.TemporaryDirectory() as folder:
            pathlib.Path(folder).chmod(0o755)
            for name, body in pages.items():
                path = pathlib.Path(folder) / name
                path.parent.mkdir(exist_ok=True)
                path.write_text("<!DOCTYPE html>" + body)
            sites = {"odd": ("", folder, "/index.html")}
            with docs_site.DocsSite(["odd"], sites=sites) as site:
                found = {url.split("/", 3)[3] for url in site_walker.walk(site.urls["odd"], 1)}
                self.check_once(site)
        # "folder" is answered with a redirect to "folder/", which is the page; "empty/" with 403.
        self.assertEqual(found, {"index.html", "operator+=.html", "a%20b.html", "%C3%BC.html",
                                 "q%3Fx.html", "folder/", "folder/c.html", "index.html?a=1"})

    def test_a_package(self):
        with docs_site.DocsSite(["python", "postgresql"]) as site:
            hosts = {urlsplit(url).hostname for url in site.urls.values()}
            self.assertEqual(hosts, {"127.0.0.1", "127.0.0.2"})
            found = site_walker.walk(site.urls["postgresql"])
            self.check_once(site)
        folder = pathlib.Path(docs_site.SITES["postgresql"][1])
        files = {path.name for path in folder.glob("*.html")}
        # All of its pages are linked, which is true of few packages.
        self.assertEqual({unquote(urlsplit(url).path)[1:] for url in found}, files)

    def test_what_is_not_installed_is_said(self):
        sites = {"none": ("no-such-package", "/nonexistent", "/index.html")}
        with self.assertRaisesRegex(docs_site.Missing, "no-such-package"):
            docs_site.DocsSite(["none"], sites=sites).start()


if __name__ == "__main__":
    try:
        docs_site.find_nginx()
        docs_site.DocsSite(["python", "postgresql"]).check()
    except docs_site.Missing as missing:
        print(f"docs_site_test: skipped: {missing}")
        sys.exit(77)
    unittest.main()
