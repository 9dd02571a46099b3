#!/usr/bin/env python3
"""tools/book.py --scuba SCUBA --out DIR [--mdbook MDBOOK]: the pages of docs/ as a book.

Writes DIR/pages: each page with what it includes, a page for each rule (`scuba explain`), and links that lead nowhere else. With --mdbook also
DIR/book, the same as HTML. Fails, and names them, if links of pages or of the book lead to nothing.

Pages include parts of others as mdBook does, `{{#include FILE}}` or `{{#include FILE:ANCHOR}}`; links in these parts keep their targets.
"""

import argparse
import html.parser
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import urllib.parse

CHECKOUT = pathlib.Path(__file__).resolve().parents[1]
DOCS = CHECKOUT / "docs"
INCLUDE = re.compile(r"\{\{#include ([^}:\s]+)(?::([\w-]+))?\}\}")
LINK = re.compile(r"(\]\()([^)\s]+)(\))")
# Text in which nothing is a link.
CODE = re.compile(r"^```.*?^```|`[^`\n]+`", re.S | re.M)


def outside_code(text: str, change) -> str:
    out, last = [], 0
    for code in CODE.finditer(text):
        out += [change(text[last : code.start()]), code.group(0)]
        last = code.end()
    return "".join([*out, change(text[last:])])


def relative(target: pathlib.Path, page: pathlib.Path) -> str:
    return os.path.relpath(target, page.parent)


def included(page: pathlib.Path, host: pathlib.Path | None = None) -> str:
    """The text of a page of the checkout, with what it includes, and links from the page that hosts it."""
    text = page.read_text()
    host = host or page

    def part(match: re.Match) -> str:
        file, anchor = (page.parent / match.group(1)).resolve(), match.group(2)
        found = included(file, host) if file.suffix == ".md" else file.read_text()
        if anchor:
            inside = re.search(rf"<!-- ANCHOR: {anchor} -->\n(.*?)<!-- ANCHOR_END: {anchor} -->", found, re.S)
            if not inside:
                raise SystemExit(f"book: {file} has no anchor {anchor}")
            found = inside.group(1)
        return found.rstrip("\n")

    text = INCLUDE.sub(part, text)
    if host == page:
        return text
    moved = lambda m: m[1] + (m[2] if re.match(r"\w+:|#", m[2]) else relative(page.parent / m[2], host)) + m[3]
    return outside_code(text, lambda t: LINK.sub(moved, t))


def within(text: str, page: pathlib.Path, rules: set[str]) -> str:
    """Links of a page, which lead out of docs/: to the rule's page, to the book's page of a file, or to nothing but its name."""
    pages = {"CHANGELOG.md": "book/changes.md", "README.md": "introduction.md", "LICENSE-MIT": "book/licence.md", "LICENSE-APACHE": "book/licence.md"}

    def change(match: re.Match) -> str:
        shown, link = match.group(1), match.group(2)
        if re.match(r"\w+:|#", link):
            return match.group(0)
        target = (page.parent / link.partition("#")[0]).resolve()
        if target.is_relative_to(DOCS):
            # GitHub shows the README of a folder.
            return f"[{shown}]({relative(target / 'README.md', page)})" if (target / "README.md").is_file() else match.group(0)
        place = target.relative_to(CHECKOUT).as_posix()
        rule = target.stem.replace("_", "-")
        if place.startswith("src/base/rules/") and rule in rules:
            return f"[{shown}]({relative(DOCS / 'rules' / f'{rule}.md', page)})"
        return f"[{shown}]({relative(DOCS / pages[place], page)})" if place in pages else f"{shown} (`{place}` of the repository)"

    text = re.sub(r"<!-- ANCHOR(_END)?: [\w-]+ -->\n", "", text)
    return re.sub(r"\[([^\[\]]*)\]\(([^)\s]+)\)", change, text)


def stage(scuba: pathlib.Path, pages: pathlib.Path) -> None:
    rules = re.findall(r"^\| \[`([a-z-]+)`\]", (DOCS / "rules.md").read_text(), re.M)
    for file in sorted(p for p in DOCS.rglob("*") if p.is_file() and p.name not in ("SUMMARY.md", "book.toml")):
        to = pages / file.relative_to(DOCS)
        to.parent.mkdir(parents=True, exist_ok=True)
        if file.suffix == ".md":
            to.write_text(within(included(file), file, set(rules)))
        else:
            shutil.copyfile(file, to)
    (pages / "rules").mkdir()
    for rule in rules:
        said = subprocess.run([scuba, "explain", rule], check=True, capture_output=True, text=True)
        (pages / "rules" / f"{rule}.md").write_text(said.stdout)
    summary = (DOCS / "book/SUMMARY.md").read_text()
    summary = LINK.sub(lambda m: m[1] + os.path.normpath(os.path.join("book", m[2])) + m[3], summary)
    summary = summary.replace("  <!-- rules -->\n", "".join(f"  - [{rule}](rules/{rule}.md)\n" for rule in rules))
    listed = {m[2] for m in LINK.finditer(summary)}
    others = []
    for folder in ("evaluation", "decisions", "internals"):
        named = sorted(p.relative_to(pages).as_posix() for p in (pages / folder).glob("*.md"))
        named.sort(key=lambda p: not p.endswith("README.md"))
        depth = "" if named[0].endswith("README.md") else None
        for place in named:
            title = re.search(r"^# (.*)", (pages / place).read_text(), re.M).group(1)
            indent = "" if depth is None or place.endswith("README.md") else "  "
            others.append(f"{indent}- [{re.sub(r'[][]', '', title)}]({place})\n")
            listed.add(place)
    (pages / "SUMMARY.md").write_text(summary.replace("<!-- others -->\n", "".join(others)))
    missing = {p.relative_to(pages).as_posix() for p in pages.rglob("*.md")} - listed - {"SUMMARY.md"}
    if missing:
        raise SystemExit(f"book: docs/book/SUMMARY.md does not list {', '.join(sorted(missing))}")


def slugs(text: str) -> set[str]:
    heads = re.findall(r"^#+ (.*)$", re.sub(r"^```.*?^```", "", text, flags=re.S | re.M), re.M)
    plain = (re.sub(r"[`*]", "", re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", head)).strip().lower() for head in heads)
    return {re.sub(r"[^\w\- ]", "", head).replace(" ", "-") for head in plain}


def broken_in_pages(pages: pathlib.Path) -> list[str]:
    wrong = []
    for page in sorted(pages.rglob("*.md")):
        for _, link, _ in LINK.findall(CODE.sub("", page.read_text())):
            file, _, anchor = link.partition("#")
            target = pathlib.Path(os.path.normpath(page.parent / file)) if file else page
            if re.match(r"\w+:", link):
                continue
            inside = target.is_relative_to(pages) and target.is_file()
            if not inside or (anchor and anchor not in slugs(target.read_text())):
                wrong.append(f"{page.relative_to(pages)}: {link}")
    return wrong


class Page(html.parser.HTMLParser):
    def __init__(self, text: str):
        super().__init__()
        self.links: list[str] = []
        self.ids: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        for name, value in attributes:
            if name in ("href", "src") and value:
                self.links.append(value)
            elif name == "id":
                self.ids.add(value)


def broken_in_book(book: pathlib.Path) -> list[str]:
    # The pages of one sheet and of errors repeat the others' links from another place.
    pages = {p: Page(p.read_text()) for p in book.rglob("*.html") if p.name not in ("print.html", "404.html", "toc.html")}
    wrong = []
    for path, page in pages.items():
        for link in page.links:
            if re.match(r"\w+:|//", link):
                continue
            file, _, anchor = link.partition("#")
            target = pathlib.Path(os.path.normpath(path.parent / urllib.parse.unquote(file))) if file else path
            if not target.is_file() or (anchor and target in pages and urllib.parse.unquote(anchor) not in pages[target].ids):
                wrong.append(f"{path.relative_to(book)}: {link}")
    return wrong


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--scuba", type=pathlib.Path, required=True, help="the program, which explains the rules")
    parser.add_argument("--out", type=pathlib.Path, required=True, help="folder for pages/ and book/")
    parser.add_argument("--mdbook", help="mdBook's program; without it there are only pages")
    options = parser.parse_args()
    out = options.out.resolve()
    for name in ("pages", "book"):
        shutil.rmtree(out / name, ignore_errors=True)
    (out / "pages").mkdir(parents=True)
    stage(options.scuba.resolve(), out / "pages")
    wrong = broken_in_pages(out / "pages")
    if options.mdbook:
        with tempfile.TemporaryDirectory() as folder:
            shutil.copyfile(DOCS / "book/book.toml", pathlib.Path(folder, "book.toml"))
            shutil.copytree(out / "pages", pathlib.Path(folder, "src"))
            subprocess.run([options.mdbook, "build", folder, "--dest-dir", out / "book"], check=True)
        wrong += broken_in_book(out / "book")
    for line in wrong:
        print(f"book: a link leads nowhere: {line}", file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
