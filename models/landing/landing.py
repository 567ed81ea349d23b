from lakemirror.landing import land_files


def model(dbt, session):
    # dbt finds the keys of a configuration only where get() stands alone
    topic_sources = dbt.config.get("topic_sources")
    landed = session.table(str(dbt.this)) if dbt.is_incremental else None
    return land_files(
        session,
        folder=dbt.config.get("recordings"),
        landed=landed,
        topic_sources=topic_sources or {},
    )
