"""Java's archive of the classes that Spark loads (class data sharing): with it, a JVM starts with
half the work.

It is made once, when jars have been resolved. A JVM that it does not fit, since Java or Spark is
another one now, goes on without.
"""

import sys
import tempfile
from hashlib import sha256
from pathlib import Path

import pyspark

from lakemirror.jars import FOLDER, class_path
from lakemirror.lake import catalog_settings, embedded, jvm_settings

JAVA_OPTIONS = "spark.driver.extraJavaOptions"
QUICK = "-XX:TieredStopAtLevel=1"  # of these options: never the optimizing compiler
# what each run does: tables are made, rows are written, merged, parsed and read
STATEMENTS = (
    "create namespace first",
    "create table first.t (id int, v string) using iceberg tblproperties ('format-version' = '2')",
    "insert into first.t select id, to_json(named_struct('v', id)) from range(3)",
    """merge into first.t using (
        select *, row_number() over (partition by id order by v) as rank
        from values (2, '{"v": 7}'), (3, '{"v": 8}') as new (id, v)
    ) as new on t.id = new.id
    when matched and rank = 1 then update set v = new.v
    when not matched then insert (id, v) values (new.id, new.v)""",
    "select max(from_json(v, 'v int').v), count(*) from first.t group by id % 2 order by 1",
    "select * from first.t.snapshots",
)


def archive(jars: str) -> Path:
    """Where the archive of a class path is, or would be."""
    digest = sha256(f"{pyspark.__version__}:{jars}".encode()).hexdigest()
    return FOLDER / f"classes-{digest[:12]}.jsa"


def java_option(jars: str) -> str:
    """What tells a JVM of the archive of its class path; empty where there is none."""
    made = archive(jars)
    return f'"-XX:SharedArchiveFile={made}"' if made.exists() else ""


def record(jars: str) -> None:
    """Let a JVM do what each run does, and write down the classes that it has loaded."""
    from pyspark import SparkConf, SparkContext
    from pyspark.java_gateway import launch_gateway
    from pyspark.sql import SparkSession

    made = archive(jars)
    with tempfile.TemporaryDirectory(prefix="classes-", dir=FOLDER) as folder:
        written = Path(folder) / made.name
        settings = {
            **catalog_settings(embedded(Path(folder))),
            **jvm_settings(jars, "local[1]"),
            "spark.master": "local[1]",
            "spark.app.name": "lakemirror",
            "spark.ui.enabled": "false",
            "spark.sql.warehouse.dir": folder,
            JAVA_OPTIONS: f'{QUICK} "-XX:ArchiveClassesAtExit={written}"',
        }
        conf = SparkConf(loadDefaults=False).setAll(list(settings.items()))
        gateway = launch_gateway(conf)
        session = SparkSession(SparkContext(conf=conf, gateway=gateway))
        for statement in STATEMENTS:
            session.sql(statement).collect()
        session.stop()
        gateway.shutdown()
        gateway.proc.stdin.close()
        gateway.proc.wait(timeout=300)
        written.replace(made)


if __name__ == "__main__":
    record(sys.argv[1] if sys.argv[1:] else class_path())
