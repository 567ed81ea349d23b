"""What Debezium sends in place of a PostgreSQL value that an update left as it was (TOAST)."""

import base64
import hashlib
import json
import uuid


def unavailable_texts(placeholder: str) -> list[str]:
    """Each text that stands for a value which was not sent, as a column of strings reads it.

    A text, JSON or XML is the placeholder; bytes are its base64 or hex; then come lists of texts,
    bytes, numbers and UUIDs, and an hstore as a map.

    >>> unavailable_texts("?")[:6]
    ['?', 'Pw==', '3f', '["?"]', '["Pw=="]', '[63]']
    """
    raw = placeholder.encode()
    encoded = base64.b64encode(raw).decode()
    number = uuid.UUID(bytes=hashlib.md5(raw).digest(), version=3)  # Java's nameUUIDFromBytes
    lists = [placeholder], [encoded], [*raw], [str(number)], {placeholder: placeholder}
    return [placeholder, encoded, raw.hex(), *(json.dumps(v, separators=(",", ":")) for v in lists)]
