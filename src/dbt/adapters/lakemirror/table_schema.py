"""Changes of an Iceberg table's schema that SQL has no words for, by Iceberg's Java API."""

from typing import Any

from dbt_common.exceptions import DbtRuntimeError

from lakemirror import java
from lakemirror.state.table_schema import Default, SchemaChange, TableSchema


class LiteralError(DbtRuntimeError):
    """Iceberg has no literal of a value in a column's type."""


def read(session: Any, relation: Any) -> TableSchema:
    """The schema that a table has now."""
    schema = java.load(session, relation).schema()
    parser = java.java_class(session, f"{java.ICEBERG}.SchemaParser")
    return TableSchema.read(parser.toJson(schema))


def commit(session: Any, relation: Any, change: SchemaChange) -> None:
    """Change a table's schema in one commit, which writes no data file.

    Raises:
        LiteralError: a default that cannot be one; nothing is committed.
    """
    update = java.load(session, relation).updateSchema()
    for name, data_type, default in change.added:
        literal = None if default is None else _literal(session, default)
        # without a parent, a dot in the name would be refused as one of a nested column
        update = update.addColumn(None, name, _type(session, data_type), None, literal)
    for name, default in change.write_defaults.items():
        literal = None if default is None else _literal(session, default)
        update = update.updateColumnDefault(name, literal)
    if change.required or change.key:
        update = update.allowIncompatibleChanges()
    for name in {*change.required, *(change.key or ())}:
        update = update.requireColumn(name)
    for name in change.optional:
        update = update.makeColumnOptional(name)
    if change.key is not None:
        update = update.setIdentifierFields([*change.key])
    update.commit()
    session.catalog.refreshTable(str(relation))


def _type(session: Any, data_type: str) -> Any:
    types = java.java_class(session, "org.apache.spark.sql.types.DataType")
    schemas = java.java_class(session, f"{java.ICEBERG}.spark.SparkSchemaUtil")
    return schemas.convert(types.fromDDL(data_type))


def _literal(session: Any, default: Default) -> Any:
    kind = _type(session, default.data_type)
    expressions = java.java_class(session, f"{java.ICEBERG}.expressions.Expressions")
    literal = expressions.lit(default.value).to(kind)
    if literal is None:
        raise LiteralError(f"{default.value!r} is no literal of {default.data_type}")
    return literal
