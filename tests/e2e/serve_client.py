"""A client of the service for tests: `crawler serve`, or a crawl with --serve, and requests to it."""
import http.client
import json
import os
import re
import socket
import subprocess
import threading
import time
import urllib.parse


class Service:
    """A process that serves, until the `with` block ends."""

    def __init__(self, crawler, *arguments, token=None, environment=None):
        variables = {k: v for k, v in os.environ.items() if k != "CRAWLER_TOKEN"}
        variables.update(environment or {})
        if token:
            variables["CRAWLER_TOKEN"] = token
        self.token = token
        self.process = subprocess.Popen([crawler.program, *map(str, arguments)],
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                        env=variables)
        self.said = []
        stream = self.process.stdout if arguments[0] == "serve" else self.process.stderr
        for line in stream:
            self.said.append(line)
            if found := re.search(r"erving at (http://(\S+):(\d+)/)", line):
                self.host, self.port = found[2].strip("[]"), int(found[3])
                break
        else:
            raise RuntimeError(f"it does not serve: {self.said} {self.process.communicate()}")
        # Somebody has to read what it says.
        for pipe in (self.process.stdout, self.process.stderr):
            threading.Thread(target=lambda p=pipe: self.said.extend(p), daemon=True).start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.terminate()
        try:
            self.process.wait(timeout=60)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            raise

    def request(self, path, method="GET", body=None, headers=None, host=None):
        """(status, headers, body) of one request, with the token if there is one."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        given = {"Host": host or f"127.0.0.1:{self.port}"}
        if self.token:
            given["Authorization"] = f"Bearer {self.token}"
        if isinstance(body, (dict, list)):
            body = json.dumps(body)
            given["Content-Type"] = "application/json"
        given.update(headers or {})
        try:
            connection.request(method, path, body=body,
                               headers={k: v for k, v in given.items() if v is not None})
            answer = connection.getresponse()
            return answer.status, dict(answer.getheaders()), answer.read()
        finally:
            connection.close()

    def json(self, path, status=200, **options):
        got, headers, body = self.request(path, **options)
        assert got == status, f"{path}: {got} {body[:500]}"
        assert headers["Content-Type"] == "application/json", headers
        return json.loads(body)

    def api(self, crawl, what, status=200, **parameters):
        query = "?" + urllib.parse.urlencode(parameters) if parameters else ""
        return self.json(f"/api/v1/crawls/{crawl}/{what}{query}", status)

    def post(self, crawl, what, body=None, status=200):
        return self.json(f"/api/v1/crawls/{crawl}/{what}", status, method="POST", body=body or {},
                         headers={"X-Crawler": "1"})

    def raw(self, data, wait=10):
        """What comes back for bytes that a client sends, until the connection is closed."""
        with socket.create_connection(("127.0.0.1", self.port), timeout=wait) as connection:
            try:
                connection.sendall(data)
                connection.shutdown(socket.SHUT_WR)
            except OSError:
                pass  # It has stopped reading; its answer counts.
            answer = b""
            try:
                while piece := connection.recv(65536):
                    answer += piece
            except (TimeoutError, ConnectionResetError):
                pass
            return answer

    def wait_for(self, crawl, condition, seconds=60):
        """The first status of the crawl for which the condition holds."""
        deadline = time.monotonic() + seconds
        while True:
            status = self.api(crawl, "status")
            if condition(status):
                return status
            assert time.monotonic() < deadline, f"not in {seconds} s: {status}"
            time.sleep(0.05)
