"""Other types in the lake than lakemirror's own, for all tables of a source.

A value is decoded exactly first (lakemirror.source.types) and converted after that; what has no
place in the other type is lost and counted, as a value that cannot be decoded.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from typing import Any
from zoneinfo import available_timezones

from lakemirror.source.types import FAMILIES, Encoding, Settings, TypeMappingError, encoding, parsed

ALL, OWN = "*", "default"
TARGET = re.compile(r"string|boolean|int|bigint|decimal\((\d+),(\d+)\)|timestamp|timestamp_ntz")
TARGETS = "string, boolean, int, bigint, decimal(p,s), timestamp, timestamp_ntz, or default"
WHOLE = {"int": 10, "bigint": 19}
SAME = {
    "bool": "boolean",
    "bpchar": "char",
    "character": "char",
    "character varying": "varchar",
    "float4": "real",
    "float8": "double precision",
    "int2": "smallint",
    "int4": "int",
    "int8": "bigint",
    "integer": "int",
    "numeric": "decimal",
    "varbit": "bit varying",
}


@dataclass(frozen=True)
class LakeTypes:
    """What a source's types become in the lake.

    Attributes:
        targets: the lake's type by the source's, spelled as ``named`` does; ``*`` is all others.
        time_zone: the one that times without a zone are of, where they become instants or instants
            become them.
    """

    targets: Mapping[str, str] = field(default_factory=dict)
    time_zone: str | None = None


def lake_types_of(meta: Mapping[str, Any], connector: str) -> LakeTypes:
    """What a source's ``config.meta`` says: ``lake_types`` and ``time_zone``.

    Raises:
        TypeMappingError: all that cannot be meant so.
    """
    given, zone = meta.get("lake_types") or {}, meta.get("time_zone")
    if not isinstance(given, Mapping):
        raise TypeMappingError(
            "config.meta.lake_types has a type in the lake for each type at the source"
        )
    problems, targets = [], {}
    for spelled, target in given.items():
        known, wanted = FAMILIES[connector], re.sub(r"\s", "", str(target).lower())
        try:
            name = named(str(spelled))
            base = parsed(str(spelled).removesuffix("[]")).name if name != ALL else ALL
        except TypeMappingError:
            problems.append(f"config.meta.lake_types: {spelled} is the name of no type")
            continue
        if base != ALL and base not in known:
            close = get_close_matches(base, known, n=1)
            asked = f"; did you mean {close[0]}?" if close else ""
            problems.append(f"config.meta.lake_types: {connector} has no type {spelled}{asked}")
        if wanted != OWN and not TARGET.fullmatch(wanted):
            problems.append(f"config.meta.lake_types: {spelled} is {target}, and can be {TARGETS}")
        if name in targets:
            problems.append(f"config.meta.lake_types names {name} twice")
        targets[name] = wanted
    if zone is not None and zone not in available_timezones():
        close = get_close_matches(str(zone), available_timezones(), n=1)
        asked = f"; did you mean {close[0]}?" if close else ""
        problems.append(f"config.meta.time_zone {zone!r} is no time zone{asked}")
    if problems:
        raise TypeMappingError("; ".join(problems))
    return LakeTypes(targets, zone)


def named(data_type: str) -> str:
    """One spelling for each type.

    >>> named("NUMERIC(10, 2)"), named("timestamp(6) with time zone"), named("int4[]")
    ('decimal(10,2)', 'timestamptz(6)', 'int[]')
    """
    text = " ".join(data_type.lower().split())
    if text == ALL or text.endswith("[]"):
        return text if text == ALL else named(text[:-2]) + "[]"
    source = parsed(text)
    name = SAME.get(source.name, source.name)
    if source.is_zoned and not name.endswith("tz"):
        name += "tz"
    digits = f"({','.join(map(str, source.digits))})" if source.digits else ""
    return name + digits + (" unsigned" if source.is_unsigned else "")


def converted(
    found: Encoding, data_type: str | None, connector: str, settings: Settings, wanted: LakeTypes
) -> dict[str, Any]:
    """What a column becomes after it has been decoded.

    Args:
        found: how it is decoded.
        data_type: its type at the source; None where only its Connect schema is known.
        settings: all of the connector's.

    Returns:
        ``lake``, the type in the lake, and as ``conversion`` the macro of macros/lake_types with
        what it takes, or None.

    Raises:
        TypeMappingError: it would not keep the value, or it is not clear which type is meant.
    """
    own = re.sub(r"\s", "", found.lake)
    if data_type is None:
        target = target_of_any(alike(found, connector, settings), wanted)
    else:
        target = target_of(data_type, wanted)
    if target in (None, OWN, own):
        return {"lake": found.lake, "conversion": None}
    return {"lake": target, "conversion": conversion(found, own, str(target), data_type, wanted)}


def target_of(data_type: str, wanted: LakeTypes) -> str | None:
    """The type that is wanted: of the whole spelling, else without digits or sign, else of all."""
    whole = named(data_type)
    plain = re.sub(r"\(.*?\)", "", whole)
    spelled = (whole, whole.removesuffix(" unsigned"), plain, plain.removesuffix(" unsigned"), ALL)
    return next((wanted.targets[name] for name in spelled if name in wanted.targets), None)


def target_of_any(names: list[str], wanted: LakeTypes) -> str | None:
    """The type that is wanted of whichever of some types it is.

    Raises:
        TypeMappingError: they become different ones.
    """
    targets = {name: target_of(name, wanted) for name in names}
    if len({*targets.values()}) > 1:
        meant = sorted(name for name in targets if named(name) in wanted.targets)
        raise TypeMappingError(
            f"config.meta.lake_types names {', '.join(meant)}, and its Connect schema does not "
            "tell whether it is that: give its data_type in YAML, or let lakemirror generate ask "
            "the database (--database-env)"
        )
    return next(iter(targets.values()), wanted.targets.get(ALL))


def alike(found: Encoding, connector: str, settings: Settings) -> list[str]:
    """The types of a connector that come as this one, for a column whose own is not known."""
    names = []
    for name in FAMILIES[connector]:
        for spelled in (name, f"{name}(8)", f"{name}(10,2)", f"{name} unsigned"):
            try:
                other = encoding(spelled, connector, settings)
            except TypeMappingError:
                continue
            if kind_of(other) == kind_of(found):
                names.append(named(spelled))
    return [*dict.fromkeys(names)]


def kind_of(found: Encoding) -> tuple[str, str]:
    """What an encoding tells of the type, whatever mode it came in."""
    return found.family.partition("_of_")[0], found.lake.partition("(")[0].partition("<")[0]


def conversion(
    found: Encoding, own: str, target: str, data_type: str | None, wanted: LakeTypes
) -> dict[str, Any]:
    """The macro that converts, and what it takes.

    Raises:
        TypeMappingError: a value would not be kept.
    """
    source = parsed(data_type) if data_type and not data_type.rstrip().endswith("[]") else None
    if target == "string":
        return text_of(found, own, source.digit(1) if source and source.name == "bit" else 0)
    if target == "boolean" and own in WHOLE:
        return {"macro": "boolean_of_number"}
    if {own, target} == {"timestamp", "timestamp_ntz"}:
        if wanted.time_zone is None:
            raise TypeMappingError(
                f"it is {own}, and config.meta.lake_types makes it {target}: config.meta.time_zone "
                "says in which zone its times are (UTC, Asia/Seoul)"
            )
        macro = "instant_of_local" if target == "timestamp" else "local_of_instant"
        return {"macro": macro, "time_zone": wanted.time_zone}
    if keeps(own, target):
        return {"macro": "cast_as", "lake": target}
    raise TypeMappingError(
        f"it is {own} in the lake, and config.meta.lake_types makes it {target}, which does not "
        "keep its values: string does, and default leaves it"
    )


def keeps(own: str, target: str) -> bool:
    """Whether a number is the same in another type, or has no room there."""
    scales = {name: int(found[1]) for name in (own, target) if (found := scale_of(name))}
    own_scale = 0 if own in WHOLE else scales.get(own)
    target_scale = 0 if target in WHOLE else scales.get(target)
    return own_scale is not None and target_scale is not None and own_scale <= target_scale


def scale_of(name: str) -> re.Match[str] | None:
    return re.fullmatch(r"decimal\(\d+,(\d+)\)", name)


def text_of(found: Encoding, own: str, bits: int) -> dict[str, Any]:
    """How a decoded value is written.

    Args:
        bits: how many a bit(n) has; 0 for what is no bit.
    """
    if own.startswith(("array<", "struct<")):
        return {"macro": "text_of_nested"}
    if own == "binary":
        return {"macro": "text_of_binary"}
    if own == "timestamp":
        return {"macro": "text_of_instant"}
    if found.family.startswith("time_of_"):
        return {"macro": "text_of_time"}
    if found.family == "number_of_bits":
        return {"macro": "bits_of_number", "length": found.options["bits"]}
    if bits == 1 and own == "boolean":
        return {"macro": "bit_of_boolean"}
    return {"macro": "cast_as", "lake": "string"}
