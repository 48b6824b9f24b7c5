#!/usr/bin/env python3
"""The service, as clients and attackers see it: every endpoint of `crawler serve` and of a crawl with
--serve, bad requests, other sites, tokens, limits, and what becomes of a crawl that is controlled."""
import csv
import http.client
import io
import json
import pathlib
import re
import shutil
import signal
import socket
import subprocess
import time
import urllib.parse

import harness
from serve_client import Service

WEB = ["1 pages=60 links=4 missing=2 redirects=2 copies=2 robots=200 disallow=/p/7",
       "2 pages=20 links=3 cross=1"]
SLOW = ["1 pages=200 links=4 latency=200"]
OPTIONS = harness.QUICK + ["--scope", "web", "--max-per-domain", "0"]


class Stored(harness.Case):
    """A crawl that is over, made once for all cases."""
    served = None

    @classmethod
    def setUpClass(cls):
        web = harness.SyntheticWeb(cls.synthetic_web, WEB)
        cls.addClassCleanup(web.__exit__)
        cls.web_served = web.__enter__()
        folder = pathlib.Path(web.folder) / "site"
        cls.folder = folder
        cls.crawler.run("crawl", web.url(), web.url(2), "--out", folder, *OPTIONS)
        cls.start_service()

    @classmethod
    def start_service(cls):
        cls.service = Service(cls.crawler, "serve", cls.folder, "--listen", "0")
        cls.addClassCleanup(cls.service.__exit__)


def check_metrics(case, text):
    """Has promtool judge metrics, where it is installed."""
    if not shutil.which("promtool"):
        print("promtool is not installed: the metrics are not checked")
        return
    done = subprocess.run(["promtool", "check", "metrics"], input=text, capture_output=True)
    case.assertEqual(done.returncode, 0, done.stderr.decode() + done.stdout.decode())


class Endpoints(Stored):
    def test_the_list_of_crawls(self):
        crawl, = self.service.json("/api/v1/crawls")
        self.assertEqual((crawl["name"], crawl["state"], crawl["controllable"]),
                         ("site", "finished", False))
        self.assertEqual(crawl["pages"], len(harness.Catalogue(self.folder).pages()))

    def test_status(self):
        status = self.service.api("site", "status")
        totals = json.loads(self.crawler.run("status", self.folder, "--json").stdout)
        for name, value in status["statistics"].items():
            self.assertEqual(value, totals[name], name)
        self.assertEqual(status["why_not_finished"], "")
        self.assertEqual({str(c["status"]): c["responses"] for c in status["codes"]},
                         {k: v["responses"] for k, v in totals["status_codes"].items()})

    def test_pages_are_all_there_once(self):
        urls = []
        for offset in range(0, 1000, 25):
            part = self.service.api("site", "pages", limit=25, offset=offset, sort="url")
            urls += [row["url"] for row in part["rows"]]
            if not part["rows"]:
                break
        self.assertEqual(urls, sorted(harness.Catalogue(self.folder).pages()))
        self.assertEqual(part["total"], len(urls))

    def test_pages_are_sorted_and_filtered(self):
        rows = self.service.api("site", "pages", sort="size", order="desc")["rows"]
        self.assertEqual(rows, sorted(rows, key=lambda row: -row["size"]))
        found = self.service.api("site", "pages", q="/P/1")
        self.assertTrue(found["rows"])
        self.assertTrue(all("/p/1" in row["url"] for row in found["rows"]))
        recent = self.service.api("site", "pages", recent=1, limit=5)["rows"]
        ids = [row["id"] for row in recent]
        self.assertEqual(ids, sorted(ids, reverse=True))
        self.assertEqual(self.service.json("/api/v1/crawls/site/pages?status=404")["total"], 0)

    def test_hosts_and_their_robots(self):
        hosts = self.service.api("site", "hosts", sort="host")
        export = self.crawler.run("export", self.folder, "hosts").stdout
        exported = {row["host"]: row for row in csv.DictReader(io.StringIO(export))}
        self.assertEqual(hosts["total"], len(exported))
        for row in hosts["rows"]:
            for name in ("requests", "pages", "errors", "urls"):
                self.assertEqual(row[name], int(exported[row["host"]][name]), name)
        origin = self.web_served.url(1, "")
        robots = self.service.api("site", "hosts/robots", host=origin)
        self.assertIn("Disallow: /p/7", robots["text"])
        self.service.api("site", "hosts/robots", status=404, host="http://nowhere.example")

    def test_explain(self):
        url = self.web_served.url(1, "/p/7")
        told = json.loads(self.crawler.run("explain", self.folder, url, "--json").stdout)
        answer = self.service.api("site", "explain", url=url)
        self.assertEqual(answer["fate"], "refused")
        for name in ("url", "fate", "robots", "depth", "links", "via"):
            self.assertEqual(answer[name], told[name], name)
        self.service.api("site", "explain", status=400)

    def test_links(self):
        catalogue = harness.Catalogue(self.folder)
        broken = self.service.api("site", "links", kind="broken", limit=1000)
        self.assertEqual(broken["total"], catalogue.value("SELECT count(*) FROM broken_links"))
        self.assertTrue(all(row["status"] == 404 for row in broken["rows"]))
        redirects = self.service.api("site", "links", kind="redirects", sort="hops", order="desc")
        self.assertEqual(redirects["total"],
                         catalogue.value("SELECT count(*) FROM redirect_chains"))
        self.assertEqual(redirects["rows"][0]["loop"], False)
        url = self.web_served.url(1, "/p/1")
        for kind, sql in (("in", "url = ?"), ("out", "from_url = ?")):
            links = self.service.api("site", "links", kind=kind, url=url, limit=1000)
            self.assertEqual(links["total"],
                             catalogue.value(f"SELECT count(*) FROM inlinks WHERE {sql}", url))
            self.assertEqual(links["total"], len(links["rows"]))
        self.service.api("site", "links", status=404, kind="in", url="http://nowhere.example/")

    def test_graph(self):
        for level in ("host", "page"):
            graph = self.service.api("site", "graph", level=level, limit=10)
            self.assertLessEqual(len(graph["nodes"]), 10)
            self.assertGreater(len(graph["nodes"]), 1)
            self.assertTrue(graph["edges"])
            for start, end, weight in graph["edges"]:
                self.assertLess(max(start, end), len(graph["nodes"]))
                self.assertGreater(weight, 0)
            self.assertFalse(graph["sampled"])

    def test_search_finds_what_the_command_finds(self):
        word = self.service.api("site", "suggest", q="p")[0]["word"]
        answer = self.service.api("site", "search", q=word, why=1)
        done = json.loads(self.crawler.run("search", self.folder, word, "--json").stdout)
        self.assertEqual([r["url"] for r in answer["results"]], [r["url"] for r in done["results"]])
        self.assertEqual(answer["total"], done["total"])
        for result in answer["results"]:
            text = result["snippet"].encode("utf-16-le")
            for begin, size in result["highlights"]:
                marked = text[2 * begin:2 * (begin + size)].decode("utf-16-le")
                self.assertTrue(marked.strip(), result)
            self.assertTrue(result["why"]["words"])
        self.service.api("site", "search", status=400)
        self.service.api("site", "search", status=400, q="(")

    def test_export_is_that_of_the_command(self):
        for what, form in (("pages", "csv"), ("links", "jsonl"), ("broken", "csv")):
            status, headers, body = self.service.request(
                f"/api/v1/crawls/site/export?what={what}&format={form}")
            self.assertEqual(status, 200)
            self.assertIn(f'filename="site-{what}.{form}"', headers["Content-Disposition"])
            done = self.crawler.run("export", self.folder, what, "--format", form)
            self.assertEqual(body.decode().replace("\r\n", "\n"), done.stdout)

    def test_a_stored_copy_is_shown_in_a_sandbox(self):
        url = self.web_served.url(1, "/p/1")
        status, headers, body = self.service.request(f"/api/v1/crawls/site/content?url={url}")
        self.assertEqual(status, 200)
        self.assertTrue(headers["Content-Type"].startswith("text/html"))
        self.assertTrue(headers["Content-Security-Policy"].startswith("sandbox; default-src 'none'"))
        self.assertIn(b"<a href", body)
        self.service.api("site", "content", status=404, url="http://nowhere.example/")

    def test_events(self):
        connection = http.client.HTTPConnection("127.0.0.1", self.service.port, timeout=30)
        connection.request("GET", "/api/v1/crawls/site/events")
        answer = connection.getresponse()
        self.assertEqual(answer.headers["Content-Type"], "text/event-stream")
        self.assertEqual(answer.readline(), b"event: status\n")
        line = answer.readline()
        self.assertEqual(json.loads(line.removeprefix(b"data: "))["name"], "site")
        connection.close()

    def test_metrics_are_the_numbers_of_the_crawl(self):
        status, headers, text = self.service.request("/metrics")
        self.assertEqual(status, 200)
        self.assertTrue(headers["Content-Type"].startswith("text/plain; version=0.0.4"))
        check_metrics(self, text)
        found = dict(re.findall(r'^crawler_(\w+?)(?:_total)?\{crawl="site"\} (\S+)$', text.decode(),
                                re.MULTILINE))
        for name, value in self.service.api("site", "status")["statistics"].items():
            self.assertEqual(float(found[name]), value, name)

    def test_answers_are_as_described(self):
        document = self.service.json("/api/v1/openapi.json")
        schemas = document["components"]["schemas"]

        def check(value, schema, where):
            schema = schemas[schema["$ref"].split("/")[-1]] if "$ref" in schema else schema
            if "oneOf" in schema:
                schema = schema["oneOf"][0] if value is not None else {"type": "null"}
                return check(value, schema, where)
            kinds = schema.get("type", [])
            names = {"object": dict, "array": list, "string": str, "integer": int,
                     "number": (int, float), "boolean": bool, "null": type(None)}
            self.assertTrue(any(isinstance(value, names[kind]) for kind in
                                ([kinds] if isinstance(kinds, str) else kinds)), f"{where}: {value}")
            if "enum" in schema:
                self.assertIn(value, schema["enum"], where)
            if isinstance(value, dict) and "properties" in schema:
                self.assertFalse(set(schema["required"]) - set(value), where)
                self.assertFalse(set(value) - set(schema["properties"]), where)
                for name, part in value.items():
                    check(part, schema["properties"][name], f"{where}.{name}")
            for part in value if isinstance(value, list) else ():
                check(part, schema["items"], f"{where}[]")

        given = {"url": self.web_served.url(1, "/p/1"), "kind": "in", "q": "page", "why": "1",
                 "host": self.web_served.url(1, "")}
        checked = 0
        for path, methods in document["paths"].items():
            answer = methods.get("get", {"responses": {}})["responses"].get("200", {})
            schema = answer.get("content", {}).get("application/json", {}).get("schema")
            if schema is None:
                continue
            names = [p.get("name", p.get("$ref", "").split("/")[-1])
                     for p in methods["get"].get("parameters", [])]
            filtered = {n: given[n] for n in names if n in given and (n != "q" or "sort" not in names)}
            query = urllib.parse.urlencode(filtered)
            check(self.service.json(f"{path.replace('{name}', 'site')}?{query}"), schema, path)
            checked += 1
        self.assertGreater(checked, 10)

    def test_health_ready_and_the_page(self):
        self.assertEqual(self.service.json("/health"), {"status": "ok", "reasons": []})
        self.assertEqual(self.service.json("/ready"), {"status": "ready"})
        status, headers, body = self.service.request("/")
        self.assertEqual(status, 200)
        self.assertIn(b"<!doctype html>", body.lower())
        policy = headers["Content-Security-Policy"]
        self.assertIn("default-src 'none'", policy)
        self.assertNotIn("unsafe", policy)
        self.assertEqual(headers["X-Content-Type-Options"], "nosniff")
        status, _, body = self.service.request("/", headers={"If-None-Match": headers["ETag"]})
        self.assertEqual((status, body), (304, b""))

    def test_a_crawl_that_is_only_read_is_not_controlled(self):
        for what in ("pause", "resume", "stop", "retry", "recrawl"):
            self.service.post("site", what, status=409)
        self.service.post("site", "seeds", {"seeds": ["http://127.0.0.1/"]}, status=409)
        self.service.json("/api/v1/crawls", 409, method="POST", body={"name": "x", "seeds": ["http://a/"]},
                          headers={"X-Crawler": "1"})


class BadRequests(Stored):
    def test_wrong_parameters_are_400(self):
        for path in ("pages?limit=0", "pages?limit=1001", "pages?limit=x", "pages?offset=-1",
                     "pages?sort=password", "pages?sort=url;DROP", "pages?order=up", "pages?status=x",
                     "hosts?sort=nothing", "links?kind=all", "links?kind=in", "graph?level=planet",
                     "graph?limit=99999", "export?what=secrets", "export?what=pages&format=exe",
                     "content", "hosts/robots", "search?q=a&limit=1000", "explain?url=" + "x" * 3000):
            with self.subTest(path=path):
                answer = self.service.json(f"/api/v1/crawls/site/{path}", 400)
                self.assertTrue(answer["error"])

    def test_sql_in_a_filter_is_text(self):
        for text in ("' OR 1=1 --", "%", "\x00", "'); DROP TABLE pages; --"):
            with self.subTest(text=text):
                self.assertEqual(self.service.api("site", "pages", q=text)["total"], 0)
        self.assertGreater(self.service.api("site", "pages")["total"], 0)

    def test_paths_outside_of_the_page_are_404(self):
        for path in ("/web/../../etc/passwd", "/web/%2e%2e/%2e%2e/etc/passwd", "/../crawl.db",
                     "/web/..%2f..%2fetc%2fpasswd", "/site/crawl.db", "/web/", "/web/index.html/",
                     "//etc/passwd", "/api/v1/crawls/../../x/status", "/api/v1/crawls/%2e%2e/status",
                     "/api/v1/crawls/nothing/status", "/api/v1/crawls//status",
                     "/api/v1/crawls/site%2f..%2fsite/status"):
            with self.subTest(path=path):
                status, _, body = self.service.request(path)
                self.assertEqual(status, 404)
                self.assertNotIn(b"root:", body)

    def test_methods(self):
        self.assertEqual(self.service.request("/health", method="HEAD")[::2], (200, b""))
        for method in ("PUT", "DELETE", "OPTIONS", "PATCH"):
            with self.subTest(method=method):
                self.assertEqual(self.service.request("/api/v1/crawls", method=method)[0], 405)
        for path, method in (("/health", "POST"), ("/api/v1/crawls/site/pause", "GET")):
            self.assertEqual(self.service.request(path, method=method,
                                                  headers={"X-Crawler": "1"})[0], 405)

    def head(self, *lines):
        return ("\r\n".join((f"Host: 127.0.0.1:{self.service.port}", "Connection: close", *lines))
                + "\r\n\r\n").encode()

    def test_malformed_requests(self):
        # What is not HTTP is refused with 4xx, or the connection is closed.
        for data in (b"\r\n\r\n", b"GET\r\n\r\n", b"GET / HTTP/9.9\r\n\r\n", b"\x00" * 100,
                     b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", b"GET / HTTP/1.1\r\n\r\n",
                     b"GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n",
                     b"POST /api/v1/crawls HTTP/1.1\r\n" + self.head("X-Crawler: 1"),
                     b"POST /api/v1/crawls HTTP/1.1\r\n" + self.head("X-Crawler: 1",
                                                                     "Content-Length: -5"),
                     b"POST /api/v1/crawls HTTP/1.1\r\n" + self.head("X-Crawler: 1",
                                                                     "Content-Length: 99999999999"),
                     b"GET /" + b"a" * 20000 + b" HTTP/1.1\r\n" + self.head(),
                     b"GET /" + b"a" * 3000 + b" HTTP/1.1\r\n" + self.head(),
                     b"GET / HTTP/1.1\r\n" + b"X: y\r\n" * 5000 + self.head(),
                     b"GET / HTTP/1.1\r\nX: " + b"y" * 100000 + b"\r\n" + self.head()):
            with self.subTest(data=data[:60]):
                answer = self.service.raw(data, wait=30)
                if answer:
                    self.assertRegex(answer.split(b"\r\n")[0], rb"^HTTP/1\.1 (4\d\d|503) ")
        self.assertEqual(self.service.request("/health")[0], 200)

    def test_bodies(self):
        headers = {"X-Crawler": "1", "Content-Type": "application/json"}
        big = b"[" + b"1," * 1_000_000 + b"1]"
        status, _, _ = self.service.request("/api/v1/crawls/site/seeds", method="POST", body=big,
                                            headers=headers)
        self.assertEqual(status, 413)
        for body in (b"{", b"[]", b"\xff\xff", b'{"seeds": 1}', b'{"seeds": [1]}', b"[" * 100_000):
            with self.subTest(body=body[:20]):
                status, _, answer = self.service.request("/api/v1/crawls/site/seeds", method="POST",
                                                         body=body, headers=headers)
                self.assertEqual(status, 400, answer)
        endless = b"POST /api/v1/crawls/site/seeds HTTP/1.1\r\n" + self.head(
            "X-Crawler: 1", "Transfer-Encoding: chunked") + b"10000\r\n" + b"x" * 0x10000 + b"\r\n"
        self.assertIn(b" 4", self.service.raw(endless + b"10000\r\n" * 400, wait=30)[:16])

    def test_no_header_is_injected(self):
        for path in ("/api/v1/crawls/site%0d%0aX-Evil:%201/export?what=pages",
                     "/api/v1/crawls/site/export?what=pages&format=csv%0d%0aX-Evil:%201",
                     "/%0d%0aX-Evil:%201"):
            _, headers, _ = self.service.request(path)
            self.assertNotIn("X-Evil", headers)

    def test_ranges_are_ignored(self):
        ranges = ",".join("0-0" for _ in range(1000))
        status, headers, body = self.service.request("/", headers={"Range": f"bytes={ranges}"})
        self.assertIn(status, (200, 416))
        self.assertLess(len(body), 1_000_000)


class OtherSites(Stored):
    def test_rebinding(self):
        port = self.service.port
        for host in ("evil.example", f"evil.example:{port}", "127.0.0.1", f"127.0.0.1:{port + 1}",
                     f"localhost.evil.example:{port}", f"127.0.0.1:{port}.evil.example", ""):
            with self.subTest(host=host):
                self.assertIn(self.service.request("/api/v1/crawls", host=host or " ")[0], (400, 403))
                self.assertIn(self.service.request("/", host=host or " ")[0], (400, 403))
        for host in (f"localhost:{port}", f"LOCALHOST:{port}", f"127.0.0.1:{port}", f"[::1]:{port}"):
            with self.subTest(host=host):
                self.assertEqual(self.service.request("/api/v1/crawls", host=host)[0], 200)

    def test_cross_site_requests(self):
        here = f"http://127.0.0.1:{self.service.port}"
        for headers in ({"Origin": "http://evil.example"}, {"Origin": "null"},
                        {"Origin": here + ".evil.example"}, {"Sec-Fetch-Site": "cross-site"},
                        {"Sec-Fetch-Site": "same-site"}):
            with self.subTest(headers=headers):
                self.assertEqual(self.service.request("/api/v1/crawls", headers=headers)[0], 403)
                self.assertEqual(self.service.request(
                    "/api/v1/crawls/site/stop", method="POST", body=b"{}",
                    headers={**headers, "X-Crawler": "1"})[0], 403)
        status, headers, _ = self.service.request("/api/v1/crawls", headers={"Origin": here})
        self.assertEqual(status, 200)
        self.assertNotIn("Access-Control-Allow-Origin", headers)
        # A link on another site may lead to the page.
        self.assertEqual(self.service.request("/", headers={"Sec-Fetch-Site": "cross-site"})[0], 200)

    def test_a_form_cannot_change_anything(self):
        for kind in ("application/x-www-form-urlencoded", "text/plain", "multipart/form-data"):
            status, _, _ = self.service.request("/api/v1/crawls/site/stop", method="POST", body=b"a=b",
                                                headers={"Content-Type": kind})
            self.assertEqual(status, 403)


class Tokens(Stored):
    @classmethod
    def start_service(cls):
        cls.service = Service(cls.crawler, "serve", cls.folder, "--listen", "0.0.0.0:0",
                              token="open-sesame")
        cls.addClassCleanup(cls.service.__exit__)

    def test_a_token_is_needed(self):
        self.assertEqual(len(self.service.json("/api/v1/crawls")), 1)
        for given in (None, "", "Bearer", "Bearer ", "Bearer open-sesam", "Bearer open-sesame2",
                      "Bearer OPEN-SESAME", "Basic open-sesame", "open-sesame"):
            with self.subTest(given=given):
                for path in ("/api/v1/crawls", "/metrics", "/api/v1/crawls/site/status", "/nothing"):
                    status, headers, body = self.service.request(path,
                                                                 headers={"Authorization": given})
                    self.assertEqual((status, headers.get("WWW-Authenticate")), (401, "Bearer"))
                    self.assertNotIn(b"site", body)
        for path in ("/", "/health", "/ready"):
            self.assertEqual(self.service.request(path, headers={"Authorization": None})[0], 200)

    def test_other_addresses_need_one(self):
        done = self.crawler.run("serve", self.folder, "--listen", "0.0.0.0:0", check=2)
        self.assertIn("CRAWLER_TOKEN", done.stderr)
        for address in ("nowhere", "1.2.3.4:x", "localhost:99999", ":80", "example.org:80"):
            self.crawler.run("serve", self.folder, "--listen", address, check=2)


class Load(Stored):
    def test_slow_and_idle_clients_do_not_keep_others_out(self):
        clients = []
        self.addCleanup(lambda: [client.close() for client in clients])
        for i in range(400):
            client = socket.create_connection(("127.0.0.1", self.service.port), timeout=30)
            clients.append(client)
            try:
                if i % 3 == 0:
                    client.sendall(b"GET /health HTTP/1.1\r\nHost: ")  # And no more.
            except OSError:
                pass  # Refused: there are too many.
        deadline = time.monotonic() + 60
        while True:
            try:
                if self.service.request("/health")[0] == 200:
                    break
            except (OSError, http.client.HTTPException):
                pass
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.1)

    def test_a_request_in_drops_is_cut_off(self):
        with socket.create_connection(("127.0.0.1", self.service.port), timeout=60) as client:
            began = time.monotonic()
            try:
                while time.monotonic() < began + 60:
                    client.sendall(b"X")
                    client.settimeout(0.5)
                    try:
                        if client.recv(1000) == b"":
                            break
                    except TimeoutError:
                        pass
            except OSError:
                pass
            self.assertLess(time.monotonic() - began, 50)

    def test_followers_are_limited(self):
        followers = []
        self.addCleanup(lambda: [follower.close() for follower in followers])
        refused = 0
        for _ in range(20):
            connection = http.client.HTTPConnection("127.0.0.1", self.service.port, timeout=30)
            followers.append(connection)
            connection.request("GET", "/api/v1/crawls/site/events")
            refused += connection.getresponse().status == 503
        self.assertGreater(refused, 0)
        self.assertLess(refused, 20)
        self.assertEqual(self.service.request("/health")[0], 200)


class Running(harness.Case):
    def start(self, web, *options):
        service = Service(self.crawler, "crawl", web.url(), "--out", self.out, *harness.QUICK,
                          "--serve", "0", *options)
        self.addCleanup(service.__exit__)
        return service

    def pause_at_once(self, service):
        deadline = time.monotonic() + 60
        while service.request("/api/v1/crawls/crawl/pause", method="POST", body={},
                              headers={"X-Crawler": "1"})[0] != 200:
            self.assertLess(time.monotonic(), deadline)  # It is not attached yet.

    def test_a_crawl_that_is_paused_and_resumed_loses_nothing(self):
        web = self.web(*SLOW)
        reference = self.base / "reference"
        self.crawler.run("crawl", web.url(), "--out", reference, *harness.QUICK)
        service = self.start(web)
        service.wait_for("crawl", lambda s: s["statistics"]["pages"] >= 20)
        self.assertEqual(service.post("crawl", "pause")["state"], "paused")
        paused = service.wait_for("crawl", lambda s: s["statistics"]["urls_under_way"] == 0)
        self.assertIn("paused", paused["why_not_finished"])
        requests = len(web.flush_log())
        time.sleep(1)
        self.assertEqual(len(web.flush_log()), requests)
        # Another process sees it as well, once it is committed.
        deadline = time.monotonic() + 30
        while json.loads(self.crawler.run("status", self.out, "--json").stdout)["state"] != "paused":
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.1)
        self.assertEqual(service.post("crawl", "resume")["state"], "running")
        self.assertEqual(service.process.wait(timeout=120), 0)
        self.assert_verified()
        found, expected = (harness.Catalogue(f).state() for f in (self.out, reference))
        for part in expected:
            self.assert_same(expected[part], found[part], part)

    def test_live_numbers_events_and_metrics(self):
        web = self.web(*SLOW)
        service = self.start(web)
        connection = http.client.HTTPConnection("127.0.0.1", service.port, timeout=60)
        connection.request("GET", "/api/v1/crawls/crawl/events")
        answer = connection.getresponse()
        kinds = set()
        while kinds != {"status", "page", "log"}:
            line = answer.readline().decode()
            if line.startswith("event: "):
                kinds.add(line.removeprefix("event: ").strip())
            elif line.startswith("data: "):
                json.loads(line.removeprefix("data: "))
        connection.close()
        status = service.wait_for("crawl", lambda s: s["statistics"]["pages"] >= 30)
        self.assertTrue(status["controllable"])
        self.assertEqual(status["state"], "running")
        series = service.api("crawl", "series")
        self.assertTrue(series["points"])
        pages = [point["pages"] for point in series["points"]]
        self.assertEqual(pages, sorted(pages))
        self.assertTrue(service.api("crawl", "pages", recent=1)["rows"])
        _, _, text = service.request("/metrics")
        check_metrics(self, text)
        self.assertIn('crawler_running{crawl="crawl"} 1', text.decode())
        self.assertIn('crawler_request_duration_seconds_bucket{crawl="crawl",le="+Inf"}',
                      text.decode())
        service.post("crawl", "stop", status=202)
        self.assertEqual(service.process.wait(timeout=60), 0)
        self.assert_verified()

    def test_seeds_are_added(self):
        # 2 has a host of its own, so the web is the scope.
        web = self.web("1 pages=40 latency=200", "2 pages=5")
        service = self.start(web, "--scope", "web", "--max-per-domain", "0")
        self.pause_at_once(service)
        service.wait_for("crawl", lambda s: s["statistics"]["urls_known"] >= 1)
        self.assertEqual(service.post("crawl", "seeds", {"seeds": [web.url(2)]}), {"added": 1})
        self.assertEqual(service.post("crawl", "seeds", {"seeds": [web.url(2)]}), {"added": 0})
        service.post("crawl", "seeds", {"seeds": ["ftp://x/"]}, status=400)
        service.post("crawl", "resume")
        self.assertEqual(service.process.wait(timeout=120), 0)
        self.assertIn(web.url(2), harness.Catalogue(self.out).pages())
        self.assert_verified()

    def test_seeds_out_of_scope_are_refused(self):
        web = self.web("1 pages=40 latency=200")
        service = self.start(web)
        self.pause_at_once(service)
        service.wait_for("crawl", lambda s: s["statistics"]["urls_known"] >= 1)
        answer = service.post("crawl", "seeds", {"seeds": [web.url(2)]}, status=400)
        self.assertIn("scope", answer["error"])

    def test_retry_runs_again_at_the_end(self):
        web = self.web("1 pages=30 latency=200 fail-every=10 fail-tries=1")
        service = self.start(web, "--retries", "0")
        self.pause_at_once(service)
        self.assertTrue(service.post("crawl", "retry", status=202)["retry_asked"])
        service.post("crawl", "retry", {"kind": "bad weather"}, status=400)
        service.post("crawl", "resume")
        self.assertEqual(service.process.wait(timeout=120), 0)
        self.assertEqual(len(harness.Catalogue(self.out).pages()), 30)
        self.assert_verified()

    def test_a_folder_that_another_process_crawls(self):
        web = self.web(*SLOW)
        crawl = self.start(web)
        crawl.wait_for("crawl", lambda s: s["statistics"]["pages"] >= 20)
        with Service(self.crawler, "serve", self.out, "--listen", "0") as service:
            status = service.wait_for("crawl", lambda s: s["statistics"]["pages"] >= 20)
            self.assertEqual((status["state"], status["controllable"]), ("running", False))
            self.assertIn("another process", service.post("crawl", "pause", status=409)["error"])
            crawl.post("crawl", "stop", status=202)
            crawl.process.wait(timeout=60)
            service.wait_for("crawl", lambda s: s["state"] == "stopped")


class Signals(harness.Case):
    def test_sigterm_commits_everything_within_ten_seconds(self):
        web = self.web("1 pages=300 latency=200", "2 dead=hang")
        self.out = self.base / "root" / "site"
        (self.base / "root").mkdir()
        with Service(self.crawler, "serve", "--root", self.base / "root", "--listen", "0",
                     *harness.LOOPBACK, "--delay", "0", "--per-host", "8") as service:
            service.json("/api/v1/crawls", 201, method="POST", headers={"X-Crawler": "1"},
                         body={"name": "site", "seeds": [web.url(), web.url(2)]})
            status = service.wait_for("site", lambda s: s["statistics"]["pages"] >= 20)
            service.process.send_signal(signal.SIGTERM)
            began = time.monotonic()
            self.assertEqual(service.process.wait(timeout=60), 0)
            self.assertLess(time.monotonic() - began, 10 if not harness.SANITIZED else 60)
        self.assertGreaterEqual(len(harness.Catalogue(self.out).pages()),
                                status["statistics"]["pages"])
        self.assert_verified()

    def test_sighup_opens_the_log_again(self):
        web = self.web("1 pages=5")
        root, log = self.base / "root", self.base / "log"
        root.mkdir()
        with Service(self.crawler, "serve", "--root", root, "--listen", "0", "--log", log,
                     *harness.LOOPBACK, "--delay", "0") as service:
            def crawl(name):
                service.json("/api/v1/crawls", 201, method="POST", headers={"X-Crawler": "1"},
                             body={"name": name, "seeds": [web.url()]})
                service.wait_for(name, lambda s: s["state"] == "finished")
            crawl("first")
            log.rename(self.base / "old")
            service.process.send_signal(signal.SIGHUP)
            deadline = time.monotonic() + 30
            while not log.exists():
                self.assertLess(time.monotonic(), deadline)
                time.sleep(0.05)
            crawl("second")
        self.assertIn("crawl=first", (self.base / "old").read_text())
        self.assertIn("crawl=second", log.read_text())
        self.assertNotIn("crawl=second", (self.base / "old").read_text())

    def test_systemd_is_told(self):
        web = self.web("1 pages=3")
        self.crawler.run("crawl", web.url(), "--out", self.out, *harness.QUICK)
        path = self.base / "notify"
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as listener:
            listener.bind(str(path))
            listener.settimeout(60)
            with Service(self.crawler, "serve", self.out, "--listen", "0",
                         environment={"NOTIFY_SOCKET": str(path), "WATCHDOG_USEC": "1000000"}):
                self.assertEqual(listener.recv(100), b"READY=1")
                for _ in range(3):
                    self.assertEqual(listener.recv(100), b"WATCHDOG=1")
            said = [listener.recv(100)]
            while said[-1] == b"WATCHDOG=1":
                said.append(listener.recv(100))
            self.assertEqual(said[-1], b"STOPPING=1")


class Root(harness.Case):
    def setUp(self):
        super().setUp()
        self.root = self.base / "root"
        self.root.mkdir()

    def service(self, *options):
        service = Service(self.crawler, "serve", "--root", self.root, "--listen", "0",
                          *harness.LOOPBACK, "--delay", "0", "--per-host", "8", *options)
        self.addCleanup(service.__exit__)
        return service

    def begin(self, service, status=201, **body):
        return service.json("/api/v1/crawls", status, method="POST", headers={"X-Crawler": "1"},
                            body=body)

    def test_crawls_are_started_queued_stopped_and_resumed(self):
        web = self.web("1 pages=120 latency=200")
        service = self.service()
        for name in ("one", "two", "three"):
            self.assertEqual(self.begin(service, name=name, seeds=[web.url()],
                                        options={"max_pages": 100}), {"name": name})
        service.wait_for("one", lambda s: s["statistics"]["pages"] >= 5)
        self.assertEqual(service.api("two", "status")["state"], "queued")
        service.post("two", "stop", status=202)
        self.assertNotEqual(service.api("two", "status")["state"], "queued")
        service.post("one", "stop", status=202)
        service.wait_for("one", lambda s: s["state"] == "stopped" and not s["process"])
        service.wait_for("three", lambda s: s["state"] == "budget spent")
        service.post("one", "resume", status=202)
        status = service.wait_for("one", lambda s: s["state"] == "budget spent" and not s["process"])
        self.assertEqual(status["statistics"]["pages"], 100)
        service.post("one", "recrawl", status=202)
        service.wait_for("one", lambda s: s["statistics"]["pages_unchanged"] > 50 and
                         not s["process"])
        self.assert_verified(self.root / "one")

    def test_what_cannot_be_started(self):
        web = self.web("1 pages=3")
        service = self.service()
        self.begin(service, name="one", seeds=[web.url()])
        self.begin(service, status=409, name="one", seeds=[web.url()])
        for name in ("../evil", "a/b", "", ".", "..", ".hidden", "-x", "x" * 200, "a\nb", "a b"):
            with self.subTest(name=name):
                self.begin(service, status=400, name=name, seeds=[web.url()])
        for body in ({"seeds": []}, {"seeds": ["nonsense"]}, {"seeds": [web.url()], "options": 5},
                     {"seeds": [web.url()], "options": {"proxy": "http://evil"}},
                     {"seeds": [web.url()], "options": {"allow_nets": ["0.0.0.0/0"]}},
                     {"seeds": [web.url()], "options": {"max_pages": -1}},
                     {"seeds": [web.url()], "options": {"scope": "universe"}},
                     {"seeds": [web.url()], "options": {"include": ["("]}}):
            with self.subTest(body=body):
                self.begin(service, status=400, name="two", **body)
        self.assertFalse((self.root / "two").exists())

    def test_links_below_the_root_are_not_followed(self):
        web = self.web("1 pages=3")
        outside = self.base / "outside"
        self.crawler.run("crawl", web.url(), "--out", outside, *harness.QUICK)
        (self.root / "linked").symlink_to(outside)
        (self.root / "half").mkdir()
        (self.root / "half" / "crawl.db").symlink_to(outside / "crawl.db")
        (self.root / "dangling").symlink_to(self.base / "not-there")
        (self.root / "file").write_text("x")
        service = self.service()
        self.assertEqual(service.json("/api/v1/crawls"), [])
        self.begin(service, status=409, name="linked", seeds=[web.url()])
        self.begin(service, status=409, name="dangling", seeds=[web.url()])
        self.assertFalse((self.base / "not-there").exists())

    def test_folders_come_and_go(self):
        web = self.web("1 pages=3")
        service = self.service()
        self.crawler.run("crawl", web.url(), "--out", self.root / "later", *harness.QUICK)
        deadline = time.monotonic() + 30
        while not service.json("/api/v1/crawls"):
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.1)
        self.assertEqual(service.api("later", "status")["state"], "finished")


if __name__ == "__main__":
    harness.main(__doc__)
