"""ops.quarantine: input that could not be used, kept with the reason."""

from collections.abc import Sequence

from pyspark.sql import DataFrame, SparkSession

from lakemirror.landing.frames import frame_of
from lakemirror.layers import layers_of_session
from lakemirror.state.ops_tables import QUARANTINE

COLUMNS = (
    "quarantine_id, model, reason, _kfk_topic, _kfk_partition, _kfk_offset, key, value, "
    "quarantined_at"
)
NOT_A_RECORD = "not a Kafka record: topic, partition, offset and value are needed"


def table_in(session: SparkSession) -> str:
    """The quarantine of the session's environment."""
    return f"{layers_of_session(session).ops}.{QUARANTINE.name}"


def has_open_lines(session: SparkSession) -> bool:
    """Whether a line of a file is open."""
    condition = "model = 'landing' and settled_at is null"
    query = f"select 1 from {table_in(session)} where {condition} limit 1"
    return bool(session.sql(query).collect())


def reject_lines(session: SparkSession, files: Sequence[str], lines: DataFrame) -> None:
    """Keep the lines of recorded files that are no Kafka records, each once, and settle those that
    the files do not have any more.

    Args:
        files: all that are landed.
        lines: the bad ones, ``rejected_line`` of ``file``.
    """
    table = table_in(session)
    names = frame_of(session, [(file,) for file in files], "file string")
    names.createOrReplaceTempView("landing_files")
    lines.selectExpr("file", "rejected_line as line").createOrReplaceTempView("landing_rejected")
    session.sql(
        f"""
        merge into {table} as old
        using (
            with rejected as (
                select distinct
                    sha2(concat_ws('|', 'landing', file, line), 256) as quarantine_id,
                    file,
                    line
                from landing_rejected
            )

            select
                quarantine_id,
                'landing' as model,
                '{NOT_A_RECORD}' as reason,
                cast(null as string) as _kfk_topic,
                cast(null as int) as _kfk_partition,
                cast(null as bigint) as _kfk_offset,
                file as key,
                line as value,
                current_timestamp() as quarantined_at,
                false as is_mended
            from rejected
            union all
            select {COLUMNS}, true as is_mended
            from {table}
            where
                model = 'landing'
                and settled_at is null
                and key in (select file from landing_files)
                and quarantine_id not in (select quarantine_id from rejected)
        ) as new
        on old.model = 'landing' and old.quarantine_id = new.quarantine_id
        when matched and new.is_mended then update set
            settled_at = current_timestamp(),
            settled_as = 'taken in',
            settled_reason = 'the file has changed'
        when matched and old.settled_as = 'taken in' then update set
            settled_at = null, settled_as = null, settled_reason = null
        when not matched then insert ({COLUMNS}) values ({COLUMNS})
        """
    )
