"""The sites that are crawled, each with the log that says what was really asked for."""
import pathlib
import signal
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "tests/web"))
import docs_site  # noqa: E402


class Docs:
    """Documentation of a Debian package behind nginx."""
    latency = 0

    def __init__(self, name):
        self.name = name

    def start(self):
        self.site = docs_site.DocsSite([self.name])
        self.site.start()
        self.url = self.site.urls[self.name]

    def stop(self):
        self.site.stop()

    def new_pages(self):
        """Paths of the HTML pages that were fetched since the last call, in order."""
        return [r.path for r in self.site.new_requests()
                if r.status == "200" and r.type.startswith("text/html")]


class Synthetic:
    """A graph of computed pages."""

    def __init__(self, program, pages, latency=0):
        self.program, self.pages, self.latency = program, pages, latency

    def start(self):
        self.folder = tempfile.TemporaryDirectory()
        log = pathlib.Path(self.folder.name) / "log"
        self.process = subprocess.Popen(
            [self.program, "--host", f"1 pages={self.pages} links=20 bytes=1600", "--latency",
             str(self.latency), "--log", log, "--max-seconds", "36000"],
            stdout=subprocess.PIPE, text=True)
        port = self.process.stdout.readline().split()[1]
        self.url = f"http://127.0.0.1:{port}/"
        self.log_file = open(log, encoding="ascii")

    def stop(self):
        self.process.terminate()
        self.process.wait()
        self.process.stdout.close()
        self.log_file.close()
        self.folder.cleanup()

    def new_pages(self):
        self.process.send_signal(signal.SIGUSR1)
        text = ""
        while not text.endswith("#flushed\n"):
            text += self.log_file.read()
            time.sleep(0.005)
        lines = [line.split("\t") for line in text.splitlines() if not line.startswith("#")]
        return [fields[5] for fields in lines if fields[6] == "200" and fields[5] != "/robots.txt"]


def sites(program):
    return {
        "cppreference": Docs("cppreference"),
        "rust": Docs("rust"),
        "tiny": Synthetic(program, 20_000),
        "tiny-latency": Synthetic(program, 6_400, latency=50),
        "tiny-10k": Synthetic(program, 10_000),
        "tiny-1m": Synthetic(program, 1_000_000),
    }


DEFAULT = ["cppreference", "rust", "tiny", "tiny-latency"]
DESCRIPTIONS = {
    "cppreference": "cppreference, 4,389 pages of 37 KB",
    "rust": "rust-doc, 21,635 pages of 15 KB",
    "tiny": "20,000 computed pages of 1.6 KB with 20 links",
    "tiny-latency": "6,400 of them, each after 50 ms",
    "tiny-10k": "10,000 of them",
    "tiny-1m": "1,000,000 of them",
}
