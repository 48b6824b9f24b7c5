#!/usr/bin/env python3
"""Checks docs/http-robustness.md: every row names tests that exist or a reason, and every item of
the checklist, where that is at hand, has a row.

usage: check_robustness_table.py SOURCE_DIR CHECKLIST
"""
import pathlib
import re
import sys

source, checklist = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
tests = set()
for file in (source / "tests").rglob("*_test.cpp"):
    for suite, name in re.findall(r"^TEST(?:_F|_P)?\(\s*(\w+),\s*(\w+)\)", file.read_text(), re.M):
        tests.add(f"{suite}.{name}")

errors, rows = [], {}
for line in (source / "docs/http-robustness.md").read_text().splitlines():
    match = re.match(r"\| (H\d{3}) \| (.*?) \| (.*) \|$", line)
    if not match:
        continue
    item, what, verdict = match.groups()
    if item in rows:
        errors.append(f"{item} has two rows")
    rows[item] = what
    named = re.findall(r"`(\w+\.\w+)`", verdict)
    errors += [f"{item}: there is no test {name}" for name in named if name not in tests]
    if not named and len(verdict) < 10:
        errors.append(f"{item}: neither a test nor a reason")

if not rows:
    errors.append("docs/http-robustness.md has no rows")
if checklist.exists():
    wanted = re.findall(r"^- (H\d{3}) ", checklist.read_text(), re.M)
    errors += [f"{item} of the checklist has no row" for item in wanted if item not in rows]
    print(f"{len(rows)} rows for {len(wanted)} items of the checklist, {len(tests)} tests known")
else:
    print(f"no checklist at {checklist}: only the {len(rows)} rows themselves were checked")
print("\n".join(errors))
sys.exit(1 if errors else 0)
