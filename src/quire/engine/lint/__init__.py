"""Lint: what is wrong in a root. It advises; with `fix` it repairs what has one right answer, and nothing else."""

from __future__ import annotations

from dataclasses import replace

from quire.engine.core import Core
from quire.engine.lint import chains, entries, files, fixing, linking, logs
from quire.engine.lint.finding import CHECKS, Check, Finding, Repair, Severity
from quire.engine.lint.survey import Noted, is_log, survey
from quire.engine.scope import Scope

__all__ = ["CHECKS", "Check", "Finding", "Repair", "Severity", "lint"]


def lint(
    core: Core, *, fix: bool = False, scope: Scope | str | None = None, everywhere: bool = False
) -> tuple[list[Finding], list[Repair]]:
    """What is wrong, by file, line and code; and with `fix`, what became of that which was fixable.

    The findings are those that stand at the end. Nothing in a file raises, and nothing is written without `fix`; each
    repair is a change of its own, which `undo` takes back.
    """
    if everywhere:
        wanted = None
    else:
        wanted = set(core.scopes) if scope is None else {core.scope(scope)}
    found = _found(core, wanted)
    repairs = fixing.repair(core, found) if fix else []
    if any(repair.done for repair in repairs):
        found = _found(core, wanted)
    return [finding for finding, _ in found], repairs


def _found(core: Core, wanted: set[Scope] | None) -> list[Noted]:
    """Every finding of these scopes once, in order. All files are looked at: a link may lead to any of them."""
    looked = survey(core)
    found = [*files.check(looked), *chains.check(looked), *linking.check(looked)]
    for contents in looked.contents:
        if is_log(core, contents) and (wanted is None or contents.place.scope in wanted):
            found += logs.check(core, contents)
    for subject in looked.subjects:
        if wanted is None or subject.entry.scope in wanted:
            found += entries.check(core, subject)
    by_finding = {}
    for each in found:
        if wanted is None or each.finding.scope in wanted or _hides(core, each.finding, wanted):
            kept = _left_to_people(each) if each.plan and each.plan.locator in looked.copies else each
            by_finding[kept.finding] = kept
    return [by_finding[finding] for finding in sorted(by_finding, key=Finding.sort_key)]


def _hides(core: Core, finding: Finding, wanted: set[Scope]) -> bool:
    """Whether it says of a folder that it cannot be looked into, and what is asked about would lie in it."""
    return finding.code == "UNREADABLE" and any(
        f"{folder}/".startswith(f"{finding.locator}/")
        for scope in wanted
        for folder in core.layout.folders(scope, None)
    )


def _left_to_people(found: Noted) -> Noted:
    """The same without its repair: what may be the text of another device is never changed."""
    return Noted(replace(found.finding, fixable=False))
