"""The schemas of an environment: one rule gives them to every layer, by the target's schema_prefix.

Environments of one catalog have prefixes of their own, and so never meet. Spark's session and
PyIceberg's catalog carry the prefix of the target that has opened them.
"""

import re
from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

KEY = "schema_prefix"  # of a target in dbt's profile
PROPERTY = "lakemirror.schema-prefix"  # of a session, and of PyIceberg's catalog
RAW, STAGE, OPS = "raw", "stage", "ops"
ALLOWED = re.compile(r"[a-z0-9_]*")


class PrefixError(ValueError):
    """A prefix that no schema's name can begin with."""


@dataclass(frozen=True)
class Layers:
    """The schemas of one environment.

    Attributes:
        prefix: how their names begin; empty for the plain ones.

    >>> Layers("dev_").ops, Layers().raw, Layers("dev_").schema("mirror")
    ('dev_ops', 'raw', 'dev_mirror')
    """

    prefix: str = ""

    def schema(self, name: str) -> str:
        """The schema of a layer, or of a model's ``+schema``."""
        return f"{self.prefix}{name}"

    @property
    def raw(self) -> str:
        return self.schema(RAW)

    @property
    def stage(self) -> str:
        return self.schema(STAGE)

    @property
    def ops(self) -> str:
        return self.schema(OPS)


PLAIN = Layers()


def layers_with(prefix: object) -> Layers:
    """The schemas that a target's ``schema_prefix`` gives; nothing is an empty one.

    Raises:
        PrefixError: it has other characters than a schema's name may begin with.
    """
    text = "" if prefix is None else str(prefix)
    if not ALLOWED.fullmatch(text):
        raise PrefixError(
            f"{KEY}: lower case letters, digits and underscores are expected, and not {text!r}"
        )
    return Layers(text)


def layers_of_raw(schema: str) -> Layers | None:
    """The environment whose raw a schema is; None where its name is no raw's.

    >>> layers_of_raw("prod_raw"), layers_of_raw("others")
    (Layers(prefix='prod_'), None)
    """
    return Layers(schema.removesuffix(RAW)) if schema.endswith(RAW) else None


def environment_of(schema: str, schemas: Collection[str]) -> Layers | None:
    """The environment that a schema is of, by its name; None where it is of none.

    Args:
        schemas: all of the catalog: each environment has a schema ops.

    >>> environment_of("dev_marts", ["ops", "dev_ops", "dev_marts"])
    Layers(prefix='dev_')
    """
    prefixes = [name.removesuffix(OPS) for name in schemas if name.endswith(OPS)]
    found = [prefix for prefix in prefixes if schema.startswith(prefix)]
    return Layers(max(found, key=len)) if found else None


def layers_of_session(session: Any) -> Layers:
    """The schemas of the target that has opened a Spark session."""
    return Layers(session.conf.get(PROPERTY, ""))


def layers_of_catalog(catalog: Any) -> Layers:
    """The schemas of the target that has opened PyIceberg's catalog."""
    return Layers(catalog.properties.get(PROPERTY, ""))
