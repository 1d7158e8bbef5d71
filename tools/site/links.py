"""Checks the built site: python tools/site/links.py FOLDER. Links and anchors lead somewhere, and no page loads anything from elsewhere."""

import html.parser
import pathlib
import sys
import urllib.parse

LOADS = {
    "script": "src",
    "img": "src",
    "iframe": "src",
    "source": "src",
    "video": "src",
    "audio": "src",
    "link": "href",
}
QUIET = {"canonical", "next", "prev", "index", "search", "author", "copyright"}  # relations that load nothing


class Page(html.parser.HTMLParser):
    """What a page links to, what it loads, and its anchors."""

    def __init__(self, text):
        super().__init__()
        self.links, self.loads, self.anchors = [], [], set()
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        attributes = dict(attrs)
        self.anchors.update(filter(None, (attributes.get("id"), attributes.get("name"))))
        if tag == "a" and attributes.get("href"):
            self.links.append(attributes["href"])
        if tag in LOADS and attributes.get(LOADS[tag]) and attributes.get("rel") not in QUIET:
            self.loads.append(attributes[LOADS[tag]])


def problems(folder):
    """Lines that say what is wrong."""
    pages = {path: Page(path.read_text()) for path in sorted(folder.rglob("*.html")) if "_static" not in path.parts}
    for path, page in pages.items():
        name = path.relative_to(folder)
        for load in page.loads:
            if urllib.parse.urlsplit(load).netloc:
                yield f"{name}: loads {load}"
        for link in page.links + page.loads:
            parts = urllib.parse.urlsplit(link)
            if parts.scheme or parts.netloc:
                continue
            target = path if not parts.path else (path.parent / urllib.parse.unquote(parts.path)).resolve()
            if not target.is_file():
                yield f"{name}: there is no {link}"
            elif (
                parts.fragment and target in pages and urllib.parse.unquote(parts.fragment) not in pages[target].anchors
            ):
                yield f"{name}: {target.relative_to(folder)} has no anchor {parts.fragment}"
    for style in sorted(folder.rglob("*.css")):
        if "url(http" in style.read_text(errors="replace") or "@import url(" in style.read_text(errors="replace"):
            yield f"{style.relative_to(folder)}: loads from elsewhere"


def main():
    folder = pathlib.Path(sys.argv[1]).resolve()
    found = sorted(set(problems(folder)))
    for line in found:
        print(line)
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()
