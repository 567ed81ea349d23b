"""Columns that were erased: landing takes them out of what comes again.

See lakemirror.runs.column_erasure.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

from pyspark import cloudpickle
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F  # noqa: N812

from lakemirror.layers import layers_of_session
from lakemirror.source import fields
from lakemirror.source.fields import key_without, value_without
from lakemirror.state.erasures import ERASED_COLUMNS

# executors of other machines have no package of ours: what they call comes with the call
cloudpickle.register_pickle_by_value(fields)


@dataclass(frozen=True)
class Erased:
    """The columns that were erased from a raw table, by their names in lower case.

    Attributes:
        names: all of them: no two records differ by these alone.
        kept_out: those that land no more.
    """

    names: frozenset[str] = field(default=frozenset())
    kept_out: frozenset[str] = field(default=frozenset())


def erased_columns(session: SparkSession) -> Mapping[str, Erased]:
    """What was erased from raw tables, by their names in the schema raw."""
    layers = layers_of_session(session)
    recorded = f"{layers.ops}.{ERASED_COLUMNS.name}"
    if not session.catalog.tableExists(recorded):
        return {}
    found: dict[str, Erased] = {}
    for row in session.table(recorded).collect():
        table = row["raw_table"].removeprefix(f"{layers.raw}.")
        known, name = found.get(table, Erased()), frozenset([row["column_name"]])
        kept_out = known.kept_out | (name if row["is_kept_out"] else frozenset())
        found[table] = Erased(known.names | name, kept_out)
    return found


def without(records: DataFrame, names: Collection[str], keeps_unread: bool = True) -> DataFrame:
    """Records without columns: see lakemirror.source.fields.

    Args:
        keeps_unread: whether a text that is no JSON lands as it is: it will be quarantined.
    """
    if not names:
        return records

    # lambdas: PySpark warns of hints that are none of Pandas'
    of_key = F.udf(lambda text: key_without(text, names, keeps_unread), "string")
    of_value = F.udf(lambda text: value_without(text, names, keeps_unread), "string")
    return records.withColumns({"key": of_key("key"), "value": of_value("value")})
