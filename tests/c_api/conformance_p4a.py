#!/usr/bin/env python3
"""Runs the p4a conformance cases on the built libcrawler.so.

usage: conformance_p4a.py LIBRARY CONFORMANCE_FOLDER [SANITIZERS]

The cases are kept beside the project, in CONFORMANCE_FOLDER or $CRAWLER_CONFORMANCE. Without them
the test is skipped (exit status 77). Python loads the library, so with sanitizers their runtime has
to be loaded before Python.
"""
import os
import subprocess
import sys

SKIPPED = 77


def sanitizer_environment(sanitizers):
    """What makes a plain Python load a library that was built with sanitizers."""
    runtime = "libtsan.so" if "thread" in sanitizers else "libasan.so"
    compiler = os.environ.get("CXX", "g++")
    path = subprocess.run([compiler, f"-print-file-name={runtime}"], capture_output=True, text=True,
                          check=False).stdout.strip()
    if not os.path.isabs(path):
        return None
    # What Python itself leaks or races on is not our concern.
    return {"LD_PRELOAD": os.path.realpath(path), "ASAN_OPTIONS": "detect_leaks=0",
            "TSAN_OPTIONS": "report_bugs=0"}


def main():
    library, folder = sys.argv[1:3]
    sanitizers = sys.argv[3] if len(sys.argv) > 3 else ""
    folder = os.path.join(os.environ.get("CRAWLER_CONFORMANCE", folder), "p4a")
    runner = os.path.join(folder, "run_p4a.py")
    cases = os.path.join(folder, "dev.jsonl")
    if not (os.path.exists(runner) and os.path.exists(cases)):
        print(f"SKIPPED: no p4a conformance cases in {folder}")
        return SKIPPED
    environment = dict(os.environ)
    if sanitizers:
        extra = sanitizer_environment(sanitizers)
        if extra is None:
            print("SKIPPED: no sanitizer runtime that could be loaded into Python")
            return SKIPPED
        environment.update(extra)
    return subprocess.run([sys.executable, runner, library, cases], env=environment,
                          check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
