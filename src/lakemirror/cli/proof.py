"""The proof of an erasure: every file below the tables is decoded, and what was erased is sought.

It trusts no metadata: what lies in a folder is read, whether a snapshot names it or not.
"""

import gzip
import json
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from decimal import Decimal, InvalidOperation
from io import BytesIO
from typing import Any

import fastavro
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.fs as pafs
import pyarrow.parquet as pq
from pyiceberg.conversions import from_bytes

from lakemirror.cli.key_records import same
from lakemirror.layers import layers_of_catalog
from lakemirror.state.erasures import Place, is_meant
from lakemirror.storage import with_s3

RECORD = ("key", "value")  # of Kafka's, JSON both
MESSAGE = "message"  # of ops.runs
JSON_TEXTS = (*RECORD, "unique_key", "in_mirror", "by_log")
GZIP = b"\x1f\x8b"  # how its files begin
JSON_TYPES = (str, bool, int, float, list, dict)
WHOLE = re.compile(r"-?\d+")
BOUNDS = ("lower_bounds", "upper_bounds")


@dataclass(frozen=True)
class Sought:
    """What must be found nowhere.

    Attributes:
        names: the key's columns.
        keys: a text of each by its name.
        texts: values of the rows.
        columns: names of a column that has no value in any row, in lower case.
    """

    names: Sequence[str]
    keys: Sequence[Mapping[str, str]]
    texts: Sequence[str]
    columns: Sequence[str] = ()

    def has_key(self, row: Mapping[str, Any]) -> bool:
        """Whether a row, or an image of one, is of a key."""
        return any(
            all(name in row and alike(row[name], key[name]) for name in self.names)
            for key in self.keys
        )

    def is_column(self, name: str) -> bool:
        """Whether a table's column is one that has no value."""
        return bool(self.columns) and is_meant(name, self.columns)

    def has_values(self, text: str) -> bool:
        """Whether a text of a record, or of a row, has a value of a column."""
        try:
            found = json.loads(text, parse_float=str)
        except ValueError:
            return any(name in text.lower() for name in self.columns)
        if statement_of(found) is not None:
            return True
        return any(
            value is not None and name.lower() in self.columns
            for row in rows_of(found)
            for name, value in row.items()
        )

    @property
    def told(self) -> list[str]:
        """The keys as messages name them."""
        forms = [[(n, key[n]) for n in self.names] for key in self.keys]
        quoted = ["{" + ",".join(f'"{n}":"{v}"' for n, v in form) + "}" for form in forms]
        quoted += [f"whose {name} " for name in self.columns]
        return quoted + ["{" + ",".join(f'"{n}":{v}' for n, v in form) + "}" for form in forms]

    def possible(self, batch: pa.RecordBatch) -> pa.RecordBatch:
        """The key's columns of the rows that may have a key: whole numbers and texts are compared
        at once."""
        for name in self.names:
            texts = {key[name] for key in self.keys}
            column = batch[name]
            if pa.types.is_integer(column.type) and all(map(WHOLE.fullmatch, texts)):
                column = column.cast(pa.int64(), safe=False)
                texts = {str(int(text)) for text in texts}
            elif not pa.types.is_string(column.type):
                continue
            wanted = pa.array([*texts], pa.string())
            batch = batch.filter(pc.is_in(column.cast(pa.string()), value_set=wanted))
        return batch.select([*self.names])

    def is_bound(self, name: str, value: Any) -> bool:
        """Whether a bound of a column is the whole key."""
        return len(self.names) == 1 and name == self.names[0] and self.has_key({name: value})

    def has_text(self, content: bytes) -> bool:
        return any(text.encode() in content for text in self.texts)


@dataclass(frozen=True)
class Found:
    """Something that is left."""

    file: str
    what: str


@dataclass(frozen=True)
class Report:
    """What was read, and what is left.

    Attributes:
        size: of the files, in bytes.
    """

    places: int
    files: int
    size: int
    found: Sequence[Found]

    def as_json(self) -> dict[str, Any]:
        return asdict(self)


@dataclass(frozen=True)
class Location:
    """A folder that is searched.

    Attributes:
        fields: the columns of a table by their ids, as its schemas have had them: name and type.
        has_keys: whether its columns of the key's names are the key's.
        models: of a table of ops, the models whose rows are meant.
    """

    path: str
    files: pafs.FileSystem
    fields: Mapping[int, tuple[str, Any]]
    has_keys: bool
    models: Sequence[str] = ()


def search(catalog: Any, places: Sequence[Place], sought: Sought) -> Report:
    """Search the folders of all places."""
    found: list[Found] = []
    count = size = 0
    locations = list(locations_of(catalog, places))
    for location in locations:
        try:
            listed = location.files.get_file_info(pafs.FileSelector(location.path, recursive=True))
        except OSError as problem:  # what cannot be read is not proven
            found.append(Found(location.path, f"cannot be read: {problem}"))
            continue
        for info in sorted(listed, key=lambda each: each.path):
            if info.type != pafs.FileType.File:
                continue
            content = location.files.open_input_stream(info.path).read()
            count, size = count + 1, size + len(content)
            found += [Found(info.path, what) for what in whats_of(info, content, location, sought)]
    return Report(len(locations), count, size, found)


def locations_of(catalog: Any, places: Sequence[Place]) -> Iterator[Location]:
    """The folders of the tables and of the copies, each once."""
    ops = layers_of_catalog(catalog).ops
    for name in dict.fromkeys(place.table for place in places):
        kinds = {place.kind for place in places if place.table == name}
        if kinds & {"staged"}:
            continue
        if kinds in ({"hive"}, {"archive"}):
            files, path = file_system(name, with_s3({"warehouse": name}, os.environ))
            yield Location(path, files, {}, True)
            continue
        table = catalog.load_table(name.replace("`", ""))
        fields = {
            field.field_id: (field.name, field.field_type)
            for schema in table.metadata.schemas
            for field in schema.fields
        }
        files, path = file_system(table.location(), table.io.properties)
        models = [m for place in places if place.table == name for m in place.name.split(", ")]
        is_ops = name.startswith(f"{ops}.")
        yield Location(path, files, fields, not is_ops, models if is_ops else ())


def file_system(location: str, properties: Mapping[str, str]) -> tuple[pafs.FileSystem, str]:
    """The file system of a location, and the path in it."""
    from pyiceberg.io.pyarrow import PyArrowFileIO

    scheme, netloc, path = PyArrowFileIO.parse_location(location)
    return PyArrowFileIO(dict(properties)).fs_by_scheme(scheme, netloc), path


def whats_of(info: Any, content: bytes, location: Location, sought: Sought) -> list[str]:
    """What a file has; one that cannot be decoded proves nothing."""
    try:
        return [*dict.fromkeys(search_file(info.path, content, location, sought))]
    except (pa.ArrowException, EOFError, OSError, ValueError) as problem:
        return [f"cannot be decoded: {type(problem).__name__}"]


def search_file(path: str, content: bytes, location: Location, sought: Sought) -> Iterator[str]:
    """What a file has of what was erased: by its bytes, and decoded by its kind."""
    if sought.has_text(content):
        yield "its bytes have a value"
    if path.endswith(".parquet"):
        yield from search_parquet(content, location, sought)
    elif path.endswith(".avro"):
        yield from search_avro(content, location, sought)
    elif content.startswith(GZIP) and sought.has_text(gzip.decompress(content)):
        yield "its text has a value"


def search_parquet(content: bytes, location: Location, sought: Sought) -> Iterator[str]:
    file = pq.ParquetFile(BytesIO(content))
    for batch in file.iter_batches():
        yield from search_rows(batch, location, sought)
    for number in range(file.metadata.num_row_groups):
        group = file.metadata.row_group(number)
        for column in map(group.column, range(group.num_columns)):
            told = column.statistics
            if told is None or not told.has_min_max:
                continue
            is_meant = sought.is_column(column.path_in_schema.partition(".")[0])
            if location.has_keys and is_meant:
                yield f"the statistics of {column.path_in_schema} in its footer are of values"
            for value in (told.min, told.max):
                is_key = location.has_keys and sought.is_bound(column.path_in_schema, value)
                if is_key or sought.has_text(as_bytes(value)):
                    yield f"the statistics of {column.path_in_schema} in its footer have a value"


def search_rows(batch: pa.RecordBatch, location: Location, sought: Sought) -> Iterator[str]:
    """What rows have: the key in its columns or in JSON, and values in any text."""
    names = batch.schema.names
    if location.models and "model" in names:
        wanted = pa.array([*location.models])
        batch = batch.filter(pc.is_in(batch["model"], value_set=wanted))
    is_keyed = location.has_keys and {*sought.names} <= {*names}
    if is_keyed and any(map(sought.has_key, sought.possible(batch).to_pylist())):
        yield "rows have a key"
    for name, column in zip(names, batch.columns, strict=True):
        if location.has_keys and sought.is_column(name) and column.null_count < len(column):
            yield f"the column {name} has values"
        if not has_texts(column.type):
            continue
        found = column.drop_null().to_pylist()
        if any(sought.has_text(as_bytes(value)) for value in found):
            yield f"the column {name} has a value"
        if name == MESSAGE and any(told in text for text in found for told in sought.told):
            yield f"the column {name} names a key"
        is_json = name in (RECORD if location.has_keys else JSON_TEXTS)
        if sought.keys and is_json:
            yield from search_texts(name, found, sought)
        if sought.columns and is_json and any(map(sought.has_values, found)):
            yield f"the column {name} has values of {sought.columns[0]}"


def has_texts(kind: pa.DataType) -> bool:
    """Whether values of a type may have a text in them."""
    tests = (pa.types.is_string, pa.types.is_large_string, pa.types.is_binary, pa.types.is_nested)
    return any(test(kind) for test in tests)


def search_texts(name: str, texts: Sequence[str], sought: Sought) -> Iterator[str]:
    """JSON that is of a key: a record's key, an event's images, a finding's key."""
    values = {value for key in sought.keys for value in key.values()}
    for text in texts:
        if any(json.dumps(value)[1:-1] in text for value in values) and any(
            sought.has_key(image) for image in images(text)
        ):
            yield f"the column {name} has a key"
            return


def images(text: str) -> Iterator[Mapping[str, Any]]:
    """The objects of a text that may be a row, or its key."""
    try:
        found = json.loads(text, parse_float=str)
    except ValueError:
        return
    for each in (found, found.get("payload") if isinstance(found, dict) else None):
        if isinstance(each, dict):
            yield each
            yield from (e for n in ("before", "after") if isinstance(e := each.get(n), dict))


def rows_of(found: Any) -> Iterator[Mapping[str, Any]]:
    """The rows that JSON has: an event's images, or what is itself a row or a key.

    >>> list(rows_of({"op": "c", "source": {}, "before": None, "after": {"op": 1}}))
    [{'op': 1}]
    >>> list(rows_of({"schema": {}, "payload": {"id": 1}}))
    [{'id': 1}]
    """
    found = body_of(found)
    is_event = isinstance(found, dict) and {"op", "source"} <= {*found}
    rows = [found.get("before"), found.get("after")] if is_event else [found]
    yield from (row for row in rows if isinstance(row, dict))


def body_of(found: Any) -> Any:
    """JSON without its schema."""
    has_schema = isinstance(found, dict) and {*found} == {"schema", "payload"}
    return found["payload"] if has_schema else found


def statement_of(found: Any) -> Any:
    """The statement that made a change, which has values of its row; None where it is not sent."""
    body = body_of(found)
    source = body.get("source") if isinstance(body, dict) else None
    return source.get("query") if isinstance(source, dict) else None


def search_avro(content: bytes, location: Location, sought: Sought) -> Iterator[str]:
    """What manifests and their lists say: bounds of columns, and any text."""
    for entry in fastavro.reader(BytesIO(content)):
        file = entry.get("data_file") if isinstance(entry, dict) else None
        if not isinstance(file, dict):
            continue
        for kind in BOUNDS:
            for bound in file.get(kind) or ():
                name, field_type = location.fields.get(bound["key"], ("", None))
                if location.has_keys and sought.is_column(name):
                    yield f"{kind} of {name} are of values"
                if sought.has_text(bound["value"]):
                    yield f"{kind} of {name} have a value"
                is_key = location.has_keys and field_type is not None and name in sought.names
                if is_key and sought.is_bound(name, from_bytes(field_type, bound["value"])):
                    yield f"{kind} of {name} are a key"
        if sought.has_text(json.dumps(entry, default=str, ensure_ascii=False).encode()):
            yield "an entry has a value"


def alike(value: Any, text: str) -> bool:
    """Whether a value is what a text says."""
    if value is None:
        return False
    if isinstance(value, bytes):
        return text in (f"0x{value.hex()}", value.decode(errors="replace"))
    if isinstance(value, Decimal):
        return is_number(value, text)
    if isinstance(value, datetime):
        local = value.replace(tzinfo=None)
        return text in (str(value), str(local), local.isoformat())
    return str(value) == text or (isinstance(value, JSON_TYPES) and same(value, text))


def is_number(value: Decimal, text: str) -> bool:
    try:
        return value == Decimal(text)
    except InvalidOperation:
        return False


def as_bytes(value: Any) -> bytes:
    return value if isinstance(value, bytes) else str(value).encode()
