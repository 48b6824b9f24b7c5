#!/usr/bin/env python3
"""check_layers.py ROOT: fails on an #include that src/LAYERS does not allow.

Also checks the table itself: a module may name only modules of lower levels, every folder of src/
has a line, and the command-line programs in apps/ see nothing but the public headers.
"""
import pathlib
import re
import sys

INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]', re.MULTILINE)
PUBLIC_FROM_LEVEL = 5
SOURCES = {".cpp", ".hpp", ".c", ".h", ".inc"}


def sources(folder):
    return sorted(path for path in folder.rglob("*") if path.suffix in SOURCES)


def read_table(root):
    """{module: (level, {modules it may include})} and the errors in the table."""
    table, errors = {}, []
    for number, line in enumerate((root / "src/LAYERS").read_text().splitlines(), 1):
        line = line.strip()
        if not line or line.startswith("#"):
            continue
        match = re.fullmatch(r"(\d+) +([a-z_]+) *:([a-z_ ]*)", line)
        if not match:
            errors.append(f"src/LAYERS:{number}: cannot read '{line}'")
            continue
        table[match[2]] = (int(match[1]), set(match[3].split()))
    for module, (level, uses) in table.items():
        for used in sorted(uses):
            if used not in table:
                errors.append(f"src/LAYERS: {module} uses {used}, which has no line")
            elif table[used][0] >= level:
                errors.append(f"src/LAYERS: {module} (level {level}) uses {used} "
                              f"(level {table[used][0]}); only lower levels are allowed")
    return table, errors


def check_module(root, table, module):
    level, uses = table[module]
    for path in sources(root / "src" / module):
        for _, name in INCLUDE.findall(path.read_text(errors="replace")):
            first = name.split("/")[0]
            where = f"{path.relative_to(root)}: #include \"{name}\""
            if ".." in name.split("/"):
                yield f"{where}: name files from src/, not by '..'"
            elif first == "crawler":
                if level < PUBLIC_FROM_LEVEL:
                    yield f"{where}: public headers are visible from level {PUBLIC_FROM_LEVEL} up"
            elif first in table and "/" in name and first != module and first not in uses:
                yield f"{where}: src/LAYERS does not let {module} use {first}"


def check_apps(root, table):
    for path in sources(root / "apps"):
        for _, name in INCLUDE.findall(path.read_text(errors="replace")):
            if "/" in name and name.split("/")[0] in table:
                yield (f"{path.relative_to(root)}: #include \"{name}\": "
                       "programs use include/crawler only")


def check(root):
    table, errors = read_table(root)
    folders = {p.name for p in (root / "src").iterdir() if p.is_dir()}
    errors += [f"src/{name}: no line in src/LAYERS" for name in sorted(folders - set(table))]
    errors += [f"src/LAYERS: {name} has no folder" for name in sorted(set(table) - folders)]
    for module in sorted(folders & set(table)):
        errors += check_module(root, table, module)
    errors += check_apps(root, table)
    return errors


if __name__ == "__main__":
    problems = check(pathlib.Path(sys.argv[1]))
    print("\n".join(problems) or "every #include is allowed by src/LAYERS")
    sys.exit(1 if problems else 0)
