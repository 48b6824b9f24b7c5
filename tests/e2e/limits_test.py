"""Limits of docs/limits.md as a user meets them: sizes, and the memory of the process."""
import asyncio
import gzip
import os
import random
import subprocess
import threading

import harness

MB = 1_000_000
MIB = 1 << 20
PIECE = 1 << 18
HTML = {"Content-Type": "text/html"}
WEB = [*harness.LOOPBACK, "--delay", "0", "--quiet", "--scope", "web", "--max-per-domain", "0",
       "--fetch-threads", "2"]


class RawServer:
    """Answers every request with the parts that `answer(host, path)` yields: bytes, or seconds to
    wait. Listens on all loopback addresses, so that there can be many hosts."""

    def __init__(self, answer):
        self.answer = answer

    async def serve(self, reader, writer):
        try:
            while True:
                head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
                host = writer.get_extra_info("sockname")[0]
                for part in self.answer(host, head.split()[1]):
                    if isinstance(part, bytes):
                        # Of a large buffer asyncio moves the rest with every send.
                        for i in range(0, len(part), PIECE):
                            writer.write(part[i:i + PIECE])
                            await writer.drain()
                    else:
                        await asyncio.sleep(part)
        except (ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError):
            pass
        finally:
            writer.close()

    async def run(self, ready):
        server = await asyncio.start_server(self.serve, "0.0.0.0", 0)
        self.port = server.sockets[0].getsockname()[1]
        self.stopped = asyncio.Event()
        self.loop = asyncio.get_running_loop()
        ready.set()
        await self.stopped.wait()
        server.close()

    def __enter__(self):
        ready = threading.Event()
        self.thread = threading.Thread(target=lambda: asyncio.run(self.run(ready)), daemon=True)
        self.thread.start()
        ready.wait(30)
        return self

    def __exit__(self, *_):
        self.loop.call_soon_threadsafe(self.stopped.set)
        self.thread.join(30)

    def url(self, path="/", host="127.0.0.1"):
        return f"http://{host}:{self.port}{path}"


def response(body, status="200 OK", **headers):
    lines = {"Content-Type": "text/html", "Content-Length": str(len(body)), **headers}
    head = "".join(f"{name.replace('_', '-')}: {value}\r\n" for name, value in lines.items())
    return f"HTTP/1.1 {status}\r\n{head}\r\n".encode() + body


NOT_FOUND = response(b"", "404 Not Found")


class LimitsTest(harness.Case):
    def peak(self, *arguments, check=0, timeout=120):
        """Runs the crawler; the most memory that it had, in bytes."""
        process = subprocess.Popen([self.crawler.program, *map(str, arguments)],
                                   stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        timer = threading.Timer(timeout, process.kill)
        timer.start()
        said = process.stdout.read()
        _, status, usage = os.wait4(process.pid, 0)
        timer.cancel()
        process.returncode = os.waitstatus_to_exitcode(status)
        process.stdout.close()
        self.assertEqual(process.returncode, check, said)
        return usage.ru_maxrss * 1024

    def assert_peak(self, peak, most):
        if not harness.SANITIZED:
            self.assertLess(peak, most)

    def test_a_page_over_the_limit_is_cut_whether_its_length_is_announced_or_not(self):
        body = b"<title>t</title><p>" + b"word " * 20_000
        chunked = (b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nTransfer-Encoding: chunked\r\n\r\n"
                   + f"{len(body):x}\r\n".encode() + body + b"\r\n0\r\n\r\n")
        pages = {"/": response(b"<a href=/announced>a</a><a href=/chunked>c</a>"),
                 "/announced": response(body), "/chunked": chunked}
        with RawServer(lambda _, path: [pages.get(path, NOT_FOUND)]) as server:
            self.crawler.run("crawl", server.url(), "--out", self.out, *harness.QUICK,
                             "--max-page-bytes", "50kB")
        catalogue = harness.Catalogue(self.out)
        self.assertEqual(len(catalogue.pages()), 3)
        cut = catalogue.rows("SELECT size, truncated FROM pages WHERE url NOT LIKE '%/'")
        self.assertEqual([truncated for _, truncated in cut], ["length", "length"])
        for size, _ in cut:
            self.assertLessEqual(size, 50_000)
            self.assertGreater(size, 49_000)
        archive = b"".join(gzip.decompress(path.read_bytes())
                           for path in (self.out / "warc").glob("*.warc.gz"))
        self.assertEqual(archive.count(b"WARC-Truncated: length"), 2)
        self.assert_verified()

    def test_a_sitemap_has_a_limit_of_its_own(self):
        with harness.PageServer({}) as server:
            entries = "".join(f"<url><loc>{server.url(f'/{i:0300}')}</loc></url>"
                              for i in range(40_000))
            sitemap = ("<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'>" + entries
                       + "</urlset>").encode()
            self.assertGreater(len(sitemap), 13 * MB)
            xml = {"Content-Type": "application/xml"}
            server.pages.update({
                "/": (HTML, b"front"),
                "/robots.txt": ({"Content-Type": "text/plain"}, b"Sitemap: /s.xml\nSitemap: /z.xml"),
                "/s.xml": (xml, sitemap),
                "/z.xml": ({"Content-Type": "application/xml", "Content-Encoding": "gzip"},
                           gzip.compress(sitemap.replace(b"/0", b"/1"), 1))})
            self.crawler.run("crawl", server.url(), "--out", self.out, *harness.QUICK,
                             "--max-pages", "1")
        known = harness.Catalogue(self.out).value("SELECT count(*) FROM urls")
        self.assertGreaterEqual(known, 80_000)
        self.assert_verified()

    def test_behind_a_proxy_hosts_have_no_address(self):
        with RawServer(lambda _, path: [response(b"<a href=/b>b</a>" if path[-1] == "/" else b"b")
                                        if "robots" not in path else NOT_FOUND]) as proxy:
            self.crawler.run("crawl", "http://site.example/", "--out", self.out, *harness.QUICK,
                             "--proxy", proxy.url("").rstrip("/"), "--no-sitemaps")
        catalogue = harness.Catalogue(self.out)
        self.assertEqual(catalogue.pages(), {"http://site.example/", "http://site.example/b"})
        self.assertEqual(catalogue.value("SELECT count(*) FROM visits WHERE address <> ''"), 0)
        archive = b"".join(gzip.decompress(path.read_bytes())
                           for path in (self.out / "warc").glob("*.warc.gz"))
        self.assertIn(b"WARC-Type: response", archive)
        self.assertNotIn(b"WARC-IP-Address", archive)

    def test_slow_hosts_neither_fill_the_memory_nor_stop_a_good_one(self):
        slow = [f"127.0.1.{i}" for i in range(1, 31)]
        large = b"<title>large</title>" + b"<p>large page</p>" * 250_000  # 4 MB

        def answer(host, path):
            if path == "/robots.txt":
                yield NOT_FOUND
            elif host in slow:
                yield b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n" + b"x" * 9_900_000
                for _ in range(60):
                    yield 1
                    yield b"x" * 200
            elif path == "/":
                links = [server.url("/", other) for other in slow] + [f"/{i}" for i in range(8)]
                yield response("".join(f"<a href={link}>x</a>" for link in links).encode())
            else:
                for i in range(0, len(large), 1 << 19):
                    yield (response(large) if i == 0 else b"")[:-len(large) or None]
                    yield large[i:i + (1 << 19)]
                    yield 0.02

        with RawServer(answer) as server:
            peak = self.peak("crawl", server.url(), "--out", self.out, *WEB, "--per-host", "2",
                             "--max-ram", "160MiB", "--no-sitemaps", "--retries", "1",
                             "--retry-delay", "0.2")
        good = [url for url in harness.Catalogue(self.out).pages() if "//127.0.0.1:" in url]
        self.assertEqual(len(good), 9, "the good host's pages are all there")
        self.assert_peak(peak, 160 * MIB * 1.2)
        self.assert_verified()

    def test_pages_of_many_words_keep_to_the_limit_while_crawled_and_indexed(self):
        chance = random.Random(7)

        def words():
            return " ".join(f"{chance.getrandbits(50):x}" for _ in range(100_000)).encode()

        pages = {f"/{i}": (HTML, b"<p>" + words()) for i in range(5)}
        pages["/"] = (HTML, "".join(f"<a href=/{i}>x</a>" for i in range(5)).encode())
        with harness.PageServer(pages) as server:
            peak = self.peak("crawl", server.url(), "--out", self.out, *harness.QUICK,
                             "--max-ram", "160MiB")
        self.assertEqual(len(harness.Catalogue(self.out).pages()), 6)
        self.assert_peak(peak, 160 * MIB * 1.2)
        peak = self.peak("index", self.out, "--rebuild", "--max-ram", "160MiB")
        self.assert_peak(peak, 160 * MIB * 1.2)
        self.assert_verified()

    def test_pages_of_many_links_take_the_memory_that_is_documented(self):
        filler = "x" * 170

        def answer(_, path):  # Every page leads to 20,000 more.
            if path == "/robots.txt":
                return [NOT_FOUND]
            first = int(path.split("/")[1] or 0) * 20_000 + 1
            return [response("".join(f"<a href=/{i:020}/{filler}>x</a>"
                                     for i in range(first, first + 20_000)).encode())]

        with RawServer(answer) as server:
            peak = self.peak("crawl", server.url(), "--out", self.out, *harness.QUICK,
                             "--fetch-threads", "2", "--max-ram", "160MiB", "--max-pages", "40",
                             "--no-sitemaps", "--order", "bfs")
        known = harness.Catalogue(self.out).value("SELECT count(*) FROM urls")
        self.assertGreaterEqual(known, 800_000)
        self.assert_peak(peak, 160 * MIB * 1.2 + 28 * known)


if __name__ == "__main__":
    harness.main(__doc__)
