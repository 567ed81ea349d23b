"""What Debezium sends in place of a PostgreSQL value that an update left as it was (TOAST)."""

import base64
import hashlib
import json
import uuid

from lakemirror.source.types import PLACEHOLDER, Encoding, Settings


def unavailable_texts(encoding: Encoding, settings: Settings) -> list[str]:
    """Each text that stands for a value which was not sent, as the column's JSON type reads it.

    There is none where the connector sends all values, or always those of this type. Of bytes it
    is the placeholder; of strings, and of lists as JSON, all_forms.
    """
    placeholder = settings.get(PLACEHOLDER)
    if placeholder is None:
        return []
    if encoding.json == "binary":
        return [placeholder]
    if encoding.json == "string" or encoding.json.startswith("array<"):
        return all_forms(placeholder)
    return []


def all_forms(placeholder: str) -> list[str]:
    """A text, JSON or XML is the placeholder; bytes are its base64 or hex; then come lists of
    texts, bytes, numbers and UUIDs, and an hstore as a map.

    >>> all_forms("?")[:6]
    ['?', 'Pw==', '3f', '["?"]', '["Pw=="]', '[63]']
    """
    raw = placeholder.encode()
    encoded = base64.b64encode(raw).decode()
    number = uuid.UUID(bytes=hashlib.md5(raw).digest(), version=3)  # Java's nameUUIDFromBytes
    lists = [placeholder], [encoded], [*raw], [str(number)], {placeholder: placeholder}
    return [placeholder, encoded, raw.hex(), *(json.dumps(v, separators=(",", ":")) for v in lists)]
