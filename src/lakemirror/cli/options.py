"""The options that all commands on a lake have: which target of dbt's profile is meant."""

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from inspect import Parameter, signature
from typing import Annotated, Any

import typer

OPTIONS = {
    "target": (
        "DBT_TARGET",
        Annotated[
            str | None,
            typer.Option(metavar="NAME", help="The target of dbt's profile, whose lake is meant."),
        ],
    ),
    "profiles_dir": (
        "DBT_PROFILES_DIR",
        Annotated[
            str | None, typer.Option(metavar="PATH", help="The folder that has profiles.yml.")
        ],
    ),
}


def of_project(function: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command the options ``--target`` and ``--profiles-dir``, as dbt's commands have them.

    What they say goes over DBT_TARGET and DBT_PROFILES_DIR while the command runs.
    """

    @wraps(function)
    def run(*arguments: Any, **options: Any) -> Any:
        given = {variable: options.pop(name, None) for name, (variable, _) in OPTIONS.items()}
        with environment(given):
            return function(*arguments, **options)

    own = signature(function)
    added = [
        Parameter(name, Parameter.KEYWORD_ONLY, default=None, annotation=kind)
        for name, (_, kind) in OPTIONS.items()
    ]
    more: Any = run
    more.__signature__ = own.replace(parameters=[*own.parameters.values(), *added])
    more.__annotations__ = {**function.__annotations__, **{a.name: a.annotation for a in added}}
    return run


@contextmanager
def environment(given: dict[str, str | None]) -> Iterator[None]:
    """Variables of the environment, for a while; None leaves one as it is."""
    before = {name: os.environ.get(name) for name, value in given.items() if value is not None}
    os.environ.update({name: value for name, value in given.items() if value is not None})
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value
