#!/usr/bin/env python3
"""check_scoring.py CRAWLER: the example of docs/scoring.md is what a crawl of the demo site does, and
its formula gives the scores."""
import pathlib
import re
import sqlite3
import subprocess
import sys
import tempfile

import demo

ROW = re.compile(r"^\| \d+ \| `(/\S*)` \| (\d+) \| (\d+) \| (\d+) \| ([\d.]+) \|$", re.MULTILINE)


def main():
    rows = ROW.findall((demo.ROOT / "docs/scoring.md").read_text())
    assert len(rows) >= 5, rows
    for url, pages, links, host_links, score in rows:
        computed = max(0, 10 - int(pages) / 10) + int(links) + int(host_links) / 100
        assert abs(computed - float(score)) < 0.001, f"{url}: {computed}, not {score}"
    with tempfile.TemporaryDirectory() as folder, demo.picture.served() as port:
        # One request at a time, so that the order does not depend on the speed of the machine.
        subprocess.run([sys.argv[1], "crawl", f"http://127.0.0.1:{port}/", "--out", f"{folder}/site",
                        "--allow-net", "127.0.0.0/8", "--delay", "0", "--quiet"], check=True,
                       stdout=subprocess.DEVNULL)
        database = sqlite3.connect(pathlib.Path(folder, "site/crawl.db"))
        found = database.execute("SELECT url, priority FROM pages ORDER BY id").fetchall()
        database.close()
        origin = f"http://127.0.0.1:{port}"
        expected = [(origin + url, float(score)) for url, *_, score in rows]
        assert found[:len(rows)] == expected, f"{found[:len(rows)]} instead of {expected}"
    print(f"{len(rows)} scores agree")


if __name__ == "__main__":
    main()
