#!/usr/bin/env python3
"""The CDXJ index that is written along with a WARC file is the one that reading the file gives."""
import os
import pathlib
import tempfile

import harness

HOSTS = ["1 pages=60 links=5 copies=4 missing=3 redirects=3 gzip=1 robots=200 disallow=/p/7 files=3"]


def main():
    arguments = harness.programs(__doc__)
    crawler = harness.Crawler(arguments.crawler)
    with tempfile.TemporaryDirectory() as base, \
            harness.SyntheticWeb(arguments.synthetic_web, HOSTS) as web:
        folder = pathlib.Path(base) / "crawl"
        crawler.run("crawl", web.url(), "--out", folder, *harness.QUICK)
        index = folder / "warc" / "crawl-00001.cdxj"
        written_along = index.read_bytes()
        assert written_along.count(b"\n") > 60, written_along
        assert b"warc/revisit" in written_along
        # One that is older than its file is made again from it when the crawl is completed.
        os.utime(index, (0, 0))
        crawler.run("resume", folder, "--quiet")
        assert index.stat().st_mtime > 1, "it was not made again"
        assert index.read_bytes() == written_along
        crawler.run("verify", folder)


if __name__ == "__main__":
    main()
