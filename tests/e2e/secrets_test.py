"""Secrets: sent to the origins they are for, never stored, and in folders of the owner only; and
files of others in the folder of a crawl, which stay as they are."""
import gzip
import json
import os
import stat
import subprocess

import harness

SECRET = "hunter2-sesame"


def page(*links):
    body = "".join(f'<a href="{link}">x</a>' for link in links)
    return {"Content-Type": "text/html"}, f"<title>t</title>{body}".encode()


class SecretsTest(harness.Case):
    def setUp(self):
        super().setUp()
        self.other = self.serve({"/": page(), "/moved": page()})
        self.site = self.serve({"/": page("/a", self.other.url("/")), "/a": page(),
                                "/away": ({"Location": self.other.url("/moved")}, b"", 302)})
        self.site.pages["/"] = page("/a", "/away", self.other.url("/"))

    def serve(self, pages):
        server = harness.PageServer(pages)
        self.addCleanup(server.__exit__)
        return server.__enter__()

    def crawl(self, *options, check=0, **variables):
        environment = {**os.environ, **variables}
        done = subprocess.run(
            [self.crawler.program, "crawl", self.site.url(), "--out", str(self.out), "--scope", "web",
             *harness.QUICK, *options], capture_output=True, text=True, timeout=120,
            env=environment)
        self.assertEqual(done.returncode, check, done.stdout + done.stderr)
        self.assertNotIn(SECRET, done.stdout + done.stderr)
        return done

    def headers_seen(self, server, name):
        with server.lock:
            return [headers.get(name) for _, headers, _ in server.requests]

    def assert_secret_nowhere(self):
        """Neither in a file, nor in what a compressed file contains."""
        files = [path for path in self.out.rglob("*") if path.is_file()]
        self.assertTrue(any(path.suffix == ".gz" for path in files))
        for path in files:
            content = path.read_bytes()
            if path.suffix == ".gz":
                content = gzip.decompress(content)
            self.assertNotIn(SECRET.encode(), content, path)

    def mode(self):
        return stat.S_IMODE(self.out.stat().st_mode)

    def test_a_header_from_the_environment_goes_to_the_seeds_origin_only(self):
        self.crawl("--header-from", "KEY", KEY=f"X-Api-Key: {SECRET}")
        self.assertEqual(set(self.headers_seen(self.site, "X-Api-Key")), {SECRET})
        self.assertGreater(len(self.other.requests), 1)
        self.assertEqual(set(self.headers_seen(self.other, "X-Api-Key")), {None})
        self.assert_secret_nowhere()
        self.assertEqual(self.mode(), 0o700)
        warc = b"".join(gzip.decompress(path.read_bytes())
                        for path in (self.out / "warc").glob("*.gz"))
        self.assertIn(b"X-Api-Key: [withheld]\r\n", warc)
        state = dict(harness.Catalogue(self.out).rows("SELECT key, value FROM crawl_state"))
        self.assertEqual(json.loads(state["options"])["header_variables"], ["KEY"])
        self.assert_verified()

    def test_a_resume_needs_the_variable_again(self):
        self.crawl("--header-from", "KEY", "--max-pages", "1", KEY=f"X-Api-Key: {SECRET}")
        done = self.crawler.run("resume", self.out, check=2)
        self.assertIn("KEY", done.stderr)
        self.assertIn("is not set", done.stderr)
        self.assert_verified()

    def test_more_origins_are_named_one_by_one(self):
        self.crawl("--header-from", "KEY", "--credentials-to", self.other.url("/"), "--bearer-from",
                   "TOKEN", KEY=f"X-Api-Key: {SECRET}", TOKEN=SECRET)
        self.assertEqual(set(self.headers_seen(self.other, "X-Api-Key")), {SECRET})
        self.assertEqual(set(self.headers_seen(self.other, "Authorization")), {f"Bearer {SECRET}"})
        self.assert_secret_nowhere()

    def test_variables_that_hold_no_header_are_refused_without_being_shown(self):
        for value in (SECRET, f": {SECRET}", f"X Y: {SECRET}", "X-Api-Key:", f"A: b\nC: {SECRET}"):
            done = self.crawl("--header-from", "KEY", check=2, KEY=value)
            self.assertIn("KEY", done.stderr)
        self.assertFalse(self.out.exists())

    def test_header_is_for_every_host_and_not_for_secrets(self):
        done = self.crawl("--header", f"X-Api-Key: {SECRET}", check=2)
        self.assertIn("--header-from", done.stderr)
        self.crawl("--header", "Accept-Language: de")
        self.assertEqual(set(self.headers_seen(self.other, "Accept-Language")), {"de"})
        self.assertNotEqual(self.mode(), 0o700)

    def test_folders_with_cookies_are_private(self):
        self.site.pages["/"] = ({**self.site.pages["/"][0], "Set-Cookie": "id=7"},
                                self.site.pages["/"][1])
        self.out.mkdir(mode=0o755)
        self.crawl("--cookies")
        self.assertEqual(self.mode(), 0o700)

    def test_fetch_follows_redirects_without_the_secret(self):
        done = subprocess.run(
            [self.crawler.program, "fetch", self.site.url("/away"), "--follow", "--header-from", "KEY",
             *harness.LOOPBACK], capture_output=True, text=True, timeout=60,
            env={**os.environ, "KEY": f"X-Api-Key: {SECRET}"})
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(set(self.headers_seen(self.site, "X-Api-Key")), {SECRET})
        self.assertEqual(set(self.headers_seen(self.other, "X-Api-Key")), {None})


class FolderTest(harness.Case):
    def refused(self, *names):
        with harness.PageServer({"/": page()}) as server:
            done = self.crawler.run("crawl", server.url(), "--out", self.out, *harness.QUICK, check=2)
        self.assertIn("nothing was changed", done.stderr)
        self.assertEqual(sorted(path.name for path in self.out.iterdir()), sorted(names))

    def test_a_folder_of_something_else_stays_as_it_is(self):
        self.out.mkdir()
        (self.out / "thesis.txt").write_text("years of work")
        self.refused("thesis.txt")

    def test_a_lock_that_leads_elsewhere_is_not_followed(self):
        self.out.mkdir()
        victim = self.base / "victim"
        victim.write_text("years of work")
        (self.out / "lock").symlink_to(victim)
        self.refused("lock")
        self.assertEqual(victim.read_text(), "years of work")


class TerminalTest(harness.Case):
    """Titles, URLs and texts of the web on a terminal."""
    EVIL = "\u009b31m \u202eevil \u2066x\u2069 \u2028 \ufeff \x7f end"
    RAW = [c for c in EVIL if ord(c) > 126]

    def test_no_output_has_controls_of_terminals(self):
        html = f"<title>{self.EVIL}</title><p>{self.EVIL} needle<a href='/{self.EVIL}'>{self.EVIL}"
        pages = {"/": ({"Content-Type": "text/html; charset=utf-8"}, html.encode())}
        with harness.PageServer(pages) as server:
            url = server.url()
            outputs = [self.crawler.run("fetch", url, *options, *harness.LOOPBACK)
                       for options in ([], ["--json"])]
            for options in ([], ["--json"]):
                out = [self.base / f"crawl{len(outputs)}"]
                outputs.append(self.crawler.run(
                    "crawl", url, "--out", *out, *harness.LOOPBACK, "--delay", "0", "--log-pages",
                    "--log-level", "debug", *options))
                outputs += [self.crawler.run(*command, *options) for command in (
                    ["status", *out], ["explain", *out, url], ["verify", *out],
                    ["search", *out, "needle"], ["keywords", *out, url])]
        for done in outputs:
            for character in self.RAW:
                self.assertNotIn(character, done.stdout + done.stderr, done.args)
        found = json.loads(outputs[1].stdout)
        self.assertIn("\u202eevil", found["text"])


if __name__ == "__main__":
    harness.main(__doc__)
