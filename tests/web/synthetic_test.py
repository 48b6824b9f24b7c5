#!/usr/bin/env python3
"""synthetic_test.py SYNTHETIC_WEB: the server as crawlers meet it, judged by Python's own parsers.

What it serves is walked by site_walker and must be what it expects; its log must convince check_log
of a polite crawl and betray a rude one.
"""
import email.utils
import gzip
import http.client
import pathlib
import socket
import subprocess
import sys
import tempfile
import threading
import time
import unittest
import urllib.robotparser

import site_walker

HERE = pathlib.Path(__file__).parent
PROGRAM = None


class Web:
    """A synthetic_web that runs; `with` ends it."""

    def __init__(self, *hosts, arguments=()):
        self.hosts = [part for host in hosts for part in ("--host", host)]
        self.folder = tempfile.TemporaryDirectory()
        self.log = pathlib.Path(self.folder.name) / "log"
        self.process = subprocess.Popen(
            [PROGRAM, *self.hosts, *arguments, "--log", self.log, "--max-seconds", "60"],
            stdout=subprocess.PIPE, text=True)
        self.port = int(self.process.stdout.readline().removeprefix("PORT "))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.end()
        self.folder.cleanup()

    def end(self):
        self.process.terminate()
        self.process.wait(10)
        self.process.stdout.close()

    def expect(self, *arguments):
        """Pairs of fate and URL."""
        output = subprocess.run([PROGRAM, *self.hosts, "--expect", "--port", str(self.port),
                                 *arguments], check=True, stdout=subprocess.PIPE, text=True).stdout
        (pathlib.Path(self.folder.name) / "expect").write_text(output)
        return [tuple(line.split("\t")[:2]) for line in output.splitlines()]

    def pages(self, *arguments):
        return {url for fate, url in self.expect(*arguments) if fate == "page"}

    def url(self, host, path="/"):
        return f"http://127.0.0.{host}:{self.port}{path}"

    def get(self, host, path, headers={}, timeout=10):
        connection = http.client.HTTPConnection(f"127.0.0.{host}", self.port, timeout=timeout)
        try:
            connection.request("GET", path, headers=headers)
            response = connection.getresponse()
            return response, response.read()
        finally:
            connection.close()

    def raw(self, data):
        """What comes back for any bytes until the server closes; None if it does so abruptly."""
        try:
            with socket.create_connection(("127.0.0.1", self.port), timeout=5) as connection:
                connection.sendall(data)
                connection.shutdown(socket.SHUT_WR)
                answer = b""
                while part := connection.recv(65536):
                    answer += part
                return answer
        except OSError as error:
            if isinstance(error, TimeoutError):
                raise
            return None

    def log_lines(self):
        self.end()
        return [line.split("\t") for line in self.log.read_text().splitlines()[1:]]

    def check_log(self, *arguments):
        self.end()
        expect = pathlib.Path(self.folder.name) / "expect"
        return subprocess.run([sys.executable, HERE / "check_log", self.log, "--expect", expect,
                               *arguments], stdout=subprocess.PIPE, text=True)


class SyntheticWebTest(unittest.TestCase):
    def test_a_walk_finds_what_is_expected(self):
        for host in ("pages=300 links=5 bytes=900", "shape=ring pages=40", "shape=star pages=50",
                     "shape=tree pages=85 links=4", "shape=chain pages=9",
                     "pages=60 redirects=3 loop=2 copies=2 files=2 missing=2 gzip=1",
                     "pages=200 links=3 nofollow-every=2 meta-nofollow-every=4 canonical-every=2",
                     "pages=30 latency=2 fail-every=50"):
            with self.subTest(host), Web("1 " + host, "2 pages=3") as web:
                pages = web.pages("--no-robots")
                self.assertEqual(site_walker.walk(web.url(1), processes=1), pages)

    def test_no_page_of_a_walk_is_asked_twice(self):
        with Web("1 pages=100 links=8") as web:
            site_walker.walk(web.url(1), processes=1)
            paths = [fields[5] for fields in web.log_lines()]
            self.assertEqual(len(paths), 100)
            self.assertEqual(len(set(paths)), 100)

    def test_robots_refuses_what_pythons_parser_refuses(self):
        with Web("1 shape=star pages=60 robots=200 disallow=/p/2,/p/11,/copy copies=3") as web:
            robots = urllib.robotparser.RobotFileParser(web.url(1, "/robots.txt"))
            robots.read()
            refused = 0
            for fate, url in web.expect():
                if fate != "host":
                    self.assertEqual(fate == "refused", not robots.can_fetch("crawler", url), url)
                    refused += fate == "refused"
            self.assertEqual(refused, 11 + 1 + 3)

    def test_crawl_delay_and_sitemap_lines(self):
        with Web("1 robots=200 crawl-delay=2000 sitemap=gzip listed=2") as web:
            _, body = web.get(1, "/robots.txt")
            self.assertIn(b"Crawl-delay: 2.000\n", body)
            self.assertIn(f"Sitemap: {web.url(1)}sitemap-1.xml.gz\n".encode(), body)
            _, body = web.get(1, "/sitemap-1.xml.gz")
            self.assertIn(web.url(1, "/listed/1").encode(), gzip.decompress(body))

    def test_states_of_robots(self):
        for state, status in (("404", 404), ("401", 401), ("500", 500), ("503", 503),
                              ("429", 429), ("redirect", 302), ("redirect-loop", 302)):
            with self.subTest(state), Web(f"1 robots={state}") as web:
                self.assertEqual(web.get(1, "/robots.txt")[0].status, status)
        with Web("1 robots=huge", "2 robots=close", "3 robots=503 robots-fails=1") as web:
            self.assertGreater(len(web.get(1, "/robots.txt")[1]), 1_000_000)
            with self.assertRaises(http.client.RemoteDisconnected):
                web.get(2, "/robots.txt")
            self.assertEqual(web.get(3, "/robots.txt")[0].status, 503)
            self.assertEqual(web.get(3, "/robots.txt")[0].status, 200)

    def test_throttling_ends(self):
        with Web("1 throttle=2 retry-after=7", "2 throttle-every=2 retry-form=date") as web:
            statuses = []
            for _ in range(3):
                response, _ = web.get(1, "/")
                statuses.append((response.status, response.getheader("Retry-After")))
            self.assertEqual(statuses, [(429, "7"), (429, "7"), (200, None)])
            self.assertEqual(web.get(2, "/")[0].status, 200)
            response, _ = web.get(2, "/p/1")
            self.assertEqual(response.status, 429)
            until = email.utils.parsedate_to_datetime(response.getheader("Retry-After"))
            self.assertTrue(0.9 <= until.timestamp() - time.time() <= 2.1)

    def test_failures_heal(self):
        with Web("1 fail-every=2 fail-tries=2 fail-status=502") as web:
            self.assertEqual([web.get(1, "/p/1")[0].status for _ in range(3)], [502, 502, 200])
            self.assertEqual(web.get(1, "/p/2")[0].status, 200)

    def test_gzip_if_the_client_takes_it(self):
        with Web("1 gzip=1 bytes=100000") as web:
            plain, body = web.get(1, "/")
            packed, data = web.get(1, "/", {"Accept-Encoding": "gzip"})
            self.assertIsNone(plain.getheader("Content-Encoding"))
            self.assertEqual(packed.getheader("Content-Encoding"), "gzip")
            self.assertEqual(gzip.decompress(data), body)

    def test_x_robots_tag(self):
        with Web("1 header-every=1") as web:
            self.assertEqual(web.get(1, "/")[0].getheader("X-Robots-Tag"), "noindex, nofollow")

    def test_a_slow_host_delays_no_other(self):
        with Web("1 latency=1500", "2 pages=50") as web:
            slow = threading.Thread(target=web.get, args=(1, "/"))
            start = time.monotonic()
            slow.start()
            for n in range(1, 20):
                web.get(2, f"/p/{n}")
            quick_took = time.monotonic() - start
            slow.join()
            self.assertGreaterEqual(time.monotonic() - start, 1.5)
            self.assertLess(quick_took, 1.4)

    def test_dead_hosts(self):
        with Web("1", "2 dead=refuse", "3 dead=hang", "4 dead=close") as web:
            with self.assertRaises(ConnectionRefusedError):
                web.get(2, "/")
            with self.assertRaises(TimeoutError):
                web.get(3, "/", timeout=0.2)
            with self.assertRaises(http.client.RemoteDisconnected):
                web.get(4, "/")
            logged = [(fields[3].split(":")[0], fields[6]) for fields in web.log_lines()]
            self.assertEqual(sorted(logged), [("127.0.0.3", "0"), ("127.0.0.4", "0")])

    def test_hostile_clients(self):
        with Web("1 pages=5") as web:
            for data in (b"\0\xff" * 1000 + b"\r\n\r\n", b"GET / HTTP/9\r\n\r\n",
                         b"POST / HTTP/1.1\r\nContent-Length: 9\r\n\r\n"):
                self.assertTrue(web.raw(data).startswith(b"HTTP/1.1 400 "), data[:20])
            # Closed with bytes unread, so the answer may not arrive.
            self.assertTrue((web.raw(b"x" * 200_000) or b"HTTP/1.1 400 ").startswith(b"HTTP/1.1 400 "))
            self.assertTrue(web.raw(b"PUT / HTTP/1.0\r\n\r\n").startswith(b"HTTP/1.1 405 "))
            self.assertEqual(web.raw(b"GET / HT"), b"")
            self.assertEqual(web.get(1, "/p/1")[0].status, 200)

    def test_pipelined_requests_are_answered_in_order(self):
        with Web("1 pages=3000") as web:
            requests = b"".join(b"GET /p/%d HTTP/1.1\r\n\r\n" % n for n in range(1, 2001))
            with socket.create_connection(("127.0.0.1", web.port), timeout=10) as connection:
                connection.sendall(requests + b"GET /p/9999 HTTP/1.0\r\n\r\n")
                answer = b""
                while part := connection.recv(1 << 20):
                    answer += part
            self.assertEqual(answer.count(b"HTTP/1.1 200 OK"), 2000)
            self.assertLess(answer.index(b"<h1>/p/7<"), answer.index(b"<h1>/p/1999<"))

    def test_more_ports_are_more_hosts(self):
        with Web("1 pages=2", "1:1 pages=3 shape=star") as web:
            second = f"127.0.0.1:{web.port + 1}"
            self.assertIn(f"http://{second}/p/2", web.pages("--from", "1"))
            connection = http.client.HTTPConnection(second)
            connection.request("GET", "/p/2")
            self.assertEqual(connection.getresponse().status, 200)
            connection.close()

    def test_the_log_is_there_after_sigusr1(self):
        with Web("1") as web:
            web.get(1, "/")
            web.process.send_signal(10)
            deadline = time.monotonic() + 5
            while not web.log.read_text().endswith("#flushed\n") and time.monotonic() < deadline:
                time.sleep(0.01)
            self.assertRegex(web.log.read_text(), r"\tGET\t/\t200\t.*\n#flushed\n$")

    def test_it_ends_by_itself(self):
        with subprocess.Popen([PROGRAM, "--host", "1", "--max-seconds", "0"],
                              stdout=subprocess.DEVNULL) as process:
            self.assertEqual(process.wait(10), 0)

    def crawl(self, web, delay, respect=True):
        """One after the other, robots.txt first, as expected."""
        web.get(1, "/robots.txt")
        for fate, url in web.expect():
            if fate == "page" or (fate == "refused" and not respect):
                time.sleep(delay)
                web.get(1, "/" + url.split("/", 3)[3])

    def test_the_log_of_a_polite_crawl_convinces(self):
        with Web("1 shape=star pages=6 robots=200 disallow=/p/3") as web:
            self.crawl(web, 0.1)
            check = web.check_log("--delay", "0.1", "--slack", "0.02")
            self.assertEqual(check.returncode, 0, check.stdout)

    def test_the_log_of_a_rude_crawl_does_not(self):
        with Web("1 shape=star pages=6 robots=200 disallow=/p/3") as web:
            self.crawl(web, 0.0, respect=False)
            check = web.check_log("--delay", "0.5")
            self.assertEqual(check.returncode, 1)
            self.assertRegex(check.stdout, "(?m)^delay: ")
            self.assertRegex(check.stdout, "(?m)^refused: .*/p/3 ")


if __name__ == "__main__":
    PROGRAM = sys.argv.pop(1)
    unittest.main()
