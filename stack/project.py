"""A project for the live sources: this one, without the models of its recorded demo."""

import re
import shutil
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

REPOSITORY = Path(__file__).parents[1]
COPIED = ("models/docs.md", "models/landing", "lint", ".sqlfluff")
SOURCES = {
    "store": ("mariadb", ["--setting", "bigint.unsigned.handling.mode=precise"]),
    "cafe": ("postgresql", []),
}
HEARD = """
    select
        '{source}' as source_name,
        '' as shard,
        min(_src_ts) as heard_from,
        max(_src_ts) as heard_until,
        max(_src_ts) - interval 2 seconds as complete_until,
        'heartbeats' as proof
    from {{{{ landed(ref('stg_{source}__heartbeat')) }}}}
    where _op in ('c', 'u')
"""


def make_project(folder: Path) -> None:
    """Write the project; its sources have no models yet."""
    for name in COPIED:
        target = folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        if (REPOSITORY / name).is_dir():
            shutil.copytree(REPOSITORY / name, target, dirs_exist_ok=True)
        else:
            shutil.copy(REPOSITORY / name, target)
    text = (REPOSITORY / "dbt_project.yml").read_text(encoding="utf-8")
    text = text.replace("topic_sources:\n    vt: commerce", "topic_sources: {}")
    # the topic of a heartbeat says whether its landing has ended
    kept = "[_src_read_ts, _tsc_id, _kfk_topic]"
    text = text.replace("vars:\n", f"vars:\n  metadata_columns: {kept}\n")
    own = "".join(f"      {name}: {{+source_name: {name}}}\n" for name in SOURCES)
    text = re.sub(r"      shop: .*\n      commerce: .*\n", own, text)
    (folder / "dbt_project.yml").write_text(text, encoding="utf-8")


def generate(folder: Path, sources: Iterable[str]) -> None:
    """Write the models of sources that have landed, watermarks first, so that days come too."""
    chosen = list(sources)
    command = Path(sys.executable).with_name("lakemirror")
    for run in (1, 2):  # what watermarks selects from comes with the first
        for source in chosen:
            connector, options = SOURCES[source]
            given = ["--source", source, "--connector", connector, *options]
            subprocess.run([command, "generate", *given], cwd=folder, check=True)
        if run == 1:
            heard = "union all".join(HEARD.format(source=source) for source in chosen)
            file = folder / "models/ops/watermarks.sql"
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(heard, encoding="utf-8")
