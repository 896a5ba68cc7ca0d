"""Builds the documentation site from files that are written for GitHub.

mkdocs calls the functions below. README.md and other files outside docs/ become
pages. Links to files that aren't pages are replaced with links to the repository.
"""

import posixpath
import re
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
}

LINK = re.compile(r'(\]\(|(?:src|srcset)=")([^)"#:\s]+)((?:#[^)"\s]*)?[)"])')


def on_files(files, config):
    for source, page in PAGES.items():
        text = (ROOT / source).read_text()
        files.append(File.generated(config, page, content=links(text, source, page)))
    files.append(File.generated(config, "site.css", content=(ROOT / ".ci/site.css").read_text()))
    return files


def on_page_markdown(markdown, page, config, files):
    if page.file.src_uri in PAGES.values():
        return markdown
    return links(markdown, "docs/" + page.file.src_uri, page.file.src_uri)


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
