"""Whether Spark makes Java code of queries, and plans them anew while they run: for a few rows
that takes longer than the query."""

from pyspark import SparkContext
from pyspark.sql import SparkSession

from dbt.adapters.lakemirror import session

INTERPRETED = {
    "spark.sql.codegen.wholeStage": "false",
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",
    "spark.sql.adaptive.enabled": "false",
}
COMPILED = {
    "spark.sql.codegen.wholeStage": "true",
    "spark.sql.codegen.factoryMode": "FALLBACK",  # as Spark has it
    "spark.sql.adaptive.enabled": "true",
}


def make_code(compiled: bool) -> None:
    """Let the sessions that are opened from now on make code, or interpret the queries."""
    settings = COMPILED if compiled else INTERPRETED
    session.DEFAULTS.update(settings)  # of a JVM that has not started
    if SparkContext._active_spark_context is not None:
        shared = SparkSession.builder.getOrCreate()._jsparkSession.sharedState().conf()
        for name, value in settings.items():
            shared.set(name, value)
