"""What a table needs so that a query's rows fit in it, decided before anything is written."""

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

from lakemirror.state.technical import is_technical

WIDER = {("int", "bigint"), ("float", "double")}
DIGITS = {"int": 10, "bigint": 19}
FORMER = "__v1"
VERSION = re.compile(r".+__v[0-9]+")
NOT_TEXT = ("binary", "array", "map", "struct")

Columns = Sequence[Mapping[str, str]]


@dataclass(frozen=True)
class Rules:
    """How changes are met.

    Attributes:
        key: columns whose values must stay comparable: no other type, no other name.
        renamed: a column's former names by its name, the newest first.
        dropped: columns that the source has no more, though its older changes have them.
        on_drop: ``keep`` a column that the query lacks, null from then on, or ``drop`` it.
        on_type_conflict: ``fail``, ``new_column`` or ``string``.
    """

    key: Collection[str] = ()
    renamed: Mapping[str, Sequence[str]] = field(default_factory=dict)
    dropped: Collection[str] = ()
    on_drop: str = "keep"
    on_type_conflict: str = "fail"


@dataclass
class Evolution:
    """What to do, and the rows' columns then.

    Attributes:
        names: the columns that each row has, as the table spells them.
        places: the table's column by the query's.
        fitted: name and expression of those that are not the query's as it gives them.
        replaced: the query's columns that these are made of.
        added: names of columns that are new.
        adds: these columns; where there are any, the last statement adds them.
        renamed: the names that the table has for columns which it renames, by the new one.
        statements: what follows ``alter table <name>``, in order.
        lines: what a run says about it.
        problems: what cannot be done without a loss; then nothing is.
    """

    names: list[str] = field(default_factory=list)
    places: dict[str, str] = field(default_factory=dict)
    fitted: list[dict[str, str]] = field(default_factory=list)
    replaced: list[str] = field(default_factory=list)
    added: list[str] = field(default_factory=list)
    adds: list[Mapping[str, str]] = field(default_factory=list)
    renamed: dict[str, str] = field(default_factory=dict)
    statements: list[str] = field(default_factory=list)
    lines: list[str] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)


def widens(old: str, new: str) -> bool:
    """Whether Iceberg changes a type in place: no value changes, nor the bucket that it is in.

    >>> widens("decimal(10,2)", "decimal(12,2)"), widens("decimal(10,2)", "decimal(12,3)")
    (True, False)
    """
    decimals = [re.fullmatch(r"decimal\((\d+),(\d+)\)", kind) for kind in (old, new)]
    if all(decimals):
        (old_digits, old_scale), (digits, scale) = (map(int, d.groups()) for d in decimals if d)
        return scale == old_scale and digits > old_digits
    return (old, new) in WIDER


def holds(wide: str, narrow: str) -> bool:
    """Whether each value of a type is one of another.

    >>> holds("bigint", "int"), holds("decimal(20,0)", "bigint"), holds("int", "bigint")
    (True, True, False)
    """
    whole = re.fullmatch(r"decimal\((\d+),0\)", wide)
    is_whole = whole is not None and int(whole[1]) >= DIGITS.get(narrow, 99)
    return wide == narrow or widens(narrow, wide) or is_whole


def can_cast(old: str, new: str) -> bool:
    """Whether a cast makes of a type's values what a database makes of them when a column gets
    another type; a decimal may have no room for some.

    >>> can_cast("decimal(10,2)", "decimal(10,3)"), can_cast("bigint", "int")
    (True, False)
    >>> can_cast("int", "decimal(20,4)"), can_cast("date", "string")
    (True, True)
    """
    if new.startswith("decimal("):
        return old in DIGITS or old.startswith("decimal(")
    if new == "string":
        return old in (*DIGITS, "string", "date") or old.startswith("decimal(")
    return holds(new, old) or (old, new) == ("date", "timestamp_ntz")


def is_text(kind: str) -> bool:
    """Whether a type's values have a text that tells them apart."""
    return not kind.startswith(NOT_TEXT)


def quoted(name: str) -> str:
    """A name as one identifier, whatever characters it has."""
    return "`{}`".format(name.replace("`", "``"))


def plan(there: Columns, wanted: Columns, own: Columns, rules: Rules) -> Evolution:
    """What a table needs for a query's rows.

    Args:
        there: the table's columns: name and data_type.
        wanted: the query's.
        own: what the table has beside the query's columns.
    """
    found = Evolution()
    table = {column["name"].lower(): dict(column) for column in there}
    kinds = {column["name"].lower(): column["data_type"] for column in wanted}
    gone = {n.lower() for n in rules.dropped} if rules.on_drop == "drop" else set()
    keys = {name.lower() for name in rules.key}
    newest = {
        old.lower(): name
        for name, former in rules.renamed.items()
        for old in former
        if name.lower() in table
    }
    added: list[Mapping[str, str]] = []
    widened: list[Mapping[str, str]] = []
    matched: set[str] = {column["name"].lower() for column in own}

    for column in wanted:
        name, kind = column["name"], column["data_type"]
        if name.lower() in gone:
            continue
        rename(found, table, kinds, rules, name)
        place = target_of(table, kinds, newest.get(name.lower(), name), kind)
        if place is None and name.lower() in table:
            place = settle(found, table, kinds, rules, column, is_key=name.lower() in keys)
            if place is None:
                continue
        if place is None or place["name"].lower() not in table:
            place = place or {"name": name, "data_type": kind}
            table[place["name"].lower()] = place
            added.append(place)
        elif widens(place["data_type"], kind):
            found.lines.append(f"widens {name} from {place['data_type']} to {kind}")
            place["data_type"] = kind
            widened.append(place)
        matched.add(place["name"].lower())
        fit(found, column, place)
    added += [column for column in own if column["name"].lower() not in table]
    for rest in [column for name, column in table.items() if name not in matched]:
        is_kept = is_technical(rest["name"]) or VERSION.fullmatch(rest["name"])
        if rules.on_drop == "drop" and not is_kept:
            found.statements.append(f"drop column {quoted(rest['name'])}")
            found.lines.append(f"drops {rest['name']}")
        else:
            found.names.append(rest["name"])
            found.fitted.append(made(rest["name"], f"cast(null as {rest['data_type']})"))
    if widened:
        changes = (f"{quoted(column['name'])} type {column['data_type']}" for column in widened)
        found.statements.append(f"alter column {', '.join(changes)}")
    if added:
        columns = (f"{quoted(column['name'])} {column['data_type']}" for column in added)
        found.statements.append(f"add columns ({', '.join(columns)})")
        found.added, found.adds = [column["name"] for column in added], added
        found.lines += [f"adds {column['name']} {column['data_type']}" for column in added]
    return found


def rename(
    found: Evolution,
    table: dict[str, dict[str, str]],
    kinds: Mapping[str, str],
    rules: Rules,
    name: str,
) -> None:
    """Give a column its new name, where the table has it under the former one."""
    former = [old.lower() for old in rules.renamed.get(name, ())]
    old = next((old for old in former if old in table), former[0] if former else "")
    base = name.lower().removesuffix(FORMER)
    if (
        base in table
        and kinds.get(base) == "string" != table[base]["data_type"] == kinds[name.lower()]
    ):
        old = base  # another table's column has been made text before
    elif old in kinds:
        return
    if name.lower() in table or old not in table:
        return
    if old in {key.lower() for key in rules.key}:
        found.problems.append(f"{old} is in the key and cannot be renamed to {name}")
        return
    found.lines.append(f"renames {table[old]['name']} to {name}")
    move(found, table, old, name)


def move(found: Evolution, table: dict[str, dict[str, str]], old: str, name: str) -> None:
    """Let the column at ``old``, a name in lower case, have another name."""
    column = table.pop(old)
    found.statements.append(f"rename column {quoted(column['name'])} to {quoted(name)}")
    found.renamed[name] = column["name"]
    table[name.lower()] = {"name": name, "data_type": column["data_type"]}


def target_of(
    table: Mapping[str, dict[str, str]], kinds: Mapping[str, str], name: str, kind: str
) -> dict[str, str] | None:
    """The column that holds a query's: of its name, or one that a type conflict has made."""
    places = [table[n] for n in versions(table, kinds, name)]
    return next(
        (p for p in places if holds(p["data_type"], kind) or widens(p["data_type"], kind)), None
    )


def versions(table: Collection[str], kinds: Mapping[str, str], name: str) -> list[str]:
    """The table's columns name__v3, name__v2 and name, the newest first."""
    found = [name.lower()] if name.lower() in table else []
    number = 2
    while (version := f"{name.lower()}__v{number}") in table and version not in kinds:
        found.insert(0, version)
        number += 1
    return found


def settle(
    found: Evolution,
    table: dict[str, dict[str, str]],
    kinds: Mapping[str, str],
    rules: Rules,
    column: Mapping[str, str],
    is_key: bool,
) -> dict[str, str] | None:
    """Where values go whose type the table's column cannot have; None with a problem."""
    name, kind = column["name"], column["data_type"]
    there = table[name.lower()]
    can_be_text = is_text(kind) and is_text(there["data_type"])
    if rules.on_type_conflict == "new_column" and not is_key:
        number = len(versions(table, kinds, name)) + 1
        return {"name": f"{name}__v{number}", "data_type": kind}
    if rules.on_type_conflict == "string" and can_be_text and not is_key:
        if there["data_type"] != "string":
            former = there["name"] + FORMER
            if former.lower() in table or former.lower() in kinds:
                found.problems.append(f"there is a column {former} already")
                return None
            found.lines.append(f"makes {name} text; its {there['data_type']} is {former} now")
            move(found, table, name.lower(), former)
        return {"name": there["name"], "data_type": "string"}
    found.problems.append(f"{name} is {there['data_type']} and would become {kind}")
    return None


def fit(found: Evolution, column: Mapping[str, str], place: Mapping[str, str]) -> None:
    """Give a row the value of the query's column under the name and the type of the table's."""
    found.names.append(place["name"])
    found.places[column["name"]] = place["name"]
    if (column["name"], column["data_type"]) != (place["name"], place["data_type"]):
        value = quoted(column["name"])
        if column["data_type"] != place["data_type"]:
            value = f"cast({value} as {place['data_type']})"
        found.fitted.append(made(place["name"], value))
        found.replaced.append(column["name"])


def projected(
    there: Columns, wanted: Columns, rules: Rules, defaults: Mapping[str, str]
) -> list[dict[str, str]]:
    """Each of a table's columns, by name and expression, from rows with other columns.

    A column that they lack has the value of ``defaults``, or is null.
    """
    found = plan(there, wanted, [], rules)
    values = {column["name"]: column["expression"] for column in found.fitted}
    for column in there:
        name, kind = column["name"], column["data_type"]
        if values.get(name) == f"cast(null as {kind})" and name in defaults:
            values[name] = f"cast({defaults[name]} as {kind})"
    return [made(c["name"], values.get(c["name"], quoted(c["name"]))) for c in there]


def made(name: str, expression: str) -> dict[str, str]:
    return {"name": name, "expression": expression}


def fills(before: Columns, now: Columns, defaults: Mapping[str, str]) -> list[dict[str, str]]:
    """The columns that rows from before must get a value of, by name and expression.

    Args:
        before: the table's columns when it was last written with its bookmark: what it has got
            since is null in all of its rows, however often a run has died in between.
        now: the table's columns, or what they will be.
        defaults: expressions by name.
    """
    known = {column["name"].lower(): column["data_type"] for column in before}
    names = {column["name"].lower(): column for column in now}
    found = []
    for name, column in names.items():
        kind, old = column["data_type"], known.get(name)
        former = names.get(name + FORMER)
        if old is not None and (old == kind or widens(old, kind)):
            continue
        if kind == "string" and former and old == former["data_type"]:
            value = f"cast({quoted(former['name'])} as string)"
        elif old is None and column["name"] in defaults:
            value = f"cast({defaults[column['name']]} as {kind})"
        else:
            continue
        found.append(made(column["name"], value))
    return found
