"""How a run of rule tests looks: as text for a designer, as JSON for a program, as JUnit for a build
server.
"""

from __future__ import annotations

import json
import xml.etree.ElementTree as xml
from collections.abc import Iterator
from dataclasses import asdict, replace

from ..core.diagnostics import render_one
from ..report.wording import counted
from .runner import Failure, Result, Run

FORMATS = ("text", "json", "junit")


def render(run: Run, form: str = "text", *, show: bool = False) -> str:
    """The run in one of `FORMATS`. ValueError for another."""
    match form:
        case "text":
            return "\n".join(_text(run, show))
        case "json":
            return json.dumps(_json(run), ensure_ascii=False, indent=1)
        case "junit":
            return _junit(run)
    raise ValueError(f"unknown format {form!r}; known: {', '.join(FORMATS)}")


def summary(run: Run) -> str:
    """One line: how many cases passed, failed, are in error."""
    counts = [f"{run.count('passed')} passed"]
    counts += [
        f"{n} {word}" for word, n in (("failed", run.count("failed")), ("in error", run.count("error"))) if n
    ]
    wrong = sum(d.severity == "error" for d in run.found)
    if wrong:
        counts.append(f"{counted(wrong, 'error')} in files")
    seconds = sum(r.seconds for r in run.results)
    return f"{', '.join(counts)} ({counted(len(run.results), 'case')}, {seconds:.1f} s)"


def _text(run: Run, show: bool) -> Iterator[str]:
    for found in run.found:
        yield render_one(found)
    for result in run.results:
        if result.status != "passed" or show:
            yield from _case(result, show)
    yield summary(run)


def _case(result: Result, show: bool) -> Iterator[str]:
    yield f"{result.where}: {result.status}: {result.id}{f' - {result.title}' if result.title else ''}"
    if result.clauses and result.status != "passed":
        yield f"    clauses: {', '.join(result.clauses)}"
    if result.message:
        yield from (f"    {line}" for line in result.message.splitlines())
    for failure in result.failures:
        yield from _failure(failure)
    if show:
        yield "    journal:"
        yield from (f"      {line}" for line in result.journal)
    yield ""


def _failure(failure: Failure) -> Iterator[str]:
    yield f"    {failure.where}: {failure.what}"
    yield f"      expected  {failure.expected}"
    yield f"      got       {failure.got}"
    if failure.lines:
        yield "      journal"
        yield from (f"        {line}" for line in failure.lines)


def _json(run: Run) -> dict[str, object]:
    return {
        "ok": run.ok,
        "counts": {word: run.count(word) for word in ("passed", "failed", "error")},
        "diagnostics": [d.to_json() for d in run.found],
        "cases": [_case_json(r) for r in run.results],
    }


def _case_json(result: Result) -> dict[str, object]:
    out = asdict(replace(result, failures=()))
    keys = ("what", "where", "expected", "got")
    out["failures"] = [
        {**{k: getattr(f, k) for k in keys}, "lines": [asdict(line) for line in f.lines]}
        for f in result.failures
    ]
    return out


def _junit(run: Run) -> str:
    suite = xml.Element("testsuite", name="rule tests", tests=str(len(run.results)))
    suite.set("failures", str(run.count("failed")))
    suite.set("errors", str(run.count("error") + sum(d.severity == "error" for d in run.found)))
    for result in run.results:
        file, _, line = result.where.rpartition(":")
        case = xml.SubElement(suite, "testcase", name=result.id, classname=file, file=file, line=line)
        case.set("time", f"{result.seconds:.4f}")
        if result.status == "failed":
            first = result.failures[0]
            node = xml.SubElement(
                case, "failure", message=f"{first.what}: expected {first.expected}, got {first.got}"
            )
            node.text = "\n".join(_case(result, False))
        elif result.status == "error":
            xml.SubElement(case, "error", message=result.message.partition("\n")[0]).text = result.message
    for number, found in enumerate(d for d in run.found if d.severity == "error"):
        case = xml.SubElement(
            suite, "testcase", name=f"file {number + 1}", classname=found.file, file=found.file
        )
        xml.SubElement(case, "error", message=f"{found.where}: {found.message}")
    return xml.tostring(suite, encoding="unicode", xml_declaration=True)
