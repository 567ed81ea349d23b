"""Avro records of a schema registry, as the texts that Connect's JsonConverter would have sent.

A record begins with a zero byte and the id of its writer's schema (Confluent's wire format, and
Apicurio's). Its text is ``{"schema": ..., "payload": ...}`` with the Connect schema that the Avro
schema stands for, by the rules of the Avro converters: ``connect.name``, ``connect.parameters`` and
the like say what Avro has no type for.
"""

import base64
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from io import BytesIO
from typing import Any

import fastavro
from confluent_kafka.schema_registry import SchemaRegistryClient
from pyspark.sql import functions as F  # noqa: N812

ENVIRONMENT = "LAKEMIRROR_REGISTRY_"
TYPES = {"int": "int32", "long": "int64", "enum": "string", "fixed": "bytes"}  # Connect's
NAMED = ("record", "enum", "fixed")


class RegistryError(Exception):
    """A record's schema cannot be had, or does not fit it."""


@dataclass(frozen=True)
class Registry:
    """A schema registry with Confluent's API (Apicurio: ``/apis/ccompat/v7``).

    Attributes:
        auth: ``user:password``; empty where none is asked for.
        id_bytes: 4, or 8 as older serializers of Apicurio write ids.
    """

    url: str
    auth: str = ""
    id_bytes: int = 4

    def __repr__(self) -> str:
        return f"Registry({self.url})"


class Writer:
    """A writer's schema, an Avro schema as JSON."""

    def __init__(self, text: str) -> None:
        schema = json.loads(text)
        connect = connect_schema(schema, {})
        self.connect = json.dumps(connect, ensure_ascii=False, separators=(",", ":"))
        self.avro = fastavro.parse_schema(plain(schema))

    def text(self, body: bytes) -> str:
        """A record without its schema's id, as text.

        Raises:
            RegistryError: it does not fit.
        """
        rest = BytesIO(body)
        try:
            found = fastavro.schemaless_reader(rest, self.avro, None)
        except (EOFError, IndexError, ValueError) as error:
            raise RegistryError(f"it does not fit: {error!r}") from None
        if rest.read(1):
            raise RegistryError("it is longer than the schema says")
        return f'{{"schema":{self.connect},"payload":{as_text(found)}}}'


def registry_of(environment: Mapping[str, str]) -> Registry | None:
    """The registry that ``LAKEMIRROR_REGISTRY_URL`` names, None where there is none."""
    url, auth, size = (environment.get(ENVIRONMENT + n, "") for n in ("URL", "AUTH", "ID_BYTES"))
    return Registry(url, auth, int(size or 4)) if url else None


def decoder(registry: Registry) -> Callable[..., Any]:
    """A function of a binary column, whose result is the text."""
    return F.udf(lambda data: None if data is None else text_of(bytes(data), registry), "string")


def text_of(data: bytes, registry: Registry) -> str:
    """A record's text.

    Raises:
        RegistryError: the registry does not know the schema, or it does not fit.
    """
    begin = 1 + registry.id_bytes
    number = int.from_bytes(data[1:begin], "big")
    try:
        return writer_of(registry, number).text(data[begin:])
    except RegistryError as error:
        raise RegistryError(
            f"a record of schema {number} at {registry.url} ({ENVIRONMENT}URL; its id has "
            f"{registry.id_bytes} bytes, {ENVIRONMENT}ID_BYTES): {error}"
        ) from None


@cache
def writer_of(registry: Registry, number: int) -> Writer:
    """A schema of the registry, which is asked once: an id never gets another schema.

    Raises:
        RegistryError: it does not answer, or does not know the id.
    """
    settings = {"url": registry.url, "timeout": 15}
    if registry.auth:
        settings["basic.auth.user.info"] = registry.auth
    try:
        text = SchemaRegistryClient(settings).get_schema(number).schema_str
    except Exception as error:  # the client's own, and its HTTP library's
        raise RegistryError(f"the registry does not give the schema: {error}") from None
    return Writer(str(text))


def as_text(value: Any) -> str:
    """A value as JsonConverter writes it: bytes as base64, NaN and infinity as texts."""
    options: dict[str, Any] = {"ensure_ascii": False, "separators": (",", ":"), "default": encoded}
    try:
        return json.dumps(value, allow_nan=False, **options)
    except ValueError:
        return json.dumps(without_nan(value), **options)


def encoded(value: Any) -> str:
    return base64.b64encode(value).decode()


def without_nan(value: Any) -> Any:
    if isinstance(value, float) and (value != value or value in (float("inf"), -float("inf"))):
        return "NaN" if value != value else "Infinity" if value > 0 else "-Infinity"
    if isinstance(value, dict):
        return {name: without_nan(inner) for name, inner in value.items()}
    return [without_nan(inner) for inner in value] if isinstance(value, list) else value


def plain(schema: Any) -> Any:
    """An Avro schema without its logical types: values are read as they are written."""
    if isinstance(schema, list):
        return [plain(branch) for branch in schema]
    if not isinstance(schema, dict):
        return schema
    kept = {name: value for name, value in schema.items() if name != "logicalType"}
    for name in ("type", "items", "values"):
        if name in kept:
            kept[name] = plain(kept[name])
    if "fields" in kept:
        kept["fields"] = [plain(field) for field in kept["fields"]]
    return kept


def connect_schema(schema: Any, known: dict[str, Any], namespace: str = "") -> dict[str, Any]:
    """The Connect schema, as JsonConverter writes it.

    Args:
        known: the named types so far, which a schema may refer to.
    """
    if isinstance(schema, list):
        branches = [branch for branch in schema if branch != "null"]
        if len(branches) != 1:
            raise RegistryError(f"a union of {len(branches)} types is no Connect schema")
        inner = connect_schema(branches[0], known, namespace)
        return {**inner, "optional": "null" in schema}
    if isinstance(schema, str):
        full = schema if "." in schema or not namespace else f"{namespace}.{schema}"
        named = known.get(full) or known.get(schema)
        return dict(named) if named else {"type": TYPES.get(schema, schema), "optional": False}
    kind, space = schema["type"], schema.get("namespace", namespace)
    if isinstance(kind, (dict, list)):
        return connect_schema(kind, known, namespace)
    made: dict[str, Any] = {"type": schema.get("connect.type") or TYPES.get(kind, kind)}
    if kind == "record":
        fields = [connect_field(field, known, space) for field in schema["fields"]]
        made |= {"type": "struct", "fields": fields}
    elif kind == "array":
        made["items"] = connect_schema(schema["items"], known, space)
    elif kind == "map":
        made["keys"] = {"type": "string", "optional": False}
        made["values"] = connect_schema(schema["values"], known, space)
    made["optional"] = False
    full = f"{space}.{schema['name']}" if space and kind in NAMED else schema.get("name")
    name = schema.get("connect.name") or (full if kind == "record" else None)
    if name:
        made["name"] = name
    if "connect.version" in schema:
        made["version"] = schema["connect.version"]
    if "connect.parameters" in schema:
        made["parameters"] = schema["connect.parameters"]
    if "connect.default" in schema:
        made["default"] = default_of(made, schema["connect.default"])
    if kind in NAMED:
        known[full] = known[schema["name"]] = made
    return made


def connect_field(field: Mapping[str, Any], known: dict[str, Any], space: str) -> dict[str, Any]:
    """A field of a struct; its default is Avro's where Connect's is not told."""
    made = connect_schema(field["type"], known, space)
    if field.get("default") is not None:
        made.setdefault("default", default_of(made, field["default"]))
    return {**made, "field": field["name"]}


def default_of(made: Mapping[str, Any], default: Any) -> Any:
    """A default as JsonConverter writes it: of bytes, Avro has a text with a sign for each."""
    is_bytes = made["type"] == "bytes" and isinstance(default, str)
    return encoded(default.encode("latin-1")) if is_bytes else default
