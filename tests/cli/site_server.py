"""A small site on loopback for tests of the tool: each path has its answer."""
import http.server
import ssl
import threading
import time

HTML = {"Content-Type": "text/html"}


class Answer:
    """One response. `delay` in seconds comes before it; `length` overrides Content-Length."""

    def __init__(self, status=200, body=b"<title>A page</title>", headers=None, delay=0, length=None):
        self.status = status
        self.body = body
        self.headers = HTML if headers is None else headers
        self.delay = delay
        self.length = length


class Site:
    """Serves `answers` (path to Answer, or a function of the path) until the `with` ends."""

    def __init__(self, answers, certificate=None):
        answer_of = answers if callable(answers) else answers.get

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self):
                answer = answer_of(self.path) or Answer(404)
                time.sleep(answer.delay)
                self.send_response(answer.status)
                for name, value in answer.headers.items():
                    self.send_header(name, value)
                self.send_header("Content-Length", str(answer.length or len(answer.body)))
                self.end_headers()
                self.wfile.write(answer.body)

            def log_message(self, *_):
                pass

        class Server(http.server.ThreadingHTTPServer):
            def handle_error(self, *_):
                pass  # A client that goes away is part of some tests.

        self.server = Server(("127.0.0.1", 0), Handler)
        self.scheme = "http"
        if certificate:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(certificate)
            self.server.socket = context.wrap_socket(self.server.socket, server_side=True)
            self.scheme = "https"
        self.thread = threading.Thread(target=self.server.serve_forever, kwargs={"poll_interval": 0.05})

    def url(self, path="/"):
        return f"{self.scheme}://127.0.0.1:{self.server.server_port}{path}"

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.thread.join()
        self.server.server_close()
