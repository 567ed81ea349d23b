"""What runs say: errors and warnings that name the model, the reason and the remedy."""

from collections.abc import Mapping, Sequence
from typing import Any

from lakemirror.runs.bad_rows import BadExample
from lakemirror.source.versions import Ending
from lakemirror.state.window import LAYOUT, Snapshot


def rebuild_command(model: str) -> str:
    return f"dbt run --full-refresh --select {model} --vars '{{allow_full_refresh: true}}'"


def not_configured(model: str, problems: Sequence[str]) -> str:
    return f"{model} is not configured right:\n  - " + "\n  - ".join(problems)


def is_a_view(model: str, existing: Any) -> str:
    return f"{model}: {existing} is a view. Drop it first, if nobody needs it."


def full_refresh_refused(model: str, existing: Any) -> str:
    return (
        f"{model}: --full-refresh would rebuild {existing} from raw. If that is meant: "
        f"{rebuild_command(model)}"
    )


def kept_out(model: str, raw: str, records: int) -> str:
    return (
        f"{model}: {records} records of erased keys have come again, and are kept out. They lie in "
        f"{raw}: lakemirror erase {model} takes them from there too."
    )


def no_row_to_erase(model: str) -> str:
    return (
        f"erase: the condition holds for no row of {model}. An erasure by a condition that "
        "died once these were deleted is gone on with by their keys (--key)"
    )


def is_of_key(column: str, where: str) -> str:
    return (
        f"erase: {column} is in the key of {where}: without it there are no rows. Erase rows by "
        "--key or --where. Nothing was changed"
    )


def no_column_to_erase(column: str, model: str, there: Sequence[str]) -> str:
    return (
        f"erase: {model} has no column {column}, nor has its source had one. It has "
        f"{', '.join(there)}. Nothing was changed"
    )


def columns_kept_out(model: str, raw: str, names: Sequence[str]) -> str:
    return (
        f"{model}: {', '.join(names)} of {raw} is erased, and left out: say ignored_columns in the "
        "source's YAML, and let the connector leave it out (column.exclude.list)."
    )


def newer_layout(model: str, table: Any, layout: int) -> str:
    return (
        f"{model}: a newer lakemirror has written {table} (layout {layout}; this one knows "
        f"{LAYOUT}). Upgrade the package; nothing has been changed."
    )


def foreign_commits(
    model: str, table: Any, commits: Sequence[Snapshot], known: int, anew: str = ""
) -> str:
    """
    Args:
        commits: those since the newest own commit.
        known: how many there were before.
        anew: the command that makes the table anew; a mirror's or a log's without one.
    """
    found = [f"{commit.operation} {commit.id} ({changed_rows(commit)})" for commit in commits]
    if known:
        found.append(f"{known} of before")
    return (
        f"{model}: others have changed {table}: {', '.join(found)}. Its rows may not be the "
        f"source's any more. To make them anew: {anew or rebuild_command(model)}. Where it was "
        "meant: on_foreign_commit='ignore'."
    )


def changed_rows(commit: Snapshot) -> str:
    """What a commit says that it has added and deleted, and by which engine."""
    counts = [
        f"{commit.summary[f'{what}-records']} rows {what}"
        for what in ("added", "deleted")
        if int(commit.summary.get(f"{what}-records", 0))
    ]
    deletes = int(commit.summary.get("added-position-deletes", 0))
    counts += [f"{deletes} deletes of rows"] if deletes else []
    engine = commit.summary.get("engine-name")
    return ", ".join(counts or ["no count"]) + (f", by {engine}" if engine else "")


def nothing_merged(model: str) -> str:
    return f"{model} has merged nothing yet: dbt run --select {model}"


def bookmark_expired(raw: str, bookmark: int) -> str:
    return f"{raw} has its snapshot {bookmark}, the bookmark, no more: nothing could be judged"


def behind_its_model(model: str) -> str:
    return f"the table is behind its model, and could not be judged: dbt run --select {model}"


def columns_unjudged(names: Sequence[str]) -> str:
    return f"{', '.join(names)} could not be judged: the next run gives their rows a default"


def raw_lacks_records(raw: str) -> str:
    return f"{raw} does not have all that has landed: rows of what it lacks could not be judged"


def no_file_system(folder: str) -> str:
    return (
        f"Spark has no file system for {folder}: nothing was archived, and no record has gone. "
        "Name one in the profile's `jars` (docs/guides/engines.md)"
    )


def log_is_cut(model: str, raw: str, since: str) -> str:
    return (
        f"{model}: {raw} has dropped the hours before {since} (maintenance.retention), so that a "
        "table that is made of it lacks all rows that have not changed since. Let the connector "
        "take a new snapshot of the table and land it (docs/guides/backfill.md), or accept that: "
        f"dbt run --select {model} --vars '{{from_retained_log: true}}'. Nothing was written."
    )


def replay_is_cut(model: str, raw: str, since: str) -> str:
    return (
        f"{model}: replay: {raw} has dropped the hours before {since}: rows that have not changed "
        "since stay as they are"
    )


def keys_unjudged(keys: int) -> str:
    return f"{keys} keys could not be judged: raw or the quarantine leaves them open"


def audit_line(model: str, verdict: Any) -> str:
    """
    Args:
        verdict: a lakemirror.runs.audit.Verdict.
    """
    part = "all keys" if verdict.parts == 1 else f"part {verdict.part + 1} of {verdict.parts}"
    if verdict.keys is None:
        return f"{model}: {'; '.join(verdict.notes)}"
    notes = "".join(f"; {note}" for note in verdict.notes)
    return f"{model}: {part}, {verdict.keys} keys, {verdict.findings} differences{notes}"


def transactions_line(table: str, verdict: Any) -> str:
    """
    Args:
        table: of raw, with its schema.
        verdict: a lakemirror.runs.transactions.Verdict.
    """
    notes = "".join(f"; {note}" for note in verdict.notes)
    return (
        f"{table}: {verdict.ended} tables of transactions that have ended, changes of "
        f"{verdict.findings} have not landed{notes}"
    )


def raw_of_others(model: str, raw: str) -> str:
    return (
        f"erase: {raw}, which {model} is made of, is of another environment, where other tables "
        "stem from it. Erase with that environment's target first; then rebuild here what is made "
        "of it. Nothing was changed"
    )


def audit_failed(audit_id: str, lines: Sequence[str], ops: str) -> str:
    """
    Args:
        ops: the schema that has the findings.
    """
    listed = "\n  - ".join(lines)
    return (
        f"Mirrors differ from the log ({ops}.audit_findings has each difference of the audit "
        f"{audit_id}):\n  - {listed}"
    )


def not_published(model: str, audit_id: str, findings: int, ops: str) -> str:
    return (
        f"{model}: what this run has written differs from the log, and is not published. "
        f"{ops}.audit_findings has the {findings} found by the audit {audit_id}. The table is "
        "as it was, and the next run merges these changes again. With publish_when='merged' they "
        "are published as they are"
    )


def not_proven(model: str, notes: Sequence[str]) -> str:
    why = "; ".join(notes)
    return (
        f"{model}: what this run has written could not be audited, and is not published: {why}. "
        "The table is as it was. With publish_when='merged' it is published"
    )


def day_not_published(model: str, day: str, audit_id: str, findings: int, ops: str) -> str:
    return (
        f"{model}: the day {day}, as this run has written it, differs from the log, and is not "
        f"published. {ops}.audit_findings has the {findings} found by the audit {audit_id}. The "
        "day is as it was, and the next run writes it again. Where its mirror differs, too "
        "(lakemirror audit --full), repair that first. With publish_when='written' it is published "
        "as it is"
    )


def repair_line(model: str, rows: int, verdict: Any) -> str:
    """
    Args:
        verdict: of the audit of the keys: a lakemirror.runs.audit.Verdict.
    """
    if not rows:
        return f"{model}: {verdict.findings or 'no'} differences would be repaired"
    left = f"{verdict.findings} differences are left" if verdict.findings else "equal to the log"
    return f"{model}: {rows} keys repaired; audited again: {left}"


def no_such_key(model: str, key: Sequence[str], given: str) -> str:
    return f"repair: {given} is no key of {model}: a value of each of {', '.join(key)} is needed"


def keys_unread(number: int) -> str:
    return f"keys whose values the database's driver does not have: {number}"


def not_landings(model: str, raw: str, lacking: Sequence[str]) -> str:
    return (
        f"{model}: {raw} is not landing's own (it has no {', '.join(lacking)}): a record of a row "
        "that no event has told cannot be added to it. Let the connector take a snapshot of these "
        "rows (docs/audits.md)"
    )


def replica(model: str) -> str:
    return (
        f"{model}: its database is a replica: a row may be there as it was before what the log "
        "says of it, and would go over that. Nothing was written: name the primary by "
        "--database-env"
    )


def no_place(model: str, raw: str) -> str:
    return (
        f"{model}: {raw} has no change with a row yet: nobody knows how its rows look. Let the "
        "connector take a snapshot of the table (docs/audits.md)"
    )


def not_written(why: str) -> str:
    return f"not written: {why}. Let the connector take a snapshot of these rows (docs/audits.md)"


def records_added(model: str, raw: str, number: int) -> str:
    return f"{model}: {raw} has got {number} records of what no event has told"


def repair_needs(operation: str) -> str:
    return (
        f"{operation}: it needs an audit, or a model and keys: dbt run-operation {operation} "
        "--args '{audit: ...}' or '{model: ..., keys: [{id: 7}]}'"
    )


def nothing_landed(model: str, raw: str) -> str:
    return (
        f"{model}: no record has landed in {raw} yet. If its topic has some, see the source's name "
        "and the var topic_sources."
    )


def window_lost(model: str, raw: str, problem: object) -> str:
    return (
        f"{model}: {problem}\nNothing was written. To read all that {raw} holds once more: "
        f"dbt run --select {model} --vars '{{replay: true}}'"
    )


def overtaken(model: str, target: Any) -> str:
    return (
        f"{model}: another run has merged into {target} since this one began. Nothing was written; "
        "run the model again."
    )


def merged_by_another(model: str, target: Any) -> str:
    return f"{model}: another run has merged into {target} all that this one has read."


def committed_meanwhile(model: str, relation: Any) -> str:
    return (
        f"{model}: another run has committed to {relation} since this one began. Nothing more was "
        "written; run the model again."
    )


def bad_rows(quarantined: int, model: str, ops: str) -> str:
    return (
        f"{quarantined} events cannot be used, and on_bad_rows is fail. See them by `select "
        f"reason, value from {ops}.quarantine where model = '{model}'`."
    )


def quarantined(model: str, left: int, new: int) -> str:
    are = "record is" if left == 1 else "records are"
    return (
        f"{model}: {left} {are} in the quarantine, {new} new, and not in the table. See them by "
        f"lakemirror quarantine list --model {model}. When the cause is mended, the next run takes "
        "them in."
    )


def taken_in(model: str, records: int) -> str:
    return f"{model}: {records} of the quarantine taken in"


def days_lack_records(model: str, records: int, first: str, last: str) -> str:
    return (
        f"{model}: {records} of the quarantine are taken in, the oldest of {first}: days that are "
        "published lack them. To write them again: dbt run --select <the daily model> --vars "
        f"'{{ds: {first}, ds_to: {last}}}'"
    )


def too_many_bad(quarantined: int, read: int, limit: float, examples: Sequence[BadExample]) -> str:
    reasons = "".join(f"\n  - {example.line}" for example in examples)
    return (
        f"{quarantined} of {read} records cannot be used, which is more than "
        f"max_bad_rows_percent ({limit:g}) allows:{reasons}\nThe next run reads all of them again. "
        "If they are to go to the quarantine, configure a higher max_bad_rows_percent."
    )


def undeclared_refused(names: str) -> str:
    return (
        "The events have columns that nobody declares, and their values would be lost: "
        f"{names}. Land the schema-change topic and run again, or declare them in the source's "
        "YAML, or name there what is to be left out: config.meta.ignored_columns of the table. "
        "With on_undeclared 'warn' the run goes on."
    )


def undeclared_lost(names: str, model: str) -> str:
    return (
        f"{model}: the events have columns that nobody declares, and their values are lost: "
        f"{names}. Declare them in the source's YAML, and rebuild: {rebuild_command(model)}. Or "
        "name there what is to be left out: config.meta.ignored_columns of the table."
    )


def unguarded(count: int, pruned_until: str | None, model: str) -> str:
    return (
        f"{model}: {count} new rows are from before {pruned_until}, whose deletes are forgotten "
        "(tombstone_retention_days): one that was deleted may be back. To be sure, rebuild the "
        f"mirror from raw: {rebuild_command(model)}"
    )


def epochs_went_back(problem: str, model: str) -> str:
    return (
        f"the order of the source went back: {problem}. For Vitess set vitess.inherit.epoch=true "
        "at the connector; for what has been sent, and for a new MySQL server, say in the var "
        "epochs what to add, for example `epochs: [{log: '-40', epoch: 1}]`, and rebuild the "
        f"mirror: {rebuild_command(model)}."
    )


def key_changed(
    model: str, key: Sequence[str], known: Sequence[str], source_key: Sequence[str] | None
) -> str:
    reason = "the source has another key" if source_key else "unique_key has changed"
    was, now = (key, source_key) if source_key else (known, key)
    remedy = "Set unique_key, and rebuild" if source_key else "Rebuild"
    return (
        f"{model}: {reason}: it was {', '.join(was)} and is {', '.join(now or ())}. Nothing was "
        f"written. {remedy} the mirror from raw: {rebuild_command(model)}"
    )


def not_the_key(
    model: str,
    configured: str,
    key: Sequence[str],
    records: Sequence[str] | None,
    schema: Sequence[str] | None,
    history: str,
) -> str:
    said = {"the records' key is": records, f"{history} has": schema}
    found = " and ".join(f"{what} {', '.join(names)}" for what, names in said.items() if names)
    real = [*(records or schema or ())]
    return (
        f"{model}: {configured} is {', '.join(key)}, and {found}: rows that share the one and not "
        f"the other would be lost. Nothing was written. Configure unique_key={real}. If another is "
        f"meant, say what the source's is: source_key={real}; then each run looks whether two live "
        "rows share unique_key."
    )


def moved_rows(
    model: str, key: Sequence[str], records: Sequence[str], count: int, example: str
) -> str:
    return (
        f"{model}: {count} updates gave their row another {', '.join(key)}, such as the record "
        f"{example}. The records' key is {', '.join(records)}, so that no delete came for the row "
        "of before, which stays in the mirror. Let message.key.columns at the connector have "
        f"{', '.join(key)}, let it take a snapshot, and then resync."
    )


def shared_key(key: str, records: Sequence[str]) -> str:
    return (
        f"rows of the source share unique_key {key}: {' and '.join(records)}. One of them would be "
        "lost: configure unique_key to be the source's key, and no source_key."
    )


def cannot_follow(target: Any, problems: Sequence[str], model: str) -> str:
    return (
        f"{model}: {target} cannot follow its query: {'; '.join(problems)}. Nothing was written. "
        "Declare the type that the table has, say what to do by on_type_conflict "
        f"(docs/schema-changes.md), or rebuild the table: {rebuild_command(model)}"
    )


def unknown_default(model: str, column: str, problem: str) -> str:
    return (
        f"{model}: the default of the new column {column} is not known: {problem}. It is null in "
        "the rows that were there before. If they got a value, say which one in the source's "
        f"YAML, config.meta.default of the column, and rebuild: {rebuild_command(model)}"
    )


def ended(model: str, raw: Any, ending: Ending) -> str:
    if ending.what == "renamed from":
        what = f"the table of {raw} was {ending.name} until {ending.at}"
        rows = "Rows of before are not in this mirror: let the connector take a snapshot of it"
    else:
        gave = f"gave the table of {raw} the name {ending.name}"
        what = gave if ending.name else f"dropped the table of {raw}"
        what = f"the source {what} at {ending.at}"
        beside = " beside those of the table that has its name now" if ending.is_back else ""
        rows = f"Its rows are kept{beside}"
    return (
        f"{model}: {what}. {rows} (docs/schema-changes.md). When that is as it should be, say "
        f"config.meta.known_ending: '{ending.at}' of the table in the source's YAML"
    )


def unclear_name(model: str, columns: Mapping[str, str]) -> str:
    named = "; ".join(f"{name} was {former}" for name, former in columns.items())
    return (
        f"{model}: columns were renamed, and others have their former names: {named}. Rows that "
        "have not changed since have the values of before under the old names. Let the connector "
        "take a snapshot of the table, then say config.meta.renamed_from: '' of these columns in "
        "the source's YAML (docs/schema-changes.md)"
    )


def unknown_write_defaults(model: str, problems: Mapping[str, str]) -> str:
    named = "; ".join(f"{column}: {problem}" for column, problem in problems.items())
    return (
        f"{model}: the table has no default of columns whose default at the source is no literal: "
        f"{named}. The mirror is not touched by that, and who writes to it must give the columns."
    )


def other_buckets(target: Any, model: str) -> str:
    return (
        f"{model}: {target} has other buckets than its configuration says, so that a merge moves "
        f"all of it. To change the table: dbt run-operation rebucket --args '{{model: {model}}}'"
    )


def conflicts(keys: Sequence[str], ops: str) -> str:
    return (
        f"the source has {len(keys)} keys with two different changes at one place of its order, "
        f"such as {keys[0]}: see {ops}.order_conflicts."
    )


def unknown_values(model: str, rows: int) -> str:
    return (
        f"{model}: {rows} rows have a column that was not sent and is not known. It is null; find "
        "them by `exists(_unsent, column -> column._tx_epoch is null)`."
    )


def reused_offsets(others: int, raw: str) -> str:
    return (
        f"{others} records of {raw} have the Kafka coordinates of other records in the log. A "
        "topic that was deleted and made anew starts its offsets again: give it a source of its "
        "own in the var topic_sources, and a log of its own."
    )


def quick_compiler(name: str, records: int) -> str:
    """What so many records would be read faster with."""
    return (
        f"{name}: {records:,} records by Java's quick compiler, which decodes a third of what the "
        "other does: leave -XX:TieredStopAtLevel=1 out of spark.driver.extraJavaOptions in "
        "profiles.yml"
    )


def counts_line(model: str, counts: Mapping[str, Any]) -> str:
    line = (
        f"{model}: {counts['read']} read, {counts['applied']} applied, {counts['stale']} stale, "
        f"{counts['duplicate']} duplicate, {counts['ignored']} ignored, "
        f"{counts['quarantined']} quarantined"
    )
    return line + (f", {counts['unguarded']} unguarded" if counts["unguarded"] else "")


def state_lost(model: str, mirror: Any, time: str, raw: str, row: Any) -> str:
    return (
        f"{model}: what {mirror} was at {time} cannot be made. No snapshot of it from before is "
        f"left, and {raw} has {row['held_records']} of the {row['landed_records']} records that "
        f"were landed of {row['topic']}, partition {row['partition']}. Nothing of it was written. "
        f"Roll {raw} back, or ask for later days by the vars ds and ds_to; where late changes ask "
        "for it, late_events: report reports them and leaves days as they are."
    )


def unheard(model: str, watermark: str) -> str:
    return f"{model}: {watermark} has no row: its source is not heard, and no day of it is over."


def late_days(model: str, changes: int, last_day: str, ops: str) -> str:
    return (
        f"{model}: {changes} changes from before the end of {last_day} came after it was "
        f"published, and may not be in it ({ops}.late_events). To write a day again: dbt run "
        f"--select {model} --vars '{{ds: ...}}'"
    )


def not_plain(setting: str, value: str) -> str:
    return (
        f"{setting}: with {setting}='{value}' a day is the mirror's rows: the model can only be "
        "select * from midnight(...)"
    )


def has_day(model: str, mirror: Any) -> str:
    return (
        f"{model}: {mirror} has a column ds, and so is called the day of a daily table. Nothing "
        "was published; delete the model, or leave the column out of the mirror (ignored_columns "
        "of the source's table, and a rebuild of the mirror with --full-refresh --vars "
        "'{allow_full_refresh: true}')"
    )


def other_layout(existing: Any, publish: str) -> str:
    return (
        f"publish: {existing} keeps its days the other way, and the config publish is {publish}. "
        "Nothing was written; give the model another alias"
    )


def unmerged(model: str) -> str:
    return (
        f"{model}: raw has changes that the mirror has not merged yet. Nothing was written. Run "
        "the model first, and then its resync without replay and --full-refresh: dbt run --select "
        f"{model}"
    )


def no_snapshot_column(model: str) -> str:
    return (
        f"{model}: its staging model has no column _src_snapshot, which tells the rows of a "
        "snapshot. Add it, by metadata_columns() for example; then: dbt run --select "
        f"{model}"
    )


def snapshot_problem(snapshot: Mapping[str, Any] | None, ops: str) -> str | None:
    """Why rows must not be removed after a snapshot; None where they may."""
    again = (
        "Let the connector take a full snapshot of the table, land it, run the model, and then "
        "resync."
    )
    if not snapshot:
        return (
            "raw has no row of a full snapshot. An empty table gives none, Vitess does not mark "
            f"its copies, and incremental snapshots do not count. {again}"
        )
    time = snapshot["_src_ts"]
    if snapshot["is_older"]:
        return (
            f"the newest full snapshot by the source's order, of {time}, is not the newest by its "
            "time: the order of the source went back. Say in the var epochs what to add from the "
            "later snapshot on, for example `epochs: [{from: '2026-11-21 00:00:48', epoch: 1}]`, "
            "and rebuild the mirror."
        )
    if not snapshot["has_end"] or not snapshot["has_begin"]:
        missing = "end" if snapshot["has_begin"] else "beginning"
        return (
            f"the newest full snapshot, of {time}, is not complete in raw: it has "
            f"{snapshot['rows']} rows, and not the record that marks its {missing}. Land all of "
            f"it, or: {again}"
        )
    if snapshot["keyless"]:
        return (
            f"{snapshot['keyless']} rows of the newest full snapshot have no key that can be read. "
            f"See {ops}.quarantine."
        )
    return None


def absent_rows(model: str, target: Any, rows: int) -> str:
    return (
        f"{model}: the newest full snapshot of the source has ended, and {rows} rows of {target} "
        "are older and not in it: their deletes were never seen, or a part of the snapshot has not "
        f"landed. See them by dbt run --select {model} --vars '{{resync: dry_run}}', and remove "
        "them by '{resync: apply}'."
    )


def resync_line(
    model: str, target: Any, snapshot: Mapping[str, Any], rows: int, keys: Sequence[str]
) -> str:
    order = ", ".join(str(snapshot[name]) for name in ("_tx_epoch", "_tx_rank", "_tx_order"))
    line = (
        f"{model}: the newest full snapshot has {snapshot['rows']} rows, of "
        f"{snapshot['_src_ts']}, order ({order}). {rows} rows of {target} are older and not in it"
    )
    if not rows:
        return line
    return (
        f"{line}, such as {' '.join(keys)}. They are removed by dbt run --select {model} --vars "
        "'{resync: apply}'"
    )


def held(model: str, snapshot: int) -> str:
    return (
        f"{model}: is held at its snapshot {snapshot} since a rollback: nothing is merged. To let "
        f"it go on from there: lakemirror release {model}"
    )
