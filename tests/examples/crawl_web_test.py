#!/usr/bin/env python3
"""crawl_web_test.py CRAWL_WEB SEARCH_CRAWL SITE: one example crawls SITE, and goes on in the same
folder; the other asks it."""
import functools
import http.server
import pathlib
import re
import subprocess
import sys
import tempfile
import threading

program, search, site = sys.argv[1:]


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


def run(base, folder):
    return subprocess.run([program, base, folder], capture_output=True, text=True, timeout=60,
                          check=True).stdout


with http.server.ThreadingHTTPServer(
        ("127.0.0.1", 0), functools.partial(Quiet, directory=site)) as server:
    threading.Thread(target=server.serve_forever, daemon=True).start()
    base = f"http://127.0.0.1:{server.server_address[1]}/"
    with tempfile.TemporaryDirectory() as folder:
        first = run(base, folder + "/crawl")
        found = set(re.findall(rf"^depth \d+  {re.escape(base)}(\S*)  \".*\"$", first, re.M))
        # All pages but one that robots.txt refuses and one that nothing links to.
        files = {str(path.relative_to(site)) for path in pathlib.Path(site).rglob("*.html")}
        pages = {name for name in files if name not in ("private/notes.html", "search.html")}
        assert {name + "index.html" if name[-1:] in ("", "/") else name for name in found} == pages
        assert re.search(rf"^{len(found)} pages, \d+ links$", first, re.M), first
        again = run(base, folder + "/crawl")
        assert again.startswith(f"{len(found)} pages"), again  # Nothing was fetched twice.

        def ask(query, code):
            done = subprocess.run([search, folder + "/crawl", query], capture_output=True,
                                  text=True, timeout=60)
            assert done.returncode == code, done
            return done.stdout + done.stderr

        answer = ask("rhine -danube", 0)
        assert f'{base}rivers/rhine.html  "Rhine"' in answer.splitlines()[0], answer
        assert "[Rhine]" in answer and re.search(r"^  rhine: \d\.\d{3}$", answer, re.M), answer
        ends = rf"^\d+ of {len(found)} pages\nabout: .+\nlike it: http"
        assert re.search(ends, answer, re.M), answer
        assert "rivers/rhine.html" in ask("rhime", 0), "the correction is searched at once"
        assert "never closed (character 7)" in ask("rhine (", 2) + ask("rhine (a", 2)
    server.shutdown()
print(f"{len(found)} pages, then none again")
