#!/usr/bin/env python3
"""Serves the HTML of Debian documentation packages with nginx on loopback: sites nobody here wrote.

As a program:

    docs_site.py [--log FILE] [--max-seconds N] NAME…

prints "SITE NAME URL" for each, then "READY", and serves until SIGTERM, SIGINT or --max-seconds.
The first site is on 127.0.0.1, the next on 127.0.0.2, …, all on one free port. Names: see SITES.
Exits with 77, saying why, if nginx or a package is not installed.

As a module:

    with docs_site.DocsSite(["cppreference"]) as site:
        site.urls["cppreference"], site.new_requests()
"""
import argparse
import collections
import pathlib
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

# Name: Debian package, folder, page to start from.
SITES = {
    "cppreference": ("cppreference-doc-en-html", "/usr/share/cppreference/doc/html",
                     "/en/index.html"),
    "python": ("python3-doc", "/usr/share/doc/python3-doc/html", "/index.html"),
    "postgresql": ("postgresql-doc-15", "/usr/share/doc/postgresql-doc-15/html", "/index.html"),
    "debian": ("debian-reference-zh-cn", "/usr/share/debian-reference", "/index.zh-cn.html"),
    "rust": ("rust-doc", "/usr/share/doc/rust-doc/html", "/index.html"),
}

CONFIG = """
daemon off; master_process off; worker_processes 1;
pid {folder}/pid; error_log {folder}/error.log;
events {{ worker_connections 8192; }}
http {{
  include /etc/nginx/mime.types; default_type application/octet-stream;
  client_body_temp_path {folder}/b; proxy_temp_path {folder}/p; fastcgi_temp_path {folder}/f;
  uwsgi_temp_path {folder}/u; scgi_temp_path {folder}/s;
  log_format tabs escape=json '$msec\\t$request_time\\t$server_addr:$server_port\\t$request_method'
                              '\\t$request_uri\\t$status\\t$body_bytes_sent\\t$sent_http_content_type';
  access_log {log} tabs buffer=256k flush=1s;
  keepalive_requests 10000000; keepalive_timeout 75s; sendfile on; tcp_nopush on;
{servers}
}}
"""

Request = collections.namedtuple("Request", "time took host method path status bytes type")


class Missing(Exception):
    """nginx or a package that is served is not installed."""


def find_nginx():
    nginx = shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin:/usr/local/sbin")
    if not nginx:
        raise Missing("nginx is not installed (scripts/setup)")
    return nginx


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class DocsSite:
    """nginx with the sites of `names`, from start() or `with` until stop(). One at a time."""

    def __init__(self, names, log=None, sites=SITES):
        self.names = names
        self.sites = sites
        self.folder = None
        self.process = None
        self.log = pathlib.Path(log) if log else None
        self.urls = {}

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *_):
        self.stop()

    def check(self):
        """Raises Missing if a package is not installed."""
        for name in self.names:
            package, root, start = self.sites[name]
            if not pathlib.Path(root + start).is_file():
                raise Missing(f"package {package} is not installed")

    def start(self):
        nginx = find_nginx()
        self.check()
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="docs-site-"))
        self.log = self.log or self.folder / "access.log"
        for _ in range(5):  # Somebody else may take a free port first.
            if self.try_port(nginx, free_port()):
                return
        errors = (self.folder / "error.log").read_text()
        self.stop()
        raise RuntimeError(f"nginx does not start:\n{errors}")

    def try_port(self, nginx, port):
        servers = []
        for number, name in enumerate(self.names, 1):
            _, root, start = self.sites[name]
            servers.append(f"  server {{ listen 127.0.0.{number}:{port} backlog=4096; root {root}; "
                           "index index.html; }")
            self.urls[name] = f"http://127.0.0.{number}:{port}{start}"
        config = self.folder / "nginx.conf"
        config.write_text(CONFIG.format(folder=self.folder, log=self.log.absolute(),
                                        servers="\n".join(servers)))
        # Else -e it first tries to write where only root may.
        self.process = subprocess.Popen(
            [nginx, "-e", self.folder / "error.log", "-p", self.folder, "-c", config])
        for _ in range(500):
            if self.process.poll() is not None:
                return False
            with socket.socket() as probe:
                if probe.connect_ex((f"127.0.0.{len(self.names)}", port)) == 0:
                    return True
            time.sleep(0.01)
        self.end()
        return False

    def end(self):
        """Ends nginx and waits for it; the log is complete then."""
        if self.process:
            self.process.terminate()
            self.process.wait()
            self.process = None

    def stop(self):
        self.end()
        if self.folder:
            shutil.rmtree(self.folder)
            self.folder = None

    def new_requests(self):
        """What was asked since the last call. It takes the log from nginx, which begins another."""
        old = self.log.with_name(self.log.name + ".old")
        self.log.rename(old)
        self.process.send_signal(signal.SIGUSR1)
        while not self.log.exists():  # Then it has written all of the old one.
            time.sleep(0.005)
        with open(old, encoding="utf-8") as lines:
            requests = [Request(*line.rstrip("\n").split("\t")) for line in lines]
        if any(request.status >= "500" for request in requests):  # Nothing counts then.
            raise RuntimeError("nginx fails: " + (self.folder / "error.log").read_text()[-500:])
        return requests


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="+", choices=list(SITES), metavar="NAME")
    parser.add_argument("--log", metavar="FILE")
    parser.add_argument("--max-seconds", type=int, default=600, metavar="N")
    options = parser.parse_args()
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGALRM):
        signal.signal(number, lambda *_: sys.exit(0))
    signal.alarm(options.max_seconds)
    try:
        with DocsSite(options.names, options.log) as site:
            for name, url in site.urls.items():
                print("SITE", name, url)
            print("READY", flush=True)
            site.process.wait()
    except Missing as missing:
        print(f"docs_site: skipped: {missing}")
        return 77
    return 1  # nginx ended by itself.


if __name__ == "__main__":
    sys.exit(main())
