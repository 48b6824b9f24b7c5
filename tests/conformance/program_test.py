#!/usr/bin/env python3
"""program_test.py PROGRAM: how the conformance program takes wrong calls and wrong lines."""
import json
import subprocess
import sys
import unittest

PROGRAM = sys.argv.pop()


def run(*arguments, lines=b""):
    done = subprocess.run([PROGRAM, *arguments], input=lines, capture_output=True, check=False)
    return done.returncode, done.stdout.decode(), done.stderr.decode()


class Program(unittest.TestCase):
    def test_a_set_must_be_named(self):
        for arguments in ((), ("no-such-set",), ("",), ("links", "more")):
            code, out, err = run(*arguments)
            self.assertEqual((2, ""), (code, out))
            self.assertIn("usage: conformance SET", err)

    def test_a_line_that_is_not_json_is_named(self):
        code, out, err = run("sitemaps", lines=b"\n{\n")
        self.assertEqual((2, ""), (code, out))
        self.assertIn("line 2:", err)

    def test_a_case_that_lacks_a_field_is_named(self):
        code, _, err = run("sitemaps", lines=b'{"id":"x"}\n')
        self.assertEqual(2, code)
        self.assertIn("line 1:", err)

    def test_answers_carry_the_id_and_lone_surrogates_are_replaced(self):
        code, out, _ = run("url", lines=b'{"id":7,"input":"http://h/\\ud800x","base":null}\n')
        self.assertEqual(0, code)
        answer = json.loads(out)
        self.assertEqual((7, "http://h/%EF%BF%BDx"), (answer["id"], answer["href"]))

    def test_no_cases_no_answers(self):
        self.assertEqual((0, "", ""), run("sitemaps"))


if __name__ == "__main__":
    unittest.main()
