#!/usr/bin/env python3
"""Writes entities_table.inc: the named character references of HTML, sorted by name.

The list is the one of the HTML standard, as Python's standard library carries it.
Run by hand when the standard changes (it has promised not to): generate_entities.py > entities_table.inc
"""
import html.entities

print("// Written by generate_entities.py: name without '&', its text in UTF-8.")
for name, text in sorted(html.entities.html5.items()):
    escaped = "".join(f"\\x{byte:02x}" for byte in text.encode())
    print(f'{{"{name}", "{escaped}"}},')
