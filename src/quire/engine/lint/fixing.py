"""Fixing: repairs that have one right answer, each a change of its own that `undo` takes back."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from quire.engine.changes import Intent
from quire.engine.core import Core
from quire.engine.entry import Contents, Ownership
from quire.engine.lint.finding import Finding, Repair
from quire.engine.lint.survey import Noted, Plan
from quire.engine.scope import Owner
from quire.errors import Conflict, MarkdownError, StorageError

_MEANWHILE = "it has changed meanwhile, and was left as it is"


def repair(core: Core, found: Iterable[Noted]) -> list[Repair]:
    """Carry out the plans, one after the other. One that cannot be any more is skipped, and says why."""
    repairs: list[Repair] = []
    done: dict[tuple[str, str], Repair] = {}  # what one change has put right may have been found in several places
    for finding, plan in found:
        if plan is None:
            continue
        key = plan.locator.key, plan.id + plan.done
        if key not in done:
            done[key] = _carry_out(core, finding, plan)
        repairs.append(replace(done[key], finding=finding))
    return repairs


def _carry_out(core: Core, finding: Finding, plan: Plan) -> Repair:
    try:
        read = core.contents(plan.locator)
        edit = plan.make(core, *read) if read else None
        if read is None or edit is None:
            return Repair(finding, "", _MEANWHILE)
        change = core.change(_intent(core, finding, plan, read[0]), [edit])
    except Conflict:
        return Repair(finding, "", _MEANWHILE)
    except (MarkdownError, StorageError) as error:
        return Repair(finding, "", f"it was left as it is: {error}")
    return Repair(finding, change.id, plan.done) if change else Repair(finding, "", _MEANWHILE)


def _intent(core: Core, finding: Finding, plan: Plan, contents: Contents) -> Intent:
    about = [entry for entry in contents.entries if entry.id == plan.id]
    intent = core.intent("lint-fix", *about, reason=f"{finding.code}: {plan.done}")
    if contents.place.scope.owner is Owner.SHARED:  # also where it is the header of a log that changes
        intent = replace(intent, tier=Ownership.CURATED.value)
    return intent
