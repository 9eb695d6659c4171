"""A headless Chromium, told what to do through a pipe (the DevTools protocol), with nothing but Python's own library."""

import base64
import fcntl
import json
import os
import select
import shutil
import subprocess
import tempfile
import time

# How a browser is called, and how it is got.
NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
HOW = "no Chromium is here: apt-get install chromium, or name one with --browser PROGRAM"
# A machine with much else to do takes seconds; a browser that hangs takes for ever.
PATIENCE = 60.0


class Broken(Exception):
    """The browser does not do what it is told."""


def program(named=None):
    """The path of a browser; None where there is none."""
    return next(filter(None, map(shutil.which, [named] if named else NAMES)), None)


class Chromium:
    """The browser, which ends with the block it is used in."""

    def __init__(self, path):
        self.profile = tempfile.mkdtemp(prefix="cica-browser-")
        self.errors = open(os.path.join(self.profile, "stderr"), "w", encoding="utf-8")
        # It reads from 3 and writes to 4. The ends lie above, so that none takes the place of another; the low
        # ones are closed when it runs: Popen must not use 3 and 4 itself.
        low = [*os.pipe(), *os.pipe()]
        its_in, self.out, self.into, its_out = [fcntl.fcntl(end, fcntl.F_DUPFD_CLOEXEC, 20) for end in low]

        def place():
            os.dup2(its_in, 3)
            os.dup2(its_out, 4)

        options = ["--headless=new", "--remote-debugging-pipe", f"--user-data-dir={self.profile}", "--no-first-run",
                   "--disable-gpu", "--disable-dev-shm-usage", "--disable-background-networking", "--hide-scrollbars"]
        if os.geteuid() == 0:
            options.append("--no-sandbox")  # It refuses to be root with one.
        self.process = subprocess.Popen([path, *options], stdin=subprocess.DEVNULL, stdout=self.errors,
                                        stderr=self.errors, pass_fds=(3, 4), preexec_fn=place)
        for end in (*low, its_in, its_out):
            os.close(end)
        self.number, self.left, self.pages = 0, b"", {}

    def __enter__(self):
        return self

    def __exit__(self, *_):
        try:
            self.tell("Browser.close")
            self.process.wait(timeout=10)
        except (Broken, OSError, subprocess.TimeoutExpired):
            self.process.kill()
            self.process.wait()
        self.errors.close()
        shutil.rmtree(self.profile, ignore_errors=True)

    def tell(self, method, session=None, **parameters):
        """Sends a command; what it is answered. Events that come meanwhile go to their pages."""
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters}
        if session:
            message["sessionId"] = session
        os.write(self.out, json.dumps(message).encode() + b"\0")
        until = time.monotonic() + PATIENCE
        while True:
            answer = self.next(until, method)
            if answer.get("id") == self.number:
                if "error" in answer:
                    raise Broken(f"{method}: {answer['error'].get('message')}")
                return answer["result"]
            if page := self.pages.get(answer.get("sessionId")):
                page.hear(answer.get("method"), answer.get("params", {}))

    def next(self, until, what):
        while b"\0" not in self.left:
            ready, _, _ = select.select([self.into], [], [], max(0, until - time.monotonic()))
            more = os.read(self.into, 1 << 20) if ready else b""
            if not more:
                with open(self.errors.name, encoding="utf-8", errors="replace") as errors:
                    said = errors.read()[-500:]
                raise Broken(f"{what}: {'it has ended' if ready else 'no answer'}. {said}")
            self.left += more
        message, self.left = self.left.split(b"\0", 1)
        return json.loads(message)


class Page:
    """A page in a window of its own, so many pixels wide; in the dark where that is asked for."""

    def __init__(self, browser, address, width, dark=False):
        self.browser, self.errors = browser, []
        self.target = browser.tell("Target.createTarget", url="about:blank")["targetId"]
        self.session = browser.tell("Target.attachToTarget", targetId=self.target, flatten=True)["sessionId"]
        browser.pages[self.session] = self
        for domain in ("Page", "Runtime", "Log"):
            self.tell(f"{domain}.enable")
        self.tell("Emulation.setDeviceMetricsOverride", width=width, height=800, deviceScaleFactor=1, mobile=width < 600)
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.tell("Emulation.setEmulatedMedia", features=[scheme])
        failed = self.tell("Page.navigate", url=address).get("errorText")
        if failed:
            raise Broken(f"{address}: {failed}")
        self.wait("document.readyState === 'complete'")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.browser.pages.pop(self.session)
        self.browser.tell("Target.closeTarget", targetId=self.target)

    def tell(self, method, **parameters):
        return self.browser.tell(method, self.session, **parameters)

    def hear(self, event, said):
        """Keeps what went wrong: a script that threw, and what the console shows as an error."""
        if event == "Runtime.exceptionThrown":
            details = said["exceptionDetails"]
            self.errors.append(details.get("exception", {}).get("description") or details["text"])
        elif event == "Runtime.consoleAPICalled" and said["type"] in ("error", "assert"):
            self.errors.append(" ".join(str(one.get("value", one.get("description"))) for one in said["args"]))
        elif event == "Log.entryAdded" and said["entry"]["level"] == "error":
            self.errors.append(f"{said['entry']['text']} {said['entry'].get('url', '')}")

    def value(self, expression):
        """What an expression of the page's language comes to."""
        done = self.tell("Runtime.evaluate", expression=expression, returnByValue=True)
        if "exceptionDetails" in done:
            raise Broken(f"{expression[:60]}: {done['result'].get('description')}")
        return done["result"].get("value")

    def wait(self, expression, seconds=PATIENCE):
        """Waits until the expression holds."""
        until = time.monotonic() + seconds
        while not self.value(expression):
            if time.monotonic() > until:
                raise Broken(f"it never held that {expression}; the page says: {self.value('document.body.innerText')[:500]}")
            time.sleep(0.1)

    def picture(self, path):
        """The whole page, as long as it is."""
        shot = self.tell("Page.captureScreenshot", format="png", captureBeyondViewport=True)
        path.write_bytes(base64.b64decode(shot["data"]))
