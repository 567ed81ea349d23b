"""Which setting of a connector a value that cannot be decoded looks like."""

from typing import Any

from lakemirror.source import types, wire
from lakemirror.source.types import Settings


def value_in(event: str | None, column: str) -> Any:
    """A column's value in the JSON of an event, as ``wire.parsed`` has it; None where it has none.

    >>> value_in('{"payload": {"before": null, "after": {"price": "12.50"}}}', "price")
    '12.50'
    """
    found = wire.event_of(event or "")
    image = found.get("after") or found.get("before")
    return image.get(column) if isinstance(image, dict) else None


def likely_settings(data_type: str, connector: str, settings: Settings, value: Any) -> list[str]:
    """The settings, each with another value than now, by which a column's values look like one.

    Args:
        data_type: the column's type at the source.
        settings: all of the connector's, as ``types.settings_of`` gives them.
        value: of the column, as ``wire.parsed`` has it.

    >>> now = types.settings_of({"connector": "mariadb"})[1]
    >>> likely_settings("decimal(10,2)", "mariadb", now, "12.50")
    ['decimal.handling.mode=string']
    >>> likely_settings("int(11)", "mariadb", now, "12.50")
    []
    """
    found = []
    for name in wire.settings_for(data_type, None, connector):
        now = wire.form_of(data_type, None, connector, settings)
        for choice in types.SETTINGS[connector][name]:
            form = wire.form_of(data_type, None, connector, {**settings, name: choice})
            if form != now and form.fits(value):
                found.append(f"{name}={choice}")
    return found
