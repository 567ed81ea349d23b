import os

from dbt.adapters.events.logging import AdapterLogger

from lakemirror.landing.avro import registry_of
from lakemirror.landing.broker import client_settings
from lakemirror.landing.files import land_files
from lakemirror.landing.kafka import Wanted, land_kafka


def model(dbt, session):
    # dbt finds the keys of a configuration only where get() stands alone
    topic_sources = dbt.config.get("topic_sources")
    topics = dbt.config.get("topics")
    start = dbt.config.get("landing_start")
    commit_records = dbt.config.get("commit_records")
    accept_loss = dbt.config.get("accept_loss")
    landed = session.table(str(dbt.this)) if dbt.is_incremental else None
    kafka = client_settings(os.environ)
    if kafka:
        registry = registry_of(os.environ)
        wanted = Wanted(topics or "", start, commit_records, accept_loss, registry)
        say = AdapterLogger("lakemirror").info
        return land_kafka(session, kafka, wanted, landed, topic_sources or {}, say)
    return land_files(
        session,
        folder=dbt.config.get("recordings"),
        landed=landed,
        topic_sources=topic_sources or {},
    )
