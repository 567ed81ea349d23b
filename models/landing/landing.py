from lakemirror.landing import land_files


def model(dbt, session):
    landed = session.table(str(dbt.this)) if dbt.is_incremental else None
    return land_files(
        session,
        folder=dbt.config.get("recordings"),
        landed=landed,
        topic_sources=dbt.config.get("topic_sources") or {},
    )
