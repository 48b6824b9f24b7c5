#!/usr/bin/env python3
"""check_sql.py ROOT: SQL is where it belongs: statements in db/, store/, index/ and search/, queries in
inspect/ as well, none in other folders of src/."""
import pathlib
import re
import sys

root = pathlib.Path(sys.argv[1]) / "src"
WRITES = re.compile(r'"\s*(INSERT|UPDATE|DELETE|REPLACE|CREATE|DROP|ALTER|BEGIN|COMMIT)\b')
READS = re.compile(r'"\s*(SELECT|WITH|PRAGMA)\s')
ALL = {"db", "store", "index", "search"}
found = {}
errors = []
for path in sorted(root.rglob("*.[ch]pp")):
    folder = path.relative_to(root).parts[0]
    text = path.read_text()
    for pattern, allowed in ((WRITES, ALL), (READS, ALL | {"inspect"})):
        for match in pattern.finditer(text):
            found[folder] = found.get(folder, 0) + 1
            if folder not in allowed:
                line = text.count("\n", 0, match.start()) + 1
                errors.append(f"{path.relative_to(root.parent)}:{line}: {match[1]} in {folder}/")
for folder in ("store", "index", "inspect"):
    if folder not in found:
        errors.append(f"no SQL is found in {folder}/; is the pattern wrong?")
print("\n".join(errors))
sys.exit(bool(errors))
