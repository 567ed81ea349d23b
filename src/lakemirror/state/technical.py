"""Names of columns that are the project's or Iceberg's own: no source's column may have one."""

import re
from collections.abc import Iterable

KEPT = ("op", "unsent", "is_deleted", "deleted_at")  # in mirrors, beside the prefixes
STAGED = (
    *("undecodable", "undeclared", "outcome", "apart", "change", "before", "logs", "latest"),
    *("events", "orders", "deletes", "is_newest", "is_ambiguous", "is_ordered", "is_applied"),
    *("is_newer", "is_new_row", "is_outdated", "is_truncated", "is_same", "is_known"),
    *("is_another", "corrupt_record", "newest", "known", "floors", "limit", "kept"),
    *("latest_src_ts", "latest_log", "latest_epoch", "delete_count", "is_before", "is_changed"),
    *("held", "is_partial", "base_id", "snapshot_end"),
    *("audit_usable", "audit_doubtful", "audit_live", "audit_kind", "audit_copies", "audit_copy"),
    *("audit_lacks", "audit_untold"),
)
ICEBERG = (
    *("file", "pos", "deleted", "spec_id", "partition", "row_id", "last_updated_sequence_number"),
    *("change_type", "change_ordinal", "commit_snapshot_id"),
)
TECHNICAL = re.compile(
    rf"_((tx|src|kfk|tsc)_.*|{'|'.join((*KEPT, *STAGED, *ICEBERG))})", re.IGNORECASE | re.DOTALL
)


def is_technical(name: str) -> bool:
    """Whether a column is no source's.

    >>> is_technical("_tx_rank"), is_technical("_OP"), is_technical("_id"), is_technical("op")
    (True, True, False, False)
    """
    return TECHNICAL.fullmatch(name) is not None


def payload(names: Iterable[str]) -> list[str]:
    """The source's own columns among all."""
    return [name for name in names if not is_technical(name)]
