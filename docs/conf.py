"""Sphinx settings of the manual.

Pages are Markdown (MyST). Three comments in them are replaced by what the program itself says, so
that the manual cannot differ from it:

    <!-- parameters: plb-hec -->   the table of a policy's parameters, defaults and sources
    <!-- help: compare -->         the options of a command
    <!-- glossary -->              all words of `equipoise explain`

EQUIPOISE names the program.
"""

import json
import os
import re
import subprocess
import tempfile

from pygments.lexers.special import TextLexer

project = "Equipoise"
author = "the authors of Equipoise"
copyright = author
extensions = ["myst_parser", "sphinx.ext.mathjax"]
myst_enable_extensions = ["dollarmath", "deflist", "colon_fence"]
myst_heading_anchors = 3
exclude_patterns = ["README.md", "pictures/README.md"]
html_theme = "furo"
html_title = "Equipoise"
# The theme's own dark colours are missing in Debian 12's package of it.
html_theme_options = {"dark_css_variables": {
    "color-foreground-primary": "#d8d8d8",
    "color-foreground-secondary": "#a0a4a9",
    "color-foreground-muted": "#858a90",
    "color-foreground-border": "#666",
    "color-background-primary": "#131416",
    "color-background-secondary": "#1a1c1e",
    "color-background-hover": "#24272b",
    "color-background-hover--transparent": "#24272b00",
    "color-background-border": "#33373a",
    "color-background-item": "#444",
    "color-brand-primary": "#78aaff",
    "color-brand-content": "#78aaff",
    "color-highlight-on-target": "#333300",
}}
# Formulas are drawn by KaTeX from Debian's package, whose files are copied beside the pages: nothing
# is loaded from elsewhere.
html_static_path = ["static", "/usr/share/javascript/katex"]
html_css_files = ["katex.min.css", "manual.css"]
html_js_files = [("katex.min.js", {"defer": "defer"}),
                 ("contrib/auto-render.js", {"defer": "defer"})]
mathjax_path = "formulas.js"
mathjax_options = {"defer": "defer"}
html_show_sourcelink = False
html_copy_source = False
nitpicky = True
highlight_language = "none"


def said(*arguments):
    return subprocess.run([os.environ["EQUIPOISE"], *arguments], check=True, text=True,
                          capture_output=True).stdout


def cell(text):
    return str(text).replace("|", "\\|").replace("<", "&lt;") or " "


def table(head, rows):
    lines = ["| " + " | ".join(head) + " |", "|" + " --- |" * len(head)]
    lines += ["| " + " | ".join(cell(c) for c in row) + " |" for row in rows]
    return "\n".join(lines)


def shown_default(value):
    if isinstance(value, bool):
        return "true" if value else "false"
    return "none" if value in (None, "") else value


def parameters(name):
    policy = json.loads(said("list", "policies", name, "--json"))["policies"][0]
    if not policy["parameters"]:
        return "It has no parameters."
    text = table(["parameter", "default", "unit", "meaning", "source"],
                 [["`%s`" % p["name"], shown_default(p["default"]), p["unit"], p["meaning"], p["source"]]
                  for p in policy["parameters"]])
    for preset in policy["presets"]:
        values = ", ".join("`%s=%s`" % item for item in preset["parameters"].items())
        text += "\n\n`preset=%s`: %s (%s)." % (preset["name"], preset["line"], values)
    return text


def command_help(command):
    return "```text\n" + said(*command.split(), "--help") + "```"


def glossary():
    words = json.loads(said("explain", "--json"))
    return "\n\n".join("%s\n: %s" % (word["word"], word["sentence"]) for word in words["words"])


def draw_schedules(app):
    """Draws the schedule of each policy that has a page, by the command of policies/pictures.txt."""
    folder = os.path.join(app.srcdir, "policies")
    pictures = os.path.join(folder, "pictures")
    os.makedirs(pictures, exist_ok=True)
    with open(os.path.join(folder, "pictures.txt")) as file:
        command = file.read().split()[1:]
    for page in sorted(os.listdir(folder)):
        name, kind = os.path.splitext(page)
        if kind != ".md" or name == "index":
            continue
        with tempfile.TemporaryDirectory() as scratch:
            run = os.path.join(scratch, name + ".jsonl")
            replaced = {"POLICY": name, "POLICY.jsonl": run}
            words = [replaced.get(word, word) for word in command]
            subprocess.run([os.environ["EQUIPOISE"], *words, "--quiet"], check=True, cwd=os.path.dirname(app.srcdir),
                           stdout=subprocess.DEVNULL)
            said("report", run, "--svg", os.path.join(pictures, name + ".svg"))


def draw_front(app):
    """Draws the front of time and energy that policies/pareto.md shows, by the page's command."""
    with open(os.path.join(app.srcdir, "policies", "pareto.md")) as file:
        command = re.search(r"^\$ equipoise (optimum (?:.*\\\n)*.*)", file.read(), re.MULTILINE)[1]
    picture = os.path.join(app.srcdir, "policies", "pictures", "front.svg")
    words = [picture if word == "front.svg" else word for word in command.replace("\\\n", " ").split()]
    subprocess.run([os.environ["EQUIPOISE"], *words], check=True, cwd=os.path.dirname(app.srcdir),
                   stdout=subprocess.DEVNULL)


def replace_comments(app, page, source):
    text = source[0]
    text = re.sub(r"<!-- parameters: (\S+) -->", lambda m: parameters(m[1]), text)
    text = re.sub(r"<!-- help: (.+?) -->", lambda m: command_help(m[1]), text)
    text = re.sub(r"<!-- glossary -->", lambda m: glossary(), text)
    source[0] = text


def setup(app):
    # Sphinx takes `console` for a session of Python, and would colour tables as if they were code.
    app.add_lexer("console", TextLexer)
    app.connect("builder-inited", draw_schedules)
    app.connect("builder-inited", draw_front)
    app.connect("source-read", replace_comments)
