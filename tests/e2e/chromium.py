"""A headless Chromium, spoken to through a pipe (Chrome DevTools Protocol)."""
import base64
import json
import os
import shutil
import subprocess
import tempfile

PROGRAM = shutil.which("chromium")


class Chromium:
    """A browser while the `with` block runs. `problems` are errors of the console and the log."""

    def __enter__(self):
        self.profile = tempfile.mkdtemp(prefix="chromium-")
        to_read, self.to_write = os.pipe()
        self.to_read, from_write = os.pipe()

        def place():  # The browser reads from 3 and writes to 4.
            commands, answers = os.dup(to_read), os.dup(from_write)
            os.dup2(commands, 3)
            os.dup2(answers, 4)

        self.process = subprocess.Popen(
            [PROGRAM, "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
             "--hide-scrollbars", f"--user-data-dir={self.profile}", "--remote-debugging-pipe",
             "about:blank"],
            preexec_fn=place, close_fds=False, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(to_read)
        os.close(from_write)
        self.answers = os.fdopen(self.to_read, "rb")
        self.rest = b""
        self.number = 0
        self.session = None
        self.problems = []
        self.requests = []
        self.loaded = False
        target = next(t for t in self.call("Target.getTargets")["targetInfos"]
                      if t["type"] == "page")
        self.session = self.call("Target.attachToTarget", targetId=target["targetId"],
                                 flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(domain + ".enable")
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()
        os.close(self.to_write)
        self.answers.close()
        shutil.rmtree(self.profile, ignore_errors=True)

    def message(self):
        while b"\0" not in self.rest:
            piece = self.answers.read1(1 << 16)
            if not piece:
                raise EOFError("Chromium has ended")
            self.rest += piece
        message, self.rest = self.rest.split(b"\0", 1)
        message = json.loads(message)
        self.note(message.get("method"), message.get("params", {}))
        return message

    def note(self, method, about):
        if method == "Runtime.exceptionThrown":
            self.problems.append(about["exceptionDetails"]["text"])
        elif method == "Runtime.consoleAPICalled" and about["type"] in ("error", "warning"):
            self.problems.append(str(about["args"]))
        elif method == "Log.entryAdded" and about["entry"]["level"] in ("error", "warning"):
            self.problems.append(about["entry"]["text"])
        elif method == "Page.javascriptDialogOpening":
            self.problems.append("dialog: " + about["message"])
        elif method == "Network.requestWillBeSent":
            self.requests.append(about["request"]["url"])
        elif method == "Page.loadEventFired":
            self.loaded = True

    def call(self, method, **parameters):
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.to_write, json.dumps(message).encode() + b"\0")
        while True:
            answer = self.message()
            if answer.get("id") == self.number:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']}")
                return answer["result"]

    def show(self, url, width=1280, height=900, dark=False):
        """Opens `url` and waits until it is loaded."""
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height,
                  deviceScaleFactor=1, mobile=width < 500)
        self.call("Emulation.setEmulatedMedia", features=[
            {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}])
        self.loaded = False
        self.call("Page.navigate", url=url)
        while not self.loaded:
            self.message()

    def evaluate(self, script):
        result = self.call("Runtime.evaluate", expression=script, returnByValue=True)
        if "exceptionDetails" in result:
            raise RuntimeError(result["exceptionDetails"]["text"])
        return result["result"].get("value")

    def picture(self, path, whole=True):
        """Writes what is shown as PNG."""
        data = self.call("Page.captureScreenshot", format="png", captureBeyondViewport=whole)["data"]
        with open(path, "wb") as file:
            file.write(base64.b64decode(data))
