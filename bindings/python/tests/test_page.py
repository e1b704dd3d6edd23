"""The package's page (README.md) shows what its statements print: the same words, and numbers within its tolerance."""

import re
from importlib.machinery import SourceFileLoader
from importlib.util import module_from_spec, spec_from_loader
from pathlib import Path

import pytest

HERE = Path(__file__).resolve()
PROMPT = "    >>> "


def run_page():
    """The comparison of words and numbers of scripts/run_page."""
    path = HERE.parents[3] / "scripts" / "run_page"
    loader = SourceFileLoader("run_page", str(path))
    module = module_from_spec(spec_from_loader("run_page", loader))
    loader.exec_module(module)
    return module


def steps_of(lines):
    """The preparation, a text, and the statements of a page with tolerance and the lines that each should print."""
    preparation, steps, tolerance = [], [], (0.0, 0.0)
    for line in lines:
        said = re.match(r"<!-- within (\S+) and (\S+) % -->", line)
        if said:
            tolerance = (float(said.group(1)), float(said.group(2)) / 100)
        elif line.startswith(PROMPT):
            steps.append((line[len(PROMPT):], tolerance, []))
        elif line.startswith("    ") and steps:
            steps[-1][2].append(line[4:])
        elif line.startswith("    "):
            preparation.append(line[4:])
    return "\n".join(preparation), steps


def printed_by(statement, names):
    """What Python's prompt prints after a statement."""
    try:
        code = compile(statement, "README.md", "eval")
    except SyntaxError:
        exec(statement, names)
        return []
    value = eval(code, names)
    return [] if value is None else repr(value).split("\n")


def without_brackets(lines):
    """Numbers stand alone, and latents have the names that are never compared."""
    return [re.sub(r"array\(|[][()']", " ", re.sub(r"\bx\[(\d+)\]", r"x.\1", line)) for line in lines]


@pytest.mark.filterwarnings("ignore::talweg.TalwegWarning")
def test_the_page_shows_what_is_printed(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    text = (HERE.parents[1] / "README.md").read_text()
    compare = run_page().first_difference
    preparation, steps = steps_of(text[: text.index("\n`approx`, `sample` and")].split("\n"))
    names = {}
    exec(preparation, names)
    assert len(steps) > 10
    for statement, tolerance, expected in steps:
        printed = printed_by(statement, names)
        if expected:
            difference = compare(without_brackets(expected), without_brackets(printed), tolerance)
            assert difference is None, f"{statement}: the page has {difference[0]!r}, the run {difference[1]!r}"
