#!/usr/bin/env python3
"""Sites nobody here wrote: the HTML of Debian's documentation packages behind nginx.

The set of pages equals what an independent walk of the same server finds; none twice, by
the access log; the WARC holds every response as it was received. Exits with 77 if nginx or a
package is not installed.
"""
import collections
import gzip
import hashlib
import pathlib
import shutil
import sys
import tempfile

import harness

sys.path.insert(0, str(harness.HERE.parent / "web"))
import docs_site  # noqa: E402
import site_walker  # noqa: E402

SKIPPED = 77


def check_pages(name, url, catalogue):
    """The pages are those of an independent walk, and none is there twice."""
    host = url.split("/")[2]
    urls = [row[0] for row in catalogue.rows("SELECT url FROM pages WHERE url LIKE ? "
                                             "AND content_type IN ('text/html', "
                                             "'application/xhtml+xml')", f"http://{host}/%")]
    assert len(urls) == len(set(urls)), f"{name}: a page is stored twice"
    walked = site_walker.walk(url)
    assert len(walked) > 500, f"{name}: the walk found only {len(walked)} pages"
    harness.compare(walked, urls, f"{name}: the pages of the walk and of the crawl")
    print(f"{name}: {len(urls)} pages, those of an independent walk")


def check_asked_once(requests):
    counts = collections.Counter((r.host, r.path) for r in requests)
    again = [key for key, count in counts.items() if count > 1]
    assert not again, f"asked for twice: {again[:5]}"


def read_record(path, offset, length):
    """The WARC record in the gzip member at `offset`: its headers and its block."""
    with open(path, "rb") as file:
        file.seek(offset)
        head, block = gzip.decompress(file.read(length)).split(b"\r\n\r\n", 1)
    version, *lines = head.decode().split("\r\n")
    assert version == "WARC/1.1", version
    headers = dict(line.split(": ", 1) for line in lines)
    size = int(headers["Content-Length"])
    assert block[size:] == b"\r\n\r\n", "a record must end with two line ends"
    return headers, block[:size]


def check_archive(folder, catalogue):
    """Any gzip reader finds each page's response where the catalogue says."""
    files = sorted((folder / "warc").glob("*.warc.gz"))
    rows = catalogue.rows("SELECT url, content_hash, status_code, warc_file, warc_offset, "
                          "warc_length FROM pages WHERE duplicate_of IS NULL")
    for url, content_hash, status, file, offset, length in rows:
        headers, block = read_record(files[file - 1], offset, length)
        assert headers["WARC-Type"] == "response" and headers["WARC-Target-URI"] == url, headers
        head, body = block.split(b"\r\n\r\n", 1)
        assert head.startswith(f"HTTP/1.1 {status} ".encode()), head[:40]
        assert b"content-encoding" not in head.lower()  # This nginx packs nothing.
        assert hashlib.sha256(body).hexdigest() == content_hash, f"{url}: other content"
    assert len(rows) > 500


def run(crawler, site, folder):
    seeds = site.urls.values()
    totals = crawler.totals("crawl", *seeds, "--out", folder, *harness.QUICK, timeout=300)
    assert totals["outcome"] == "finished", totals
    check_asked_once(site.new_requests())
    catalogue = harness.Catalogue(folder)
    for name, url in site.urls.items():
        check_pages(name, url, catalogue)
    check_archive(folder, catalogue)
    crawler.run("verify", folder, timeout=300)


def main():
    def add(parser):
        parser.add_argument("--sites", default="postgresql", help="names of docs_site.py, with commas")
    arguments = harness.programs(__doc__, add)
    folder = pathlib.Path(tempfile.mkdtemp(prefix="docs-test-"))
    try:
        with docs_site.DocsSite(arguments.sites.split(",")) as site:
            run(harness.Crawler(arguments.crawler), site, folder / "crawl")
    except docs_site.Missing as missing:
        print(f"docs_test: skipped: {missing}")
        return SKIPPED
    finally:
        shutil.rmtree(folder)
    return 0


if __name__ == "__main__":
    sys.exit(main())
