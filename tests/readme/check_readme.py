#!/usr/bin/env python3
"""Runs what the README says.

check_readme.py programs ROOT CC CXX LIBRARY_DIR SANITIZERS   its C and C++ programs
check_readme.py commands ROOT                                 its commands (all but scripts/test)
check_readme.py links ROOT                                    files named by any Markdown file
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

# What is different in every run: the time, the port of the demo server, how long it took.
VARIES = re.compile(r"\d{4}-\d\d-\d\d(T[\d:]+Z)?|(?<=127\.0\.0\.1:)\d+|in [\d.]+ ms|"
                    r"in [\d.]+ s \(\d+ requests/s\)|crawls/[\d-]+")
EXPECTED = {"c": {"home -> news", "home -> home"}, "cpp": {"1000 pages"}}


def blocks(root, language):
    text = (root / "README.md").read_text()
    return re.findall(rf"^```{language}\n(.*?)^```", text, re.MULTILINE | re.DOTALL)


def check_programs(root, cc, cxx, library_dir, sanitize):
    """Each program compiles without warnings, succeeds, and prints what it should."""
    compilers = {"c": [cc, "-std=gnu11"], "cpp": [cxx, "-std=c++20"]}
    for language, compiler in compilers.items():
        programs = blocks(root, language)
        assert len(programs) == 1, f"README.md should have one {language} program"
        with tempfile.TemporaryDirectory() as work:
            source = pathlib.Path(work, f"readme.{language}")
            source.write_text(programs[0])
            flags = [f"-fsanitize={sanitize}"] if sanitize else []
            subprocess.run([*compiler, "-Wall", "-Wextra", "-Werror", *flags,
                            f"-I{root}/include", source, "-o", f"{work}/readme",
                            f"-L{library_dir}", "-lcrawler", f"-Wl,-rpath,{library_dir}"],
                           check=True)
            output = subprocess.run([f"{work}/readme"], check=True, capture_output=True, text=True,
                                    timeout=60).stdout
            assert set(output.splitlines()) == EXPECTED[language], output


def check_commands(root):
    """Each command of the sh blocks runs; scripts/test is what is running now."""
    commands = [line.split("#")[0].strip() for block in blocks(root, "sh")
                for line in block.splitlines()]
    assert "scripts/run" in commands and "scripts/test" in commands, commands
    for command in commands:
        if not command or command == "scripts/test":
            continue
        result = subprocess.run(command, shell=True, cwd=root, capture_output=True, text=True)
        assert result.returncode == 0, f"{command}: {result.stdout}{result.stderr}"
        if command == "scripts/run":
            printed = VARIES.sub("*", result.stdout).splitlines()
            for line in blocks(root, "text")[0].splitlines():
                assert line == "…" or VARIES.sub("*", line) in printed, (
                    f"scripts/run does not print '{line}' but\n{result.stdout}")


def check_links(root):
    files = subprocess.run(["git", "ls-files", "*.md"], cwd=root, check=True, capture_output=True,
                           text=True).stdout.split()
    broken = []
    for name in files:
        prose = re.sub(r"^```.*?^```", "", (root / name).read_text(), flags=re.MULTILINE | re.DOTALL)
        for target in re.findall(r"\]\(([^)#\s]+)", prose):
            if "://" not in target and not (root / os.path.dirname(name) / target).exists():
                broken.append(f"{name}: {target} does not exist")
    assert not broken, "\n".join(broken)


if __name__ == "__main__":
    mode, root_arg, *rest = sys.argv[1:]
    {"programs": check_programs, "commands": check_commands,
     "links": check_links}[mode](pathlib.Path(root_arg), *rest)
