"""What a run-operation that fails has said."""

from lakemirror.cli.operations import reason

SAID = (
    "Encountered an error while running operation: Runtime Error\n"
    "  Compilation Error in macro audit_source (ops/audit_source.sql)\n"
    "    the database cannot be read: 1 > in macro\n"
    "    \n"
    "    > in macro audit_source (ops/audit_source.sql)\n"
    "    > called by macro audit_source (ops/audit_source.sql)"
)


def test_a_reason_has_no_macros_around_it():
    assert reason(SAID).strip() == "the database cannot be read: 1 > in macro"
    assert reason("Runtime Error\n  no profile") == "Runtime Error\n  no profile"
