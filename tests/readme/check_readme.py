#!/usr/bin/env python3
"""Runs what README.md and docs/library.md say.

check_readme.py programs ROOT CC CXX LIBRARY_DIR SANITIZERS   the C and C++ programs of the library page
check_readme.py commands ROOT PRESET                          the commands of the README
check_readme.py links ROOT                                    files named by any Markdown file
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

import demo

EXPECTED = {"c": {"home -> news", "home -> home"}, "cpp": {"1000 pages"}}
SITE = "https://example.org/"


def check_programs(root, cc, cxx, library_dir, sanitize):
    """Each program compiles without warnings, succeeds, and prints what it should."""
    compilers = {"c": [cc, "-std=gnu11"], "cpp": [cxx, "-std=c++20"]}
    text = (root / "docs/library.md").read_text()
    for language, compiler in compilers.items():
        programs = demo.blocks(text, language)
        assert len(programs) == 1, f"docs/library.md should have one {language} program"
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


def as_tested(command, preset, work, port):
    """The command with the build that is being tested, a folder of our own and a site of our own.

    None for what was done before: the packages are there, and the build is the one being tested."""
    if command == "scripts/setup" or "cmake --build" in command:
        return None
    command = command.replace("sudo cmake --install build/release",
                              f"cmake --install build/{preset} --prefix {work}")
    if command.startswith("crawler crawl"):
        command += " --allow-net 127.0.0.0/8 --delay 0"
    if command.startswith("crawler "):
        command = f"cd {work} && {command}"
    return command.replace(SITE, f"http://127.0.0.1:{port}/")


def check_commands(root, preset):
    """Each command of the sh blocks succeeds, one after the other."""
    commands = [line.split("#")[0].strip()
                for block in demo.blocks((root / "README.md").read_text(), "sh")
                for line in block.splitlines()]
    assert "scripts/run" in commands and len(commands) >= 9, commands
    with tempfile.TemporaryDirectory() as work, demo.picture.served() as port:
        environment = {**os.environ, "CRAWLER_PRESET": preset,
                       "PATH": f"{work}/bin:{os.environ['PATH']}"}
        for command in commands:
            tested = as_tested(command, preset, work, port)
            if tested is None:
                continue
            result = subprocess.run(tested, shell=True, cwd=root, env=environment,
                                    capture_output=True, text=True)
            # A search that finds nothing says so with its exit code; the demo site is about rivers.
            fine = (0, 1) if command.startswith("crawler search") else (0,)
            assert result.returncode in fine, f"{tested}: {result.stdout}{result.stderr}"


def check_links(root):
    files = subprocess.run(["git", "ls-files", "*.md"], cwd=root, check=True, capture_output=True,
                           text=True).stdout.split()
    broken = []
    for name in files:
        prose = re.sub(r"^```.*?^```", "", (root / name).read_text(), flags=re.MULTILINE | re.DOTALL)
        for target in re.findall(r"\]\(([^)\s]+)", prose):
            path, _, anchor = target.partition("#")
            if "://" in target:
                continue
            file = root / os.path.dirname(name) / path if path else root / name
            if not file.exists():
                broken.append(f"{name}: {path} does not exist")
            elif anchor and file.suffix == ".md" and anchor not in anchors(file.read_text()):
                broken.append(f"{name}: {target}: there is no such heading")
    assert not broken, "\n".join(broken)


def anchors(text):
    """The names that GitHub gives to headings."""
    headings = re.findall(r"^#+ (.*)$", text, re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


if __name__ == "__main__":
    mode, root_arg, *rest = sys.argv[1:]
    {"programs": check_programs, "commands": check_commands,
     "links": check_links}[mode](pathlib.Path(root_arg), *rest)
