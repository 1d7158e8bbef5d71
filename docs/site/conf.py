"""Sphinx's configuration of the documentation site. tools/site/build.py copies the documents to build/site-source and builds there."""

import os
import pathlib
import re

import tessera

os.environ.setdefault("MPLBACKEND", "Agg")

project = "tessera"
author = "The tessera authors"
copyright = author
version = release = tessera.__version__
root_doc = "index"
language = "en"
highlight_language = "none"  # blocks of Python say so

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "numpydoc",
    "sphinx_copybutton",
    "sphinx_design",
    "sphinx_gallery.gen_gallery",
]
source_suffix = {".rst": "restructuredtext", ".md": "markdown"}
exclude_patterns = ["_*", "gallery_sources/*", "README.md", "**/sg_execution_times.rst", "sg_execution_times.rst"]
suppress_warnings = ["config.cache"]
nitpicky = False

# Markdown as the repository's own pages are written: GitHub's anchors, links between files.
myst_heading_anchors = 4
myst_enable_extensions = ["colon_fence"]
myst_links_external_new_tab = False

autosummary_generate = False  # tools/site/reference.py writes the pages
autosummary_imported_members = True
autodoc_typehints = "none"
autodoc_docstring_signature = False  # numpydoc takes them from docstrings
default_role = "code"
numpydoc_show_class_members = False
numpydoc_class_members_toctree = False

copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True
copybutton_only_copy_prompt_lines = False

sphinx_gallery_conf = {
    "examples_dirs": "gallery_sources",
    "gallery_dirs": "gallery",
    "filename_pattern": r"plot_",
    "download_all_examples": False,
    "show_signature": False,
    "min_reported_time": 1e9,
    "plot_gallery": "True",
    "write_computation_times": False,
    "abort_on_example_error": True,
    "capture_repr": (),
    "remove_config_comments": True,
    "within_subsection_order": "FileNameSortKey",
    "image_scrapers": ("matplotlib",),
    "matplotlib_animations": False,
    "reset_modules": ("matplotlib",),
}

html_theme = "pydata_sphinx_theme"
html_title = "tessera"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_copy_source = False
html_show_sourcelink = False
html_show_sphinx = False
html_sidebars = {"docs/reference/generated/**": [], "gallery/*": []}
html_theme_options = {
    "logo": {"text": "tessera"},
    "header_links_before_dropdown": 6,
    "navbar_align": "left",
    "navbar_end": ["theme-switcher"],
    "footer_start": ["copyright"],
    "footer_end": [],
    "secondary_sidebar_items": ["page-toc"],
    "show_nav_level": 1,
    "navigation_with_keys": False,
    "back_to_top_button": True,
    "pygments_light_style": "tango",
    "pygments_dark_style": "github-dark",
}

# Blocks and code are passed over; a link may have code for its text.
_LINK = re.compile(
    r"^ *```.*?^ *```$|(?<!!)\[((?:[^\[\]]|\[[^\]]*\])*)\]\(([^)\s]+)\)|`[^`\n]+`", re.MULTILINE | re.DOTALL
)
_END_OF_EXAMPLE = re.compile(r"^( *```python\n *>>>(?:(?!```).)*?)\n\n( *```)$", re.MULTILINE | re.DOTALL)


def _only_pages(app, docname, source):
    """Links to files that are no pages of the site, such as sources, stay as text; the empty line that ends an example is left out."""
    folder = pathlib.Path(app.srcdir, docname).parent

    def replaced(match):
        text, target = match.groups()
        if target is None:
            return match.group(0)
        path = target.partition("#")[0]
        if re.match(r"\w+:", target) or not path:
            return match.group(0)
        file = folder / path
        if file.name == "README.md" and file.parent == pathlib.Path(app.srcdir):
            return f"[{text}](/index.md)"
        return match.group(0) if file.is_file() else text

    source[0] = _END_OF_EXAMPLE.sub(r"\1\n\2", _LINK.sub(replaced, source[0]))


def _plain_signs(app, what, name, obj, options, lines):
    """Bars and stars in docstrings are absolute values and products, not markup."""
    if not any(line.lstrip().startswith(".. ") for line in lines):
        keep = lambda line: line.lstrip().startswith((">>>", "...")) or "``" in line
        lines[:] = [line if keep(line) else re.sub(r"([|*])", r"\\\1", line) for line in lines]


def _no_signature_of_data(app, what, name, obj, options, signature, returned):
    """Tables of names look ufuncs up as data, of which no signature is shown."""
    return (None, None) if what == "data" else None


def setup(app):
    app.connect("autodoc-process-signature", _no_signature_of_data, priority=100)
    app.connect("autodoc-process-docstring", _plain_signs, priority=400)
    app.connect("source-read", _only_pages)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
