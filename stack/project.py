"""A project for the live sources: this one, without the models of its recorded demo."""

import shutil
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

from stack.services import HOST, PASSWORD, USER, Stack

REPOSITORY = Path(__file__).parents[1]
COPIED = ("models/docs.md", "models/landing", "lint", ".sqlfluff")


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
    (folder / "dbt_project.yml").write_text(text, encoding="utf-8")


def generate(folder: Path, sources: Iterable[str], *options: str) -> None:
    """Write the models of sources that have landed."""
    command = Path(sys.executable).with_name("lakemirror")
    for source in sources:
        arguments = [command, "generate", "--source", source, *options]
        subprocess.run(arguments, cwd=folder, check=True)


def database_urls(stack: Stack) -> dict[str, str]:
    """The URLs of the databases, by the variables of the environment that have them."""
    return {
        "STORE_DATABASE_URL": f"mysql://{USER}:{PASSWORD}@{HOST}:{stack.mariadb.port}/store",
        "CAFE_DATABASE_URL": f"postgresql://postgres@{HOST}:{stack.postgresql.port}/shop",
    }
