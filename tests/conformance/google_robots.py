#!/usr/bin/env python3
"""google_robots.py SOURCE FILE: makes FILE, a line of JSON per case, of SOURCE, robots_test.cc of
https://github.com/google/robotstxt.

A case is EXPECT_TRUE or EXPECT_FALSE of IsUserAgentAllowed(robots.txt, user agent, URL), whose
arguments are string literals or constants of such. Others (lines made by loops) are left out, and so
are the cases in which RFC 9309 and the URL Standard decide otherwise: see differs().
"""
import ast
import json
import pathlib
import re
import sys

LITERAL = r'"(?:[^"\\]|\\.)*"'
LITERALS = rf"{LITERAL}(?:\s*{LITERAL})*"
ARGUMENT = rf"{LITERALS}|\w+"
STEP = re.compile(
    rf"TEST\(\w+, (?P<test>\w+)\)"
    rf"|(?P<name>\w+)(?:\[\])?\s*=\s*(?P<value>{LITERALS})\s*;"
    rf"|absl::StrAppend\(&(?P<changed>\w+)"
    rf"|EXPECT_(?P<expect>TRUE|FALSE)\(\s*IsUserAgentAllowed\(\s*(?P<robots>{ARGUMENT})\s*,"
    rf"\s*(?P<agent>{ARGUMENT})\s*,\s*(?P<url>{ARGUMENT})\s*\)\s*\)\s*;")


def text_of(literals):
    """The text of C++ string literals, one behind the other."""
    return "".join(ast.literal_eval(literal) for literal in re.findall(LITERAL, literals))


def differs(robots, agent, url):
    """Whether we decide otherwise on purpose."""
    return (not url.isascii()  # URLs are percent-encoded before rules are looked at.
            or " " in agent  # A product token has no blank.
            or re.search("%[46][0-9A-Fa-f]", robots) is not None)  # %62 is "b", by RFC 9309.


def cases(source):
    constants, test = {}, ""
    source = re.sub(r"^\s*//.*$", "", source, flags=re.MULTILINE)
    for step in STEP.finditer(source):
        if step["test"]:
            constants, test = {}, step["test"]
        elif step["name"]:
            constants[step["name"]] = text_of(step["value"])
        elif step["changed"]:
            constants.pop(step["changed"], None)
        else:
            values = [text_of(argument) if argument.startswith('"') else constants.get(argument)
                      for argument in (step["robots"], step["agent"], step["url"])]
            if None not in values and not differs(*values):
                yield {"test": test, "robots": values[0], "ua": values[1], "url": values[2],
                       "expect": step["expect"] == "TRUE"}


def main():
    source, file = map(pathlib.Path, sys.argv[1:])
    lines = [json.dumps(case, ensure_ascii=False) for case in cases(source.read_text())]
    if len(lines) < 50:
        sys.exit(f"{source}: only {len(lines)} cases are found; has its form changed?")
    file.write_text("".join(line + "\n" for line in lines))


if __name__ == "__main__":
    main()
