#!/usr/bin/env python3
"""run_set.py PROGRAM FOLDER SET FILE [ARGUMENT...]: `conformance SET` on FILE of the conformance
folder ($CRAWLER_CONFORMANCE or FOLDER), judged by the folder's check.py with the ARGUMENTs.

Exit code 77, with the reason, when the data is not there. The set `url` is judged here: its file
is the WHATWG's urltestdata.json, of which the crawler must get right every URL it may meet.
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

SKIPPED = 77
FOLLOWED = ("http:", "https:", "ftp:", "ws:", "wss:")


def answers_of(program, name, cases):
    done = subprocess.run([program, name], input=cases, stdout=subprocess.PIPE, check=False)
    if done.returncode != 0:
        sys.exit(f"conformance {name} ended with exit code {done.returncode}")
    return done.stdout


def check_url(program, path):
    tests = [test for test in json.loads(path.read_text()) if isinstance(test, dict)]
    tests = [test for test in tests if test.get("failure") or test["protocol"] in FOLLOWED]
    cases = [{"id": number, "input": test["input"], "base": test["base"]}
             for number, test in enumerate(tests)]
    lines = "".join(json.dumps(case) + "\n" for case in cases).encode()
    answers = [json.loads(line) for line in answers_of(program, "url", lines).splitlines()]
    wrong = 0
    for test, answer in zip(tests, answers, strict=True):
        expected = {"failure": True} if test.get("failure") else {"href": test["href"]}
        # A URL we do not follow may be told by other fields; it has no href and no failure.
        if any(answer.get(key) != value for key, value in expected.items()):
            wrong += 1
            print("FAIL", json.dumps(test["input"]), "on", test["base"],
                  "expected", expected, "got", answer)
    print(f"url: ok {len(tests) - wrong} bad {wrong}")
    return 1 if wrong else 0


def main():
    program, folder, name, file, *arguments = sys.argv[1:]
    folder = pathlib.Path(os.environ.get("CRAWLER_CONFORMANCE") or folder)
    path = folder / file
    if not path.exists():
        print(f"skipped: no conformance data at {path} "
              "(set CRAWLER_CONFORMANCE to the folder that holds the suites)")
        return SKIPPED
    if name == "url":
        return check_url(program, path)
    with tempfile.NamedTemporaryFile() as answers:
        answers.write(answers_of(program, name, path.read_bytes()))
        answers.flush()
        return subprocess.run([sys.executable, folder / "check.py", name, path, answers.name,
                               *arguments], check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
