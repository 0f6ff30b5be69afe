"""`quire lint`: what is wrong in the root, one finding a line."""

from __future__ import annotations

from argparse import Namespace

from quire.engine.lint import Severity
from quire.inbound.cli import shapes
from quire.inbound.cli.asking import opened
from quire.inbound.cli.output import one_line, put, put_json


def lint(asked: Namespace) -> int:
    """Findings, and what was repaired; 1 if an error is left."""
    with opened(asked, run=asked.run) as memory:
        findings, repairs = memory.lint(fix=asked.fix, scope=asked.scope, everywhere=asked.everywhere)
    if asked.json:
        put_json(
            {
                "findings": [shapes.finding(finding) for finding in findings],
                "repairs": [shapes.repair(repair) for repair in repairs],
            }
        )
    else:
        for repair in repairs:
            done = f"repaired ({repair.change})" if repair.done else "not repaired"
            put(one_line(f"{repair.finding.locator}:{repair.finding.line}: {done}: {repair.what}") + "\n")
        put("".join(one_line(str(finding)) + "\n" for finding in findings))
    return 1 if any(finding.severity is Severity.ERROR for finding in findings) else 0
