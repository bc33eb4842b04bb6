"""webdriver.py: as much of the WebDriver protocol as the tests of the HTML report need, over chromedriver
and headless Chromium, with nothing but Python's own library."""
import base64
import json
import os
import re
import subprocess
import urllib.error
import urllib.request

ELEMENT = "element-6066-11e4-a52e-4f735466cecf"
KEYS = {"ArrowRight": "\ue014", "ArrowLeft": "\ue012", "Tab": "\ue004", "Enter": "\ue007"}


class Browser:
    """One window. `script=False` switches JavaScript off, as a careful reader may."""

    def __init__(self, script=True, dark=False, size=(1300, 900)):
        self.driver = subprocess.Popen(["chromedriver", "--port=0"], stdout=subprocess.PIPE,
                                       stderr=subprocess.DEVNULL, text=True)
        port = None
        for line in self.driver.stdout:
            found = re.search(r"started successfully on port (\d+)", line)
            if found:
                port = found.group(1)
                break
        if not port:
            raise RuntimeError("chromedriver did not start")
        self.base = f"http://127.0.0.1:{port}"
        arguments = ["--headless=new", "--disable-gpu", "--disable-dev-shm-usage", "--force-color-profile=srgb",
                     f"--window-size={size[0]},{size[1]}"]
        if os.geteuid() == 0:
            arguments.append("--no-sandbox")
        if dark:
            arguments += ["--force-dark-mode", "--blink-settings=preferredColorScheme=0"]
        options = {"args": arguments}
        if not script:
            options["prefs"] = {"profile.managed_default_content_settings.javascript": 2}
        answer = self.call("POST", "/session", {"capabilities": {"alwaysMatch": {
            "browserName": "chrome", "goog:chromeOptions": options,
            "goog:loggingPrefs": {"browser": "ALL"}}}})
        self.session = f"/session/{answer['sessionId']}"

    def call(self, method, path, body=None):
        data = json.dumps(body).encode() if body is not None else None
        request = urllib.request.Request(self.base + path, data, {"Content-Type": "application/json"}, method=method)
        try:
            with urllib.request.urlopen(request, timeout=240) as answer:
                return json.load(answer)["value"]
        except urllib.error.HTTPError as error:
            raise RuntimeError(f"{method} {path}: {error.read().decode()[:500]}") from None

    def open(self, path):
        self.call("POST", self.session + "/url", {"url": "file://" + os.path.abspath(path)})

    def run(self, script, *args):
        return self.call("POST", self.session + "/execute/sync", {"script": script, "args": list(args)})

    def find(self, css):
        found = self.call("POST", self.session + "/element", {"using": "css selector", "value": css})
        return found[ELEMENT]

    def click(self, css):
        self.run("document.querySelector(arguments[0]).scrollIntoView({block: 'center'})", css)
        self.call("POST", f"{self.session}/element/{self.find(css)}/click", {})

    def click_plain(self, css):
        """Where JavaScript is off."""
        self.call("POST", f"{self.session}/element/{self.find(css)}/click", {})

    def text(self, css):
        return self.call("GET", f"{self.session}/element/{self.find(css)}/text")

    def type(self, css, text):
        self.call("POST", f"{self.session}/element/{self.find(css)}/value", {"text": text})

    def press(self, name):
        """The key, wherever the focus is."""
        key = KEYS.get(name, name)
        self.call("POST", self.session + "/actions", {"actions": [{"type": "key", "id": "keys", "actions": [
            {"type": "keyDown", "value": key}, {"type": "keyUp", "value": key}]}]})

    def choose(self, css, value):
        """What a reader does with a <select>: the option is clicked."""
        option = self.find(f'{css} option[value="{value}"]')
        self.call("POST", f"{self.session}/element/{option}/click", {})

    def errors(self):
        """What the page complained about: script errors, and what its security policy had to refuse."""
        return [e["message"] for e in self.call("POST", self.session + "/se/log", {"type": "browser"})
                if e["level"] == "SEVERE"]

    def screenshot(self, path):
        with open(path, "wb") as out:
            out.write(base64.b64decode(self.call("GET", self.session + "/screenshot")))

    def close(self):
        try:
            self.call("DELETE", self.session)
        finally:
            self.driver.terminate()
            self.driver.wait()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()
