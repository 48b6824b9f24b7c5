#!/usr/bin/env python3
"""Each rule of check_log passes a good log and finds the fault of a bad one."""
import importlib.machinery
import importlib.util
import pathlib
import unittest

path = pathlib.Path(__file__).with_name("check_log")
loader = importlib.machinery.SourceFileLoader("check_log", str(path))
spec = importlib.util.spec_from_loader("check_log", loader)
check_log = importlib.util.module_from_spec(spec)
loader.exec_module(check_log)

A, B = "127.0.0.1:80", "127.0.0.2:80"


def line(begin, end, path, status=200, host=A, retry_after=-1):
    """A line of a log; times in seconds."""
    return (f"{begin * 1e6:.0f}\t{end * 1e6:.0f}\t1\t{host}\tGET\t{path}\t{status}\t100\t"
            f"{retry_after * 1e3 if retry_after >= 0 else -1:.0f}\n")


ROBOTS = line(1, 1.1, "/robots.txt", 404)
GOOD = [ROBOTS, line(2, 2.1, "/"), line(3, 3.1, "/p/1")]


class CheckLogTest(unittest.TestCase):
    def broken(self, lines, *arguments, expect=None):
        """The names of the rules that `lines` violate."""
        options = check_log.make_parser().parse_args(["LOG", *arguments])
        expectation = None if expect is None else check_log.Expectation(expect)
        requests = check_log.read_log(lines)
        return {rule for rule, _ in check_log.violations(requests, options, expectation)}

    def test_good_log(self):
        self.assertEqual(self.broken(GOOD, "--delay", "1"), set())

    def test_empty_log_proves_nothing(self):
        self.assertEqual(self.broken([]), {"empty"})

    def test_what_is_no_log_is_an_error(self):
        for lines in (["hello\n"], [GOOD[0].replace("404", "x")], [line(2, 1, "/")]):
            with self.assertRaises(ValueError):
                self.broken(lines)

    def test_two_at_once(self):
        overlapping = [ROBOTS, line(2, 2.5, "/"), line(2.4, 2.9, "/p/1")]
        self.assertEqual(self.broken(overlapping), {"at-once"})
        self.assertEqual(self.broken(overlapping, "--per-host", "2"), set())
        three = overlapping + [line(2.45, 2.6, "/p/2")]
        self.assertEqual(self.broken(three, "--per-host", "2"), {"at-once"})

    def test_a_long_request_is_seen_behind_a_short_one(self):
        lines = [ROBOTS, line(2, 9, "/"), line(3, 3.1, "/p/1"), line(5, 5.1, "/p/2")]
        self.assertEqual(self.broken(lines, "--per-host", "2"), set())
        self.assertEqual(self.broken(lines), {"at-once"})

    def test_hosts_do_not_count_together(self):
        lines = [ROBOTS, line(2, 2.5, "/"), line(1, 1.1, "/robots.txt", host=B),
                 line(2.1, 2.6, "/", host=B)]
        self.assertEqual(self.broken(lines, "--delay", "1"), set())

    def test_closer_than_the_delay(self):
        self.assertEqual(self.broken(GOOD, "--delay", "1.2"), {"delay"})

    def test_crawl_delay(self):
        expect = [f"host\t{A}\tcrawl-delay=2000\n", f"page\thttp://{A}/\n", f"page\thttp://{A}/p/1\n"]
        self.assertEqual(self.broken(GOOD, expect=expect), {"delay"})
        patient = [ROBOTS, line(2, 2.1, "/"), line(4, 4.1, "/p/1")]
        self.assertEqual(self.broken(patient, expect=expect), set())
        self.assertEqual(self.broken(GOOD, "--max-crawl-delay", "1", expect=expect), set())

    def test_hops_of_robots_are_one_request(self):
        lines = [line(1, 1.1, "/robots.txt", 302), line(1.2, 1.3, "/robots-moved.txt"),
                 line(2.5, 2.6, "/")]
        self.assertEqual(self.broken(lines, "--delay", "1"), set())
        self.assertEqual(self.broken(lines, "--delay", "1.4"), {"delay"})

    def test_robots_first(self):
        self.assertEqual(self.broken(GOOD[1:]), {"robots-first"})
        self.assertEqual(self.broken(GOOD[1:], "--no-robots"), set())
        too_soon = [line(1, 2.05, "/robots.txt"), line(2, 2.1, "/")]
        self.assertEqual(self.broken(too_soon, "--per-host", "2"), {"robots-first"})

    def test_no_page_while_robots_fails(self):
        for status in (500, 503, 429, 0):
            lines = [line(1, 1.1, "/robots.txt", status), line(5, 5.1, "/")]
            self.assertEqual(self.broken(lines), {"robots-first"}, status)

    def test_refused(self):
        expect = [f"page\thttp://{A}/\n", f"refused\thttp://{A}/p/1\n"]
        self.assertEqual(self.broken(GOOD, expect=expect), {"refused"})
        self.assertEqual(self.broken(GOOD[:2], expect=expect), set())
        gone = [f"page\thttp://{A}/\n", f"unreachable\thttp://{A}/p/1\n"]
        self.assertEqual(self.broken(GOOD, expect=gone), {"refused"})

    def test_twice(self):
        self.assertEqual(self.broken(GOOD + [line(9, 9.1, "/p/1")]), {"once"})
        self.assertEqual(self.broken(GOOD + [line(9, 9.1, "/robots.txt")]), {"once"})
        retried = [ROBOTS, line(2, 2.1, "/", 500), line(4, 4.1, "/")]
        self.assertEqual(self.broken(retried), set())
        self.assertEqual(self.broken(retried + [line(9, 9.1, "/")]), {"once"})

    def test_retries(self):
        def tries(*times):
            return [ROBOTS] + [line(t, t + 0.1, "/", 500) for t in times]
        self.assertEqual(self.broken(tries(10, 11.2, 13.4, 18)), set())
        self.assertEqual(self.broken(tries(10, 10.5)), {"retries"})
        self.assertEqual(self.broken(tries(10, 11.2, 12.4)), {"retries"})
        self.assertEqual(self.broken(tries(10, 11.2, 13.4, 18, 30)), {"retries"})

    def test_retry_after(self):
        throttled = [ROBOTS, line(2, 2.1, "/", 429, retry_after=3)]
        self.assertEqual(self.broken(throttled + [line(5.2, 5.3, "/")]), set())
        self.assertEqual(self.broken(throttled + [line(4.5, 4.6, "/")]), {"retry-after"})
        # The whole host waits, not the URL alone.
        self.assertEqual(self.broken(throttled + [line(4.5, 4.6, "/p/1")]), {"retry-after"})
        self.assertEqual(self.broken(throttled + [line(4.5, 4.6, "/")], "--max-retry-after", "2"),
                         set())

    def test_being_throttled_costs_no_retry(self):
        lines = [ROBOTS] + [line(10 * i, 10 * i + 0.1, "/", 429, retry_after=1)
                            for i in range(1, 8)]
        self.assertEqual(self.broken(lines), set())

    def test_expected(self):
        expect = [f"page\thttp://{A}/\n", f"page\thttp://{A}/p/1\n"]
        self.assertEqual(self.broken(GOOD, expect=expect), set())
        self.assertEqual(self.broken(GOOD, expect=expect[:1]), {"expected"})
        more = expect + [f"redirect\thttp://{A}/away\n"]
        self.assertEqual(self.broken(GOOD, expect=more), {"expected"})
        self.assertEqual(self.broken(GOOD, "--partial", expect=more), set())
        sitemap = GOOD + [line(4, 4.1, "/sitemap.xml", 404)]
        self.assertEqual(self.broken(sitemap, expect=expect), set())

    def test_gap(self):
        lines = [ROBOTS, line(2, 2.1, "/"), line(9, 9.1, "/p/1")]
        self.assertEqual(self.broken(lines), set())
        self.assertEqual(self.broken(lines, "--max-gap", "3"), {"gap"})
        self.assertEqual(self.broken(lines, "--max-gap", "3", "--slow", A), set())


if __name__ == "__main__":
    unittest.main()
