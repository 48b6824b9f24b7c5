"""The programs that are measured, and how each is told to fetch a whole site as fast as it can."""
import os
import pathlib
import shutil

CONNECTIONS = 64
HERE = pathlib.Path(__file__).parent


class Contender:
    """Makes the command that crawls `url`; what it writes goes to `folder`."""
    program = None
    needs_list = False  # Of the URLs, because it finds none itself.
    connections = CONNECTIONS
    environment = {}

    def find(self):
        """Path of the program, None if it is not there."""
        return shutil.which(self.program)

    def command(self, url, folder, urls):
        raise NotImplementedError


class Crawler(Contender):
    def __init__(self, program, *options):
        self.program = program
        self.options = options

    def find(self):
        return self.program if os.access(self.program, os.X_OK) else None

    def command(self, url, folder, urls):
        return [self.program, "crawl", url, "--out", folder / "crawl", "--delay", "0",
                "--per-host", str(CONNECTIONS), "--connections", str(CONNECTIONS),
                "--allow-net", "127.0.0.0/8", "--no-robots", *self.options]


class Wget2(Contender):
    program = "wget2"

    def command(self, url, folder, urls):
        # Its --follow-tags takes every attribute of a tag for a link, so it loads images as well.
        return ["wget2", "-q", "-r", "-l", "inf", f"--max-threads={CONNECTIONS}", "--robots=off",
                "-O", "/dev/null", url]


class Wget(Contender):
    program = "wget"
    connections = 1

    def command(self, url, folder, urls):
        return ["wget", "-q", "-r", "-l", "inf", "-e", "robots=off", "--delete-after",
                "--follow-tags=a,area,iframe,frame,meta", "-P", folder, url]


class Httrack(Contender):
    program = "httrack"

    def command(self, url, folder, urls):
        # HTML only, no cache, none of the brakes that are on by default.
        return ["httrack", url, "-O", folder, "-q", "-Q", "-I0", "-p1", "-C0", "-s0", "-%!",
                f"-c{CONNECTIONS}", "-%c100000", "-A10000000000", "-r1000000"]


class Scrapy(Contender):
    program = "scrapy"

    def command(self, url, folder, urls):
        self.environment = {"BENCH_URL": url}
        return ["scrapy", "runspider", HERE / "spider.py"]


class Curl(Contender):
    program = "curl"
    needs_list = True

    def command(self, url, folder, urls):
        config = folder / "urls"
        config.write_text("".join(f'url = "{u}"\noutput = "/dev/null"\n' for u in urls))
        return ["curl", "-s", "-g", "--path-as-is", "--parallel", "--parallel-max",
                str(CONNECTIONS), "-K", config]


def contenders(crawler):
    return {
        "crawler": Crawler(crawler),
        "crawler --no-index": Crawler(crawler, "--no-index"),
        "crawler --no-index --no-warc": Crawler(crawler, "--no-index", "--no-warc"),
        "wget2": Wget2(),
        "wget": Wget(),
        "httrack": Httrack(),
        "scrapy": Scrapy(),
        "curl --parallel": Curl(),
    }
