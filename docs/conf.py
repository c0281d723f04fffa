"""The documentation as a site: `make docs` writes it to docs/_build/html."""

import sys
from pathlib import Path

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE / "_ext"))

project = "wteaw"
author = "The wteaw authors"
copyright = "2026, the wteaw authors"
extensions = ["myst_parser", "wteaw_reference"]
exclude_patterns = ["_build", "_ext"]
source_suffix = {".md": "markdown"}
myst_enable_extensions = ["colon_fence", "deflist"]
myst_heading_anchors = 3
html_theme = "furo"
html_title = "wteaw"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_show_sphinx = False
smartquotes = False  # `--option` stays what one types
html_copy_source = False
# Everything is in the folder: the site, and its search, work from a disk without a network.
html_extra_path = ["_build/rulebooks"]
# filled by wteaw_reference when the build begins
(HERE / "_build/rulebooks").mkdir(parents=True, exist_ok=True)
html_show_search_summary = False  # a browser reads no other page of a folder, only the index
nitpicky = True

# Examples of findings are wrong on purpose, and not every YAML that is right can be colored.
suppress_warnings = ["misc.highlighting_failure"]
