"""Open a page in headless Chromium and say what happened, as JSON.

Usage: browser.py CHROMIUM PAGE [--width W] [--dark] [--screenshot FILE.png] [--evaluate EXPRESSION]

Talks to the browser's own debugging protocol through a pipe (--remote-debugging-pipe: messages end in a NUL), so that
nothing beside Python's standard library is needed. Prints an object with
  errors     messages of errors and warnings in the console, uncaught exceptions, violations of the page's policy
  requests   addresses that the page asked for, itself and data: aside
  overflow   by how many pixels the page is wider than the window
  value      of the expression
"""
import argparse
import base64
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

PATIENCE = 300  # seconds for any one step


class Browser:
    def __init__(self, program, profile):
        to_browser, self.out = os.pipe()
        self.inward, from_browser = os.pipe()
        # The browser reads messages from its descriptor 3 and writes them to 4.
        shell = 'exec 3<&%d 4>&%d; exec "$@"' % (to_browser, from_browser)
        options = ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
                   "--disable-background-networking", "--disable-component-update", "--disable-sync",
                   "--host-resolver-rules=MAP * ~NOTFOUND", "--remote-debugging-pipe", "--user-data-dir=" + profile]
        self.process = subprocess.Popen(["sh", "-c", shell, "sh", program] + options,
                                        pass_fds=(to_browser, from_browser), stdout=subprocess.DEVNULL,
                                        stderr=subprocess.DEVNULL)
        os.close(to_browser)
        os.close(from_browser)
        self.buffer = b""
        self.events = []
        self.count = 0
        self.session = None

    def read(self):
        while b"\0" not in self.buffer:
            piece = os.read(self.inward, 1 << 20)
            if not piece:
                sys.exit("the browser is gone")
            self.buffer += piece
        message, self.buffer = self.buffer.split(b"\0", 1)
        return json.loads(message)

    def call(self, method, **parameters):
        self.count += 1
        message = {"id": self.count, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.out, json.dumps(message).encode() + b"\0")
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            answer = self.read()
            if answer.get("id") == self.count:
                if "error" in answer:
                    sys.exit("%s: %s" % (method, answer["error"]))
                return answer["result"]
            self.events.append(answer)
        sys.exit("no answer to " + method)

    def wait_for(self, event):
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            if any(e.get("method") == event for e in self.events):
                return
            self.events.append(self.read())
        sys.exit("no " + event)

    def evaluate(self, expression):
        result = self.call("Runtime.evaluate", expression=expression, returnByValue=True)
        if "exceptionDetails" in result:
            sys.exit("%s: %s" % (expression, result["exceptionDetails"]))
        return result["result"].get("value")

    def close(self):
        self.session = None
        os.write(self.out, b'{"id":0,"method":"Browser.close"}\0')
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()


def complaints(events):
    for event in events:
        parameters = event.get("params", {})
        if event.get("method") == "Log.entryAdded" and parameters["entry"]["level"] in ("error", "warning"):
            yield parameters["entry"]["text"]
        elif event.get("method") == "Runtime.consoleAPICalled" and parameters["type"] in ("error", "warning"):
            yield json.dumps(parameters["args"])
        elif event.get("method") == "Runtime.exceptionThrown":
            yield json.dumps(parameters["exceptionDetails"])


def look(browser, options):
    page = pathlib.Path(options.page).resolve().as_uri()
    target = browser.call("Target.createTarget", url="about:blank")["targetId"]
    browser.session = browser.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
    for domain in ("Page", "Runtime", "Log", "Network"):
        browser.call(domain + ".enable")
    browser.call("Emulation.setDeviceMetricsOverride", width=options.width, height=900, deviceScaleFactor=1,
                 mobile=options.width < 600)
    browser.call("Emulation.setEmulatedMedia",
                 features=[{"name": "prefers-color-scheme", "value": "dark" if options.dark else "light"}])
    browser.call("Page.navigate", url=page)
    browser.wait_for("Page.loadEventFired")
    result = {"overflow": browser.evaluate("document.documentElement.scrollWidth - innerWidth"),
              "value": browser.evaluate(options.evaluate) if options.evaluate else None}
    if options.screenshot:
        picture = browser.call("Page.captureScreenshot", captureBeyondViewport=True, format="png")["data"]
        pathlib.Path(options.screenshot).write_bytes(base64.b64decode(picture))
    asked = [e["params"]["request"]["url"] for e in browser.events
             if e.get("method") == "Network.requestWillBeSent"]
    result["requests"] = [url for url in asked if url != page and not url.startswith("data:")]
    result["errors"] = list(complaints(browser.events))
    return result


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("chromium")
    parser.add_argument("page")
    parser.add_argument("--width", type=int, default=1200)
    parser.add_argument("--dark", action="store_true")
    parser.add_argument("--screenshot")
    parser.add_argument("--evaluate")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        browser = Browser(options.chromium, profile)
        try:
            print(json.dumps(look(browser, options)))
        finally:
            browser.close()


main()
