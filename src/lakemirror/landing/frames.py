"""What this process knows, as a table of Spark's."""

from collections.abc import Sequence
from typing import Any, cast

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.conversion import LocalDataToArrowConversion
from pyspark.sql.types import StructType


def frame_of(session: SparkSession, rows: Sequence[Sequence[Any]], schema: str) -> DataFrame:
    """A few rows as a DataFrame, which the JVM reads alone.

    Spark gives plain rows to a process of Python's own first, and to start that takes longer than
    all that is done with them; a table of Arrow's needs none.

    Args:
        rows: a value per column, lists for arrays; a time without a zone is this machine's.
        schema: the columns, as in a ``create table``.
    """
    types = cast(StructType, StructType.fromDDL(schema))
    if not rows:
        return session.createDataFrame([], types)
    table = LocalDataToArrowConversion.convert(rows, types, use_large_var_types=False)
    return session.createDataFrame(table, types)
