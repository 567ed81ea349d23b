"""Audits of a project's mirrors, and what they find."""

import json
from typing import Any

from lakemirror.state.audits import Audited, Finding, audits, findings
from support.lake import Lake

ID = "0"


def audit(project: Any, audit_id: str = ID, **arguments: Any) -> list[Audited]:
    """Compare all keys of mirrors with the log: a difference is no error."""
    given = {"full": True, "audit_id": audit_id, "fail": False, **arguments}
    project.dbt("run-operation", "audit", "--args", json.dumps(given))
    return audits(project.lake.catalog, audit_id)


def found_by(lake: Lake, audit_id: str = ID) -> list[Finding]:
    """The differences that an audit has kept."""
    return findings(lake.catalog, audit_id)


def assert_healthy(project: Any, **arguments: Any) -> None:
    """All keys of all mirrors are judged, and equal the log."""
    done = audit(project, **arguments)
    assert done
    assert [(each.model, each.findings, each.unjudged, each.notes) for each in done] == [
        (each.model, 0, 0, None) for each in done
    ], found_by(project.lake)
    assert any(each.keys for each in done)
