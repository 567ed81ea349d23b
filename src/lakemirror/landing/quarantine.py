"""ops.quarantine: input that could not be used, kept with the reason."""

from pyspark.sql import DataFrame, SparkSession

NOT_A_RECORD = "not a Kafka record: topic, partition and offset are needed"


def reject_lines(session: SparkSession, lines: DataFrame) -> None:
    """Keep the lines of recorded files that are no Kafka records, each once."""
    lines.selectExpr("file", "rejected_line as line").createOrReplaceTempView("landing_rejected")
    session.sql(
        f"""
        merge into ops.quarantine as old
        using (
            select distinct
                sha2(concat_ws('|', 'landing', file, line), 256) as quarantine_id,
                'landing' as model,
                '{NOT_A_RECORD}' as reason,
                cast(null as string) as _kfk_topic,
                cast(null as int) as _kfk_partition,
                cast(null as bigint) as _kfk_offset,
                file as key,
                line as value,
                current_timestamp() as quarantined_at
            from landing_rejected
        ) as new
        on old.quarantine_id = new.quarantine_id
        when matched and old.quarantine_id is null then delete
        when not matched then insert *
        """
    )
