"""Writes verdicts as tables, checks the reasons of those that do not hold, and puts both into papers-figures.md."""
import re

from .results import InputError


def counts(papers):
    """"PLB-HeC 5 of 23; ..." papers: [(name, verdicts)]."""
    return "; ".join(f"{name} {sum(one.holds for one in verdicts)} of {len(verdicts)}" for name, verdicts in papers)


def in_cell(text):
    return text.replace("|", "\\|").replace("<", "\\<").replace(">", "\\>")


def table(name, verdicts):
    """The table of one paper."""
    lines = [f"### {name}", "", "| | statement | place | measured | holds |", "|---|---|---|---|---|"]
    for one in verdicts:
        of = one.statement
        lines.append(f"| {of.number} | {in_cell(of.text)} | {in_cell(of.place)} | {in_cell(one.measured)} "
                     f"| {'yes' if one.holds else 'no'} |")
    return "\n".join(lines) + "\n"


def read_reasons(path):
    """The entries of the file of reasons, by "PAPER NUMBER": headings `## PAPER NUMBER`, each with its text."""
    try:
        parts = re.split(r"^## +(.+?) *$", path.read_text(encoding="utf-8"), flags=re.MULTILINE)
    except OSError as error:
        raise InputError(f"{path}: {error.strerror}") from None
    reasons = {}
    for key, text in zip(parts[1::2], parts[2::2]):
        if key in reasons:
            raise InputError(f"{path}: has two entries '{key}'; keep one")
        reasons[key] = " ".join(text.split())
    return reasons


def problems_of(papers, reasons, path):
    """What is wrong with the reasons: a statement that fails has none, or an entry is of none that fails."""
    failing = {f"{name} {one.statement.number}": one for name, verdicts in papers for one in verdicts if not one.holds}
    problems = [f"{path}: {key} does not hold ({one.measured}) and has no entry; say why, and what was tried, under "
                f"`## {key}`" for key, one in failing.items() if not reasons.get(key)]
    known = {f"{name} {one.statement.number}" for name, verdicts in papers for one in verdicts}
    for key in reasons:
        if key not in failing:
            what = "holds" if key in known else "is no statement"
            problems.append(f"{path}: `## {key}`, but {key} {what}; take the entry away")
    return problems


def head(papers, reasons):
    """What stands at the page's head: the counts, and those that do not hold, each with its reason."""
    lines = [f"**Statements of the papers that hold here:** {counts(papers)}. `tools/campaigns/count-statements` counts"
             " them and prints what each is, where the paper has it, and what was measured. Where a paper prints an axis or"
             " a bound, both ends are tested. P is the paper's own policy, H `hdss`, A `acosta`, G `greedy`; speedups are"
             " over greedy."]
    for name, verdicts in papers:
        failing = [one for one in verdicts if not one.holds]
        if not failing:
            continue
        lines += ["", f"{name}, not as printed:", ""]
        for one in failing:
            of = one.statement
            lines.append(f"- {of.number}: {of.text} ({of.place}): {in_cell(one.measured)}. "
                         f"{reasons[f'{name} {of.number}']}")
    return "\n".join(lines)


def put_into(path, blocks):
    """Replaces the text between `<!-- NAME: begin -->` and `<!-- NAME: end -->` by each block's."""
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise InputError(f"{path}: {error.strerror}") from None
    for name, block in blocks.items():
        begin, end = f"<!-- {name}: begin -->", f"<!-- {name}: end -->"
        if text.count(begin) != 1 or text.count(end) != 1 or text.index(end) < text.index(begin):
            raise InputError(f"{path}: needs the lines '{begin}' and '{end}', once each, in this order")
        before, rest = text.split(begin)
        text = f"{before}{begin}\n{block}\n{end}{rest.split(end)[1]}"
    path.write_text(text, encoding="utf-8")
