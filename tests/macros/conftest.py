"""The project's macros as Python functions: Jinja2 with StrictUndefined, and neither dbt nor Spark.

dbt renders an undefined name as nothing; here it is an error.
"""

import datetime
import json
import re
from collections.abc import Callable
from functools import cache
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import jinja2
import pytest

from lakemirror.source import types
from lakemirror.source.unavailable import unavailable_texts

MACROS = Path(__file__).parents[2] / "macros"
BLOCKS = ("{% materialization", "{% test")  # of dbt's own, which plain Jinja does not know


class CompilerError(Exception):
    """What exceptions.raise_compiler_error raises."""


class ReturnedError(Exception):
    """Carries what a macro gives to return() out of the macro."""

    def __init__(self, value: Any) -> None:
        self.value = value


class Macros:
    """The project's macros by name; what dbt would tell them is set on this object."""

    def __init__(self) -> None:
        self.columns: list[dict[str, Any]] = []
        self.sent: list[str] = []
        self.debezium: dict[str, Any] = {"connector": "mariadb"}
        self.vars: dict[str, Any] = {
            "metadata_columns": ["_src_read_ts", "_tsc_id"],
            "epochs": [],
        }
        self.config: dict[str, Any] = {}
        self.refs: list[str] = []
        self.context: dict[str, Any] = {
            "adapter": SimpleNamespace(
                source_of=lambda raw: SimpleNamespace(
                    columns=self.declared(),
                    connector=self.debezium["connector"],
                    names=[column["name"] for column in self.columns],
                    gone=[],
                    sent=self.sent,
                ),
                records_sql=lambda raw, clause="": f"{raw} {clause}".rstrip(),
                masked_columns=lambda mirror, view: self.columns,
                landing_of=lambda changes, own: own,
            ),
            "config": SimpleNamespace(
                get=lambda name, default=None: self.config.get(name, default)
            ),
            "exceptions": SimpleNamespace(raise_compiler_error=raise_compiler_error),
            "dict": dict,
            "execute": True,
            "fromjson": json.loads,
            "model": SimpleNamespace(name="mirror_shop__orders"),
            "modules": SimpleNamespace(re=re, datetime=datetime),
            "ref": self.refs.append,
            "return": raise_returned,
            "this": "masked.t",
            "target": SimpleNamespace(schema="default", schema_prefix=""),
            "var": lambda name, default: self.vars.get(name, default),
        }
        self.context["context"] = self.context
        for template in templates():
            # shared: every macro sees the names that the later files add
            module = template.make_module(self.context, shared=True)
            self.context |= {
                name: returning(macro)
                for name, macro in vars(module).items()
                if isinstance(macro, jinja2.runtime.Macro)
            }

    def __getattr__(self, name: str) -> Callable[..., Any]:
        return self.context[name]

    def type(self, data_type: str, **settings: str) -> dict[str, Any]:
        """A source type's encoding; settings are named with _ for Debezium's dots."""
        dotted = {name.replace("_", "."): value for name, value in settings.items()}
        connector, settings = types.settings_of(self.debezium | dotted)
        return types.encoding(data_type, connector, settings).as_dict()

    def declared(self) -> list[dict[str, Any]]:
        connector, settings = types.settings_of(self.debezium)
        encodings = [types.encoding(c["data_type"], connector, settings) for c in self.columns]
        return [
            column
            | {"connector": connector, "type": encoding.as_dict(), "conversion": None}
            | {"unavailable": unavailable_texts(encoding, settings)}
            | {"older": column.get("older", [])}
            | {"former": column.get("former", []), "default": column.get("default")}
            for column, encoding in zip(self.columns, encodings, strict=True)
        ]

    def error(self, name: str, *arguments: Any, **keywords: Any) -> str:
        """The text of the error that the macro must raise."""
        with pytest.raises(CompilerError) as raised:
            self.context[name](*arguments, **keywords)
        return str(raised.value)


@cache
def templates() -> list[jinja2.Template]:
    environment = jinja2.Environment(undefined=jinja2.StrictUndefined, extensions=["jinja2.ext.do"])
    texts = [path.read_text() for path in sorted(MACROS.rglob("*.sql"))]
    return [environment.from_string(t) for t in texts if not any(b in t for b in BLOCKS)]


def returning(macro: jinja2.runtime.Macro) -> Callable[..., Any]:
    def call(*arguments: Any, **keywords: Any) -> Any:
        try:
            return macro(*arguments, **keywords)
        except ReturnedError as returned:
            return returned.value

    return call


def raise_compiler_error(message: str) -> None:
    raise CompilerError(message)


def raise_returned(value: Any) -> None:
    raise ReturnedError(value)


@pytest.fixture
def macros() -> Macros:
    return Macros()


@pytest.fixture
def sql() -> Callable[[str], str]:
    """SQL with every run of whitespace as one space: the layout is not asserted."""
    return lambda text: " ".join(text.split())
