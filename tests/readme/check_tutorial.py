#!/usr/bin/env python3
"""Runs the commands of a document in a terminal, and compares what it shows.

usage: check_tutorial.py CRAWLER DOCUMENT [--update]

A console block has commands ("$ …"), each with the lines that the terminal shows then. Numbers may
differ, since times do. A command without such lines must succeed, and that is all. --update writes the
lines of this run into the document.
"""
import re
import shutil
import sys
import tempfile

import demo

SHOWN_PORT = ":8765/"
SKIPPED = 77


def commands(block):
    """Pairs of a command and the lines below it."""
    pairs = []
    for line in block.splitlines():
        if line.startswith("$ "):
            pairs.append((line[2:], []))
        else:
            pairs[-1][1].append(line)
    return pairs


def shown(command, folder, port):
    """The lines of a terminal after `command`."""
    real = command.replace(SHOWN_PORT, f":{port}/")
    written = demo.picture.run_in_terminal(["bash", "-c", real], demo.COLUMNS, folder)
    # Text may have been wrapped by the terminal; a document wraps by itself.
    screen = demo.picture.Screen(100_000)
    screen.feed(written.replace(f":{port}/", SHOWN_PORT))
    lines = ["".join(text for _, text, _ in runs).rstrip() for runs in screen.lines()]
    return [line for line in lines if not re.match(r"\d{4}-\d\d-\d\d [\d:.]+ (INFO|DEBUG) ", line)]


def without_numbers(lines):
    """Sizes and times have a unit that may differ as well."""
    text = "\n".join(lines)
    text = re.sub(r"\b[\d.,]+ (ms|µs|s|B|kB|MB)\b", "N unit", text)
    text = re.sub(r"\d[\d.,:]*", "N", text)
    return re.sub(r"\bN (page|request|host|URL|link)s\b", r"N \1", text)


def main():
    crawler, document, update = sys.argv[1], demo.ROOT / sys.argv[2], "--update" in sys.argv[3:]
    if shutil.which("sqlite3") is None:
        print("skipped: sqlite3 is not installed (scripts/setup)")
        return SKIPPED
    demo.with_crawler_in_path(crawler)
    text = document.read_text()
    count, wrong = 0, []
    with tempfile.TemporaryDirectory() as folder, demo.picture.served() as port:
        for block in demo.blocks(text, "console"):
            new_block = ""
            for command, expected in commands(block):
                lines = shown(command, folder, port)
                count += 1
                if expected and without_numbers(lines) != without_numbers(expected):
                    wrong.append(f"$ {command}\nshows\n" + "\n".join(lines) +
                                 "\nbut the document has\n" + "\n".join(expected))
                new_block += f"$ {command}\n" + "".join(f"{line}\n" for line in lines if expected)
            text = text.replace(block, new_block, 1)
    assert count > 10, f"only {count} commands were found"
    if update:
        document.write_text(text)
        return 0
    print("\n\n".join(wrong) or f"{count} commands do what {sys.argv[2]} says")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
