#!/usr/bin/env python3
"""check_source_map.py ROOT: src/README.md names every folder of src/, and no other."""
import pathlib
import re
import sys

root = pathlib.Path(sys.argv[1])
folders = {p.name for p in (root / "src").iterdir() if p.is_dir()}
named = set(re.findall(r"\[`([a-z_]+)/`\]\(\1/?\)", (root / "src/README.md").read_text()))
for name in sorted(folders - named):
    print(f"src/README.md does not name {name}/ (as [`{name}/`]({name}))")
for name in sorted(named - folders):
    print(f"src/README.md names {name}/, which does not exist")
sys.exit(1 if folders != named else 0)
