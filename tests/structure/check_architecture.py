#!/usr/bin/env python3
"""check_architecture.py ROOT: docs/architecture.md names only files that exist, and each function of
its table is in the file beside it."""
import pathlib
import re
import sys

root = pathlib.Path(sys.argv[1])
text = (root / "docs/architecture.md").read_text()
errors = []
files = set(re.findall(r"`((?:src|apps|include|tests|docs)/[\w./]+\.\w+)`", text))
if len(files) < 30:
    errors.append(f"only {len(files)} files are named; is the pattern wrong?")
for name in sorted(files):
    if not (root / name).is_file():
        errors.append(f"{name} does not exist")
for link in re.findall(r"\]\(([^)#]+)\)", text):
    if not (root / "docs" / link).exists():
        errors.append(f"the link to {link} leads nowhere")
rows = re.findall(r"^\| *\d+ \|.*\| `([\w:]+)` \| `([\w./]+)` \|$", text, re.MULTILINE)
if len(rows) < 15:
    errors.append(f"only {len(rows)} steps are found; is the pattern wrong?")
for function, name in rows:
    path = root / name
    if path.is_file() and not re.search(rf"\b{re.escape(function)}\(", path.read_text()):
        errors.append(f"{name} has no {function}")
print("\n".join(f"docs/architecture.md: {error}" for error in errors))
sys.exit(bool(errors))
