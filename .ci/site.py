"""Builds the documentation site from files that are written for GitHub.

mkdocs calls the functions below. README.md and other files outside docs/ become
pages. Links to files that aren't pages are replaced with links to the repository.
The API reference is the output of go doc. llms.txt lists the pages for programs
that read them.
"""

import gzip
import os
import posixpath
import re
import subprocess
import tempfile
from pathlib import Path

from mkdocs.exceptions import PluginError
from mkdocs.structure.files import File

ROOT = Path(__file__).parent.parent
REPOSITORY = "https://github.com/seed-1954dcaa/muxmaster"

# Pages from files outside docs/.
PAGES = {
    "README.md": "index.md",
    "CHANGELOG.md": "changes.md",
    "CONTRIBUTING.md": "contributing.md",
    "examples/README.md": "examples.md",
    "playground/README.md": "playground.md",
}

# The packages of the API reference, relative to the root.
PACKAGES = [".", "inspect", "problem", "body", "middleware", "server", "engine", "client"]

LINK = re.compile(r'(\]\(|(?:src|srcset)=")([^)"#:\s]+)((?:#[^)"\s]*)?[)"])')

texts = {}  # title, URL and Markdown of each page, for llms.txt


def on_files(files, config):
    for source, page in PAGES.items():
        text = by_theme((ROOT / source).read_text())
        files.append(File.generated(config, page, content=links(text, source, page)))
    for package in PACKAGES:
        name = "muxmaster" if package == "." else package
        files.append(File.generated(config, f"api/{name}.md", content=reference(name, package)))
    files.append(File.generated(config, "site.css", content=(ROOT / ".ci/site.css").read_text()))
    for name, content in playground().items():
        files.append(File.generated(config, "playground/" + name, content=content))
    return files


def playground():
    """Returns the files of the playground: the router as WebAssembly, compressed,
    because not every server does that, and what runs it."""
    with tempfile.TemporaryDirectory() as folder:
        program = Path(folder) / "playground.wasm"
        command = ["go", "build", "-tags", "muxmaster_safe,nethttpomithttp2", "-ldflags", "-s -w", "-trimpath", "-o", program, "./playground"]
        subprocess.run(command, cwd=ROOT, check=True, env=os.environ | {"GOOS": "js", "GOARCH": "wasm"})
        compressed = gzip.compress(program.read_bytes(), mtime=0)
    goroot = subprocess.run(["go", "env", "GOROOT"], cwd=ROOT, check=True, capture_output=True, text=True).stdout.strip()
    return {
        "playground.wasm.gz": compressed,
        "wasm_exec.js": (Path(goroot) / "lib/wasm/wasm_exec.js").read_text(),
        "playground.js": (ROOT / "playground/playground.js").read_text(),
    }


def by_theme(text):
    """Makes pictures depend on the theme of the site, which readers can change, and
    not on the color scheme of their system."""

    def both(match):
        light = re.sub(r' *<source media="[^"]*color-scheme[^>]*>\n', "", match.group())
        light = re.sub(r'(\.\w+)">\n</picture>', r'\1#only-light">\n</picture>', light)
        return light + "\n" + light.replace("-light", "-dark")

    return re.sub(r"<picture>.*?</picture>", both, text, flags=re.DOTALL)


def images(text):
    """Does the same for pictures of pages in docs/, as Markdown, whose links mkdocs
    adapts to the page."""
    picture = r'<picture>\n.*\n.*<img alt="(.*)" src="(.*)-light(\.\w+)">\n</picture>'
    return re.sub(picture, r"![\1](\2-light\3#only-light)\n![\1](\2-dark\3#only-dark)", text)


def reference(name, package):
    """Returns the page of a package."""
    doc = subprocess.run(["go", "doc", "-all", "./" + package], cwd=ROOT, check=True, capture_output=True, text=True).stdout
    text = [f"# Package {name}\n"]
    for part in re.split(r"\n(?=(?:CONSTANTS|VARIABLES|FUNCTIONS|TYPES)\n|(?:func|type) )", doc):
        heading, _, rest = part.partition("\n")
        if heading.startswith("package "):
            text += [code([heading]), prose(rest.split("\n"))]
            continue
        title = re.match(r"(?:func (?:\([^)]*?(\w+)\) )?|type )(\w+)", heading)
        if title:
            text.append("## " + ".".join(filter(None, title.groups())) + "\n")
            rest = part
        else:
            text.append(f"*{heading.capitalize()}*\n")
        # go doc indents the comment below each declaration with four spaces.
        for indented, lines in runs(rest.split("\n")):
            text.append(prose([line[4:] for line in lines]) if indented else code(lines))
    return "\n".join(text)


def runs(lines):
    """Yields runs of lines that are all indented by four spaces or all not. An empty
    line belongs to the run before it, and so does the rest of an item of a list."""
    run, last, item = [], False, False
    for line in lines:
        item = line.startswith("  - ") or item and (not line or line.startswith("    "))
        indented = line.startswith("    ") and not item if line else last
        if indented != last and run:
            yield last, run
            run = []
        run.append(line)
        last = indented
    yield last, run


def code(lines):
    text = "\n".join(lines).strip("\n")
    return f"```go\n{text}\n```\n" if text else ""


def prose(lines):
    """Returns the Markdown of a comment."""
    text = ""
    for indented, run in runs(lines):
        if indented:
            text += code([line[4:] for line in run]) + "\n"
            continue
        for line in run:
            heading = "### " if line.startswith("# ") else ""
            line = line.removeprefix("# ").replace("&", "&amp;").replace("<", "&lt;")
            text += heading + re.sub(r"([\\`*_])", r"\\\1", line) + "\n"
    return re.sub(r"(?m)^(?!  - |    )(.+\n)(?=  - )", r"\1\n", text)  # Markdown wants an empty line before a list


def on_page_markdown(markdown, page, config, files):
    if page.file.src_uri not in PAGES.values() and not page.file.src_uri.startswith("api/"):
        markdown = links(images(markdown), "docs/" + page.file.src_uri, page.file.src_uri)
    title = markdown.partition("\n")[0].lstrip("# ")
    texts[page.file.src_uri] = (title, page.canonical_url, markdown)
    return markdown


def on_page_content(html, page, config, files):
    if page.file.src_uri == "playground.md":
        html += (ROOT / "playground/page.html").read_text()
    return re.sub(r"<table>.*?</table>", lambda table: sized(bars(table.group())), html, flags=re.DOTALL)


def on_post_page(output, page, config):
    return output.replace(' role="dialog"', ' role="dialog" aria-label="Search"')


def bars(table):
    """Removes the backslash of a bar in code, which GitHub requires in tables and
    doesn't show."""
    return re.sub(r"<code>.*?</code>", lambda code: code.group().replace("\\|", "|"), table, flags=re.DOTALL)


def sized(table):
    """Gives each column of a table a minimum width that fits its text. Otherwise a
    column of text becomes narrow and high beside columns of code."""
    longest = {}
    for row in re.findall(r"<tr>(.*?)</tr>", table, re.DOTALL):
        for column, cell in enumerate(re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", row, re.DOTALL)):
            longest[column] = max(longest.get(column, 0), len(re.sub(r"<[^>]*>", "", cell)))
    widths = iter(min(n, max(28, round(3 * n**.5))) for n in longest.values())

    def with_width(head):
        return f'<th style="{head.group(1) or ""}min-width: {next(widths) / 2 + 2}em">'

    return re.sub(r'<th(?: style="([^"]*)")?>', with_width, table)


def on_nav(nav, config, files):
    for page in nav.pages:
        texts[page.file.src_uri] = None  # in this order


def on_post_build(config):
    """Writes llms.txt and llms-full.txt, and looks for files of other servers."""
    site = Path(config.site_dir)
    lines = [f"# {config.site_name}", "", f"> {config.site_description}. All pages in one file: {config.site_url}llms-full.txt", "", "## Pages", ""]
    for title, url, _ in texts.values():
        lines.append(f"- [{title}]({url})")
    (site / "llms.txt").write_text("\n".join(lines) + "\n")
    (site / "llms-full.txt").write_text("\n\n".join(text for _, _, text in texts.values()))
    loads = re.compile(r'<(?:script|img|iframe|source)\b[^>]*\bsrc(?:set)?="?(?:https?:)?//|<link\b[^>]*\brel="?(?:stylesheet|preload|icon)[^>]*\bhref="?(?:https?:)?//|data-md-component="?source')
    for page in site.rglob("*.html"):
        found = loads.search(page.read_text())
        if found:
            raise PluginError(f"{page} loads from another server: {found.group()}")


def links(text, source, page):
    """Returns the text of a file with its links relative to a page."""

    def replace(match):
        before, target, after = match.groups()
        path = posixpath.normpath(posixpath.join(posixpath.dirname(source), target))
        if not (ROOT / path).exists():
            raise PluginError(f"{source} links to {target}, which doesn't exist")
        if path in PAGES:
            return before + PAGES[path] + after
        if path.startswith("docs/"):
            return before + path.removeprefix("docs/") + after
        kind = "tree" if (ROOT / path).is_dir() else "blob"
        return f"{before}{REPOSITORY}/{kind}/main/{path}{after}"

    return LINK.sub(replace, text)
