"""What of a lake's bytes is live: docs/maintenance.md says what counts.

python -m bench.size LAKE       of a lake in a folder, on the console
"""

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlparse


@dataclass(frozen=True)
class Size:
    """Bytes of files.

    Attributes:
        all: what lies in the folder, whoever has written it.
        live: what the newest metadata, and the snapshots of branches and tags, are made of.
    """

    all: int
    live: int

    @property
    def ratio(self) -> float:
        return self.all / max(self.live, 1)


def size_of(table: Any) -> Size:
    """The size of a table of PyIceberg's that lies in a folder."""
    return Size(bytes_in(place_of(table.location())), sum(map(bytes_of, {*live_files(table)})))


def size_of_lake(catalog: Any, folder: Path) -> Size:
    """The size of all that lies in a lake's folder, with its catalog."""
    names = (name for schema in catalog.list_namespaces() for name in catalog.list_tables(schema))
    live = {file for name in names for file in live_files(catalog.load_table(name))}
    own = bytes_in(folder) - bytes_in(folder / "warehouse")  # the catalog's own files
    return Size(bytes_in(folder), own + sum(map(bytes_of, live)))


def live_files(table: Any) -> Iterator[Path]:
    """The files that the table's branches and tags are made of, and its newest metadata."""
    yield place_of(table.metadata_location)
    kept = {ref.snapshot_id for ref in table.metadata.refs.values()}
    for snapshot in table.snapshots():
        if snapshot.snapshot_id not in kept:
            continue
        yield place_of(snapshot.manifest_list)
        for manifest in snapshot.manifests(table.io):
            yield place_of(manifest.manifest_path)
            for entry in manifest.fetch_manifest_entry(table.io, discard_deleted=True):
                yield place_of(entry.data_file.file_path)


def place_of(location: str) -> Path:
    """A path, whether it is a URL or not."""
    return Path(unquote(urlparse(location).path) if location.startswith("file:") else location)


def bytes_of(file: Path) -> int:
    """Of a file, with the checksum that Hadoop has written beside it."""
    found = (file, file.with_name(f".{file.name}.crc"))
    return sum(each.stat().st_size for each in found if each.exists())


def bytes_in(folder: Path) -> int:
    return sum(file.stat().st_size for file in folder.rglob("*") if file.is_file())


def main() -> None:
    from lakemirror.lake import pyiceberg_catalog

    folder = Path(sys.argv[1])
    found = size_of_lake(pyiceberg_catalog(folder), folder)
    print(f"{found.all:,} bytes, {found.live:,} of them live: {found.ratio:.2f}")


if __name__ == "__main__":
    main()
