#!/usr/bin/env python3
"""Runs the p4a conformance cases on the built libcrawler.so.

usage: conformance_p4a.py LIBRARY CONFORMANCE_FOLDER [SANITIZERS]

The cases are kept beside the project, in CONFORMANCE_FOLDER or $CRAWLER_CONFORMANCE. Without them
the test is skipped (exit status 77); so it is with SANITIZERS, as Python cannot load a library that
was built with them.
"""
import os
import subprocess
import sys

SKIPPED = 77


def main():
    library, folder = sys.argv[1:3]
    if len(sys.argv) > 3 and sys.argv[3]:
        print(f"SKIPPED: Python cannot load a library built with -fsanitize={sys.argv[3]}")
        return SKIPPED
    folder = os.path.join(os.environ.get("CRAWLER_CONFORMANCE", folder), "p4a")
    runner = os.path.join(folder, "run_p4a.py")
    cases = os.path.join(folder, "dev.jsonl")
    if not (os.path.exists(runner) and os.path.exists(cases)):
        print(f"SKIPPED: no p4a conformance cases in {folder}")
        return SKIPPED
    return subprocess.run([sys.executable, runner, library, cases], check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
