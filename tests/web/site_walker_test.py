#!/usr/bin/env python3
"""site_walker reads links as browsers do."""
import unittest

import site_walker

PAGE = "http://h:80/a/b.html?q#f"


class SiteWalkerTest(unittest.TestCase):
    def links(self, body):
        return site_walker.links_of(PAGE, body)

    def test_sources(self):
        body = ("<a href=1><AREA HREF='2'><iframe src=\"3\"></iframe><frame src=4><img src=5>"
                "<link href=6><meta http-equiv=Refresh content='0; URL=7'><a name=x>")
        self.assertEqual(self.links(body), [f"http://h:80/a/{n}" for n in (1, 2, 3, 4, 7)])

    def test_what_is_no_link(self):
        for body in ("<!-- <a href=1> -->", "<script>'<a href=1>'</script>", "<a rel='x NoFollow' href=1>",
                     "<meta name=robots content='noindex, NOFOLLOW'><a href=1>", "<a href=mailto:x>",
                     "<a href='javascript:x'>", "<a href='http://[1'>", "&lt;a href=1>"):
            self.assertEqual(self.links(body), [], body)

    def test_resolution(self):
        for href, url in (("", "http://h:80/a/b.html?q"), ("#x", "http://h:80/a/b.html?q"),
                          ("?r", "http://h:80/a/b.html?r"), ("/", "http://h:80/"),
                          ("../../x", "http://h:80/x"), ("//g/x", "http://g/x"),
                          (" x\n", "http://h:80/a/x"), ("x\\y", "http://h:80/a/x/y"),
                          ("%7ex%c3", "http://h:80/a/~x%C3"), ("a b", "http://h:80/a/a%20b"),
                          ("\u00e9", "http://h:80/a/%C3%A9"), ("operator+=", "http://h:80/a/operator+="),
                          ("a&amp;b", "http://h:80/a/a&b"), ("http://G", "http://g/")):
            self.assertEqual(self.links(f'<a href="{href}">'), [url], href)

    def test_base(self):
        self.assertEqual(self.links("<base href=/z/><base href=/y/><a href=1>"), ["http://h:80/z/1"])

    def test_each_once_and_the_first_attribute_counts(self):
        self.assertEqual(self.links("<a href=1#a><a href=1#b><a href=2 href=3>"),
                         ["http://h:80/a/1", "http://h:80/a/2"])


if __name__ == "__main__":
    unittest.main()
