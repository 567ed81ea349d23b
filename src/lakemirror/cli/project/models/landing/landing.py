import os

from dbt.adapters.events.logging import AdapterLogger

from lakemirror.landing.avro import registry_of
from lakemirror.landing.files import land_files
from lakemirror.landing.kafka import Wanted, land_kafka
from lakemirror.landing.origin import origin_of


def model(dbt, session):
    # dbt finds the keys of a configuration only where get() stands alone
    topic_sources = dbt.config.get("topic_sources")
    recordings = dbt.config.get("recordings")
    brokers = dbt.config.get("brokers")
    topics = dbt.config.get("topics")
    start = dbt.config.get("landing_start")
    commit_records = dbt.config.get("commit_records")
    accept_loss = dbt.config.get("accept_loss")
    landed = session.table(str(dbt.this)) if dbt.is_incremental else None
    origin = origin_of(os.environ, recordings, brokers, topics)
    if origin.kafka:
        registry = registry_of(os.environ)
        wanted = Wanted(origin.topics, start, commit_records, accept_loss, registry)
        say = AdapterLogger("lakemirror").info
        kept_in = str(dbt.this) if landed is not None else None
        return land_kafka(session, origin.kafka, wanted, landed, topic_sources or {}, say, kept_in)
    return land_files(session, origin.folder, landed, topic_sources or {})
