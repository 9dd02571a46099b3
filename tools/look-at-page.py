#!/usr/bin/env python3
"""Looks at a page of `scuba report --html` with a real browser, and fails where it is not as promised.

    look-at-page.py PAGE.html… [--chromium PATH] [--shots FOLDER]
    look-at-page.py PROGRAM.cu… --scuba PATH …      the pages of these programs, each checked in a folder of its own

Headless Chromium opens the page in its light and dark schemes, 1280 and 375 pixels wide. It must make no network request and write no message on its
console; no text may have less than 4.5:1 contrast with its ground; nothing may need scrolling to the side. The filter must hide and show what it says,
a link to something hidden must show it, and without scripts everything must be there. --shots writes a picture of each.

Chromium is driven by the DevTools protocol over two pipes (https://chromedevtools.github.io/devtools-protocol/), which needs no package.
"""

import argparse
import base64
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

WIDTHS = [1280, 375]
SCHEMES = ["light", "dark"]
LEAST_CONTRAST = 4.5

# Texts whose contrast with their ground is too low (WCAG 2.2, "contrast ratio"). All folds must be open.
CONTRAST = r"""
(() => {
  const parse = (text) => {
    const n = text.match(/[\d.]+/g).map(Number);
    return { r: n[0], g: n[1], b: n[2], a: n.length > 3 ? n[3] : 1 };
  };
  const over = (top, below) => ({
    r: top.r * top.a + below.r * (1 - top.a),
    g: top.g * top.a + below.g * (1 - top.a),
    b: top.b * top.a + below.b * (1 - top.a),
    a: 1,
  });
  const luminance = ({ r, g, b }) => {
    const [x, y, z] = [r, g, b].map((v) => v / 255).map((v) => (v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4));
    return 0.2126 * x + 0.7152 * y + 0.0722 * z;
  };
  const ground = (element) => {
    const layers = [];
    for (let e = element; e; e = e.parentElement) {
      const c = parse(getComputedStyle(e).backgroundColor);
      if (c.a > 0) layers.push(c);
      if (c.a === 1) break;
    }
    return layers.reduceRight((below, top) => over(top, below), { r: 255, g: 255, b: 255, a: 1 });
  };
  document.querySelectorAll("details").forEach((d) => (d.open = true));
  const low = [];
  let seen = 0;
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const node = walker.currentNode;
    const e = node.parentElement;
    if (!node.data.trim() || ["SCRIPT", "STYLE"].includes(e.tagName)) continue;
    const style = getComputedStyle(e);
    if (style.visibility === "hidden" || !e.getClientRects().length) continue;
    seen += 1;
    // A name in a drawing has an outline in the colour of its ground.
    const outlined = e instanceof SVGElement && style.paintOrder.startsWith("stroke") && style.stroke !== "none";
    const below = outlined ? parse(style.stroke) : ground(e);
    const ink = over(parse(e instanceof SVGElement ? style.fill : style.color), below);
    const opacity = Number(style.opacity);
    const [light, dark] = [luminance(opacity < 1 ? over({ ...ink, a: opacity }, below) : ink), luminance(below)].sort((x, y) => y - x);
    const contrast = (light + 0.05) / (dark + 0.05);
    if (contrast < LEAST) low.push(`${contrast.toFixed(2)}: ${node.data.trim().slice(0, 60)}`);
  }
  return { seen, low };
})()
"""

# The widest elements that stick out to the right, if anything does.
OVERFLOW = r"""
(() => {
  const width = document.documentElement.clientWidth;
  if (document.documentElement.scrollWidth <= width) return [];
  return [...document.body.querySelectorAll("*")]
    .filter((e) => e.getBoundingClientRect().right > width + 1 && !e.closest("pre"))
    .slice(0, 5)
    .map((e) => `${e.tagName} ${e.className} ${Math.round(e.getBoundingClientRect().right)}`);
})()
"""

# What each value of each filter shows, and whether a link shows what a filter hides.
FILTER = r"""
(async () => {
  const wrong = [];
  const form = document.querySelector("form.filter");
  const articles = [...document.querySelectorAll("article")];
  if (!form) return { wrong: articles.length ? ["there is no filter"] : [], tried: 0 };
  if (form.hidden) wrong.push("the filter is hidden");
  let tried = 0;
  for (const select of form.querySelectorAll("select")) {
    for (const option of [...select.options].filter((o) => o.value)) {
      tried += 1;
      select.value = option.value;
      select.dispatchEvent(new Event("change", { bubbles: true }));
      for (const a of document.querySelectorAll("[data-verdict]")) {
        const fits = a.dataset[select.name] === option.value;
        if ((a.getClientRects().length > 0) !== fits && !a.closest("details:not([open])")) wrong.push(`${select.name} = ${option.value}: ${a.id || a.textContent}`);
      }
      select.value = "";
    }
  }
  form.querySelector("button").click();
  await new Promise((done) => setTimeout(done, 50));
  if (articles.some((a) => a.hidden)) wrong.push("not all findings are shown again");
  if (articles.length) {
    const select = form.elements.file;
    select.add(new Option("no such file"));
    select.value = "no such file";
    select.dispatchEvent(new Event("change", { bubbles: true }));
    if (articles.some((a) => !a.hidden)) wrong.push("a file without findings shows findings");
    location.hash = articles[0].id;
    await new Promise((done) => setTimeout(done, 100));
    if (articles[0].hidden) wrong.push("a link to a hidden finding does not show it");
  }
  return { wrong, tried };
})()
"""


class Browser:
    """A headless Chromium with one page."""

    def __init__(self, program, profile):
        to_browser, self.out = os.pipe()
        self.inn, from_browser = os.pipe()

        def wire():
            # The browser reads commands at 3 and writes answers at 4.
            a, b = os.dup(to_browser), os.dup(from_browser)
            os.dup2(a, 3)
            os.dup2(b, 4)

        flags = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--hide-scrollbars",
                 "--disable-component-update", "--disable-sync", "--remote-debugging-pipe", f"--user-data-dir={profile}", "about:blank"]
        self.process = subprocess.Popen([program, *flags], preexec_fn=wire, close_fds=False, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(to_browser)
        os.close(from_browser)
        self.reader = os.fdopen(self.inn, "rb")
        self.number, self.events, self.session, self.rest = 0, [], None, b""
        target = next(t for t in self.ask("Target.getTargets")["targetInfos"] if t["type"] == "page")
        self.session = self.ask("Target.attachToTarget", targetId=target["targetId"], flatten=True)["sessionId"]
        for domain in ["Page", "Runtime", "Network", "Log"]:
            self.ask(f"{domain}.enable")

    def message(self):
        while b"\0" not in self.rest:
            read = os.read(self.reader.fileno(), 1 << 16)
            if not read:
                sys.exit("Chromium ended")
            self.rest += read
        one, self.rest = self.rest.split(b"\0", 1)
        return json.loads(one)

    def ask(self, method, **params):
        self.number += 1
        command = {"id": self.number, "method": method, "params": params}
        if self.session:
            command["sessionId"] = self.session
        os.write(self.out, json.dumps(command).encode() + b"\0")
        while True:
            said = self.message()
            if said.get("id") == self.number:
                if "error" in said:
                    sys.exit(f"{method}: {said['error']['message']}")
                return said["result"]
            self.events.append(said)

    def wait(self, event):
        while not any(e.get("method") == event for e in self.events):
            self.events.append(self.message())

    def evaluate(self, script):
        said = self.ask("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in said:
            sys.exit(f"script failed: {json.dumps(said['exceptionDetails'])[:500]}")
        return said["result"].get("value")

    def open(self, url):
        self.events.clear()
        # A change of the fragment alone loads nothing.
        self.ask("Page.navigate", url="about:blank")
        self.wait("Page.loadEventFired")
        self.events.clear()
        self.ask("Page.navigate", url=url)
        self.wait("Page.loadEventFired")

    def complaints(self, url):
        for e in self.events:
            method, params = e.get("method"), e.get("params", {})
            if method == "Network.requestWillBeSent" and params["request"]["url"].split("#")[0] != url and not params["request"]["url"].startswith("data:"):
                yield f"request of {params['request']['url'][:100]}"
            if method in ("Runtime.consoleAPICalled", "Runtime.exceptionThrown", "Log.entryAdded"):
                yield f"on the console: {json.dumps(params)[:300]}"

    def end(self):
        self.process.terminate()
        self.process.wait()


def look(browser, url, shots):
    wrong, seen, tried = [], 0, 0
    for scheme in SCHEMES:
        for width in WIDTHS:
            def note(texts, where=f"{scheme}, {width} pixels"):
                wrong.extend(f"{where}: {text}" for text in texts)

            browser.ask("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
            browser.ask("Emulation.setDeviceMetricsOverride", width=width, height=800, deviceScaleFactor=1, mobile=False)
            browser.open(url)
            if shots:
                size = browser.ask("Page.getLayoutMetrics")["cssContentSize"]
                clip = {"x": 0, "y": 0, "width": width, "height": min(size["height"], 16000), "scale": 1}
                shot = browser.ask("Page.captureScreenshot", format="png", captureBeyondViewport=True, clip=clip)
                (shots / f"{width}-{scheme}.png").write_bytes(base64.b64decode(shot["data"]))
            note(browser.evaluate(OVERFLOW))
            texts = browser.evaluate(CONTRAST.replace("LEAST", str(LEAST_CONTRAST)))
            seen += texts["seen"]
            note(f"low contrast, {t}" for t in texts["low"])
            note(browser.evaluate(OVERFLOW))
            filters = browser.evaluate(FILTER)
            tried += filters["tried"]
            note(filters["wrong"])
            note(browser.complaints(url))
    browser.ask("Emulation.setScriptExecutionDisabled", value=True)
    browser.open(url)
    browser.ask("Emulation.setScriptExecutionDisabled", value=False)
    if browser.evaluate("[...document.querySelectorAll('form.filter')].some((f) => f.getClientRects().length)"):
        wrong.append("without scripts: a filter that does nothing is shown")
    if browser.evaluate("[...document.querySelectorAll('article')].some((a) => !a.getClientRects().length)"):
        wrong.append("without scripts: a finding is hidden")
    return wrong, seen, tried


def page_of(source, scuba, folder):
    """The page of a program."""
    folder.mkdir()
    shutil.copy(source, folder)
    environment = {**os.environ, "SCUBA_CACHE": str(folder / "cache")}
    subprocess.run([scuba, "check", "-q", source.name], cwd=folder, env=environment, stderr=subprocess.DEVNULL, check=False)
    page = folder / f"{source.stem}.html"
    subprocess.run([scuba, "report", "--html", page.name], cwd=folder, env=environment, check=True)
    return page


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("pages", nargs="+", type=pathlib.Path, metavar="PAGE")
    parser.add_argument("--scuba", type=lambda p: str(pathlib.Path(p).resolve()))
    parser.add_argument("--chromium", default=os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("google-chrome"))
    parser.add_argument("--shots", type=pathlib.Path)
    args = parser.parse_args()
    if not args.chromium:
        sys.exit("there is no Chromium: apt-get install chromium, or name one with --chromium")
    faults = 0
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        folder = pathlib.Path(folder)
        for number, page in enumerate(args.pages):
            shown, shots = page, args.shots
            if page.suffix != ".html":
                page = page_of(page, args.scuba or sys.exit("--scuba names the program that checks sources"), folder / str(number))
            if shots and len(args.pages) > 1:
                shots = shots / page.stem
            if shots:
                shots.mkdir(parents=True, exist_ok=True)
            browser = Browser(args.chromium, folder / f"profile-{number}")
            try:
                wrong, seen, tried = look(browser, page.resolve().as_uri(), shots)
            finally:
                browser.end()
            for line in dict.fromkeys(wrong):
                print(f"{shown}: {line}", file=sys.stderr)
            print(f"{shown}: {seen} texts and {tried} filters looked at, {len(wrong)} faults")
            faults += len(wrong) + (not seen)
    sys.exit(1 if faults else 0)


if __name__ == "__main__":
    main()
