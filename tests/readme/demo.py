"""Parts of documents, and the terminal and the demo site that their commands are run with."""
import importlib.machinery
import importlib.util
import os
import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parents[2]
COLUMNS = 80


def load_picture():
    """scripts/terminal-picture as a module: it has the terminal and the server."""
    loader = importlib.machinery.SourceFileLoader("terminal_picture",
                                                  str(ROOT / "scripts/terminal-picture"))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader(loader.name, loader))
    loader.exec_module(module)
    return module


picture = load_picture()


def blocks(text, language):
    return re.findall(rf"^```{language}\n(.*?)^```", text, re.MULTILINE | re.DOTALL)


def with_crawler_in_path(crawler):
    """So that `crawler` in a command is the program under test."""
    os.environ["PATH"] = f"{pathlib.Path(crawler).parent}:{os.environ['PATH']}"
