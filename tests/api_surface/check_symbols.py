#!/usr/bin/env python3
"""check_symbols.py LIBRARY LIST: the library exports exactly the symbols in LIST."""
import re
import subprocess
import sys

library, expected_file = sys.argv[1:]
output = subprocess.run(["nm", "-D", "--defined-only", library], check=True, text=True,
                        capture_output=True).stdout
exported = {line.split()[-1].split("@")[0] for line in output.splitlines()}
# Templates of libstdc++ share some symbols between libraries (constants, type information, tables of
# virtual functions, functions that were not inlined); these are not ours.
exported = {name for name in exported
            if not re.match("_Z(St|NSt|NKSt|ZNSt|TISt|TSSt|TVSt)", name)}
# Sanitizers put marks of their own into every library.
exported = {name for name in exported
            if not name.startswith(("__asan", "__odr_asan", "__tsan", "__ubsan"))}
expected = {line.strip() for line in open(expected_file) if line.strip() and line[0] != "#"}
for name in sorted(exported - expected):
    print(f"exported, but not in the list: {name}")
for name in sorted(expected - exported):
    print(f"in the list, but not exported: {name}")
print(f"{len(exported & expected)} symbols as listed")
sys.exit(exported != expected)
