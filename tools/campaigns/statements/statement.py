"""What a statement is, and the parts that tests of several papers have in common."""
import dataclasses
import typing


@dataclasses.dataclass(frozen=True)
class Statement:
    """A statement of a paper. `test` gets the results of the paper's campaign and returns what was measured,
    as text, and whether the statement holds."""
    number: str
    text: str
    place: str  # in the paper: section, figure, table
    test: typing.Callable[..., tuple[str, bool]]


@dataclasses.dataclass(frozen=True)
class Verdict:
    """A statement, what was measured, and whether it holds."""
    statement: Statement
    measured: str
    holds: bool


def judged(statements, results):
    """The verdict on each statement."""
    return [Verdict(one, *one.test(results)) for one in statements]


def numbers(values, digits=2):
    """Several numbers as text."""
    return ", ".join(f"{value:.{digits}f}" for value in values)


def percents(values):
    """Several shares as text."""
    return ", ".join(f"{100 * value:.1f}" for value in values) + " %"


def within(value, printed, share):
    """Whether a value is within a share of the printed one, above and below."""
    return abs(value / printed - 1.0) <= share
