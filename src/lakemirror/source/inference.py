"""A connector's settings, by what its events show: each is told, or open, and never guessed.

Every value of a column whose source type is known fits some of the settings and not others. What
is left when all have been looked at is the settings; where more than one is left, and a value could
be read as two, somebody has to say which (``Inference.questions``).
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations, product
from typing import Any

from lakemirror.source import wire
from lakemirror.source.placeholder import Placeholder
from lakemirror.source.types import PLACEHOLDER, SETTINGS
from lakemirror.source.wire import BINARY, DECIMAL, FORMAT, INTERVAL, MONEY, TIME, UNSIGNED, Form

# settings that have a say in one another's values
GROUPS = ((DECIMAL, UNSIGNED, FORMAT, MONEY), (TIME,), (BINARY,), (INTERVAL,))
NEAR = 86_400  # seconds: a time this close to its event's own is of that moment
PROOFS = 2  # so many values of such times prove a unit
Choice = tuple[str, ...]  # a value of each setting of a group


@dataclass(frozen=True)
class Column:
    """A column of a source table, as far as it is known.

    Attributes:
        table: with its source's name, as messages say it: ``shop.orders``.
        data_type: the source's own; None where its Connect schema alone is known.
        connect: its Connect schema; None where there is none.
        spellings: other names that events have for it.
        since: the source's time, in seconds, before which it was of another type.
    """

    table: str
    name: str
    data_type: str | None
    connect: Mapping[str, Any] | None = None
    spellings: tuple[str, ...] = ()
    since: float | None = None

    def __str__(self) -> str:
        return f"{self.table}.{self.name}"


@dataclass
class Seen:
    """What a column's values show: the forms that all of them fit.

    Attributes:
        settings: those that have a say.
        forms: by choice of a value of each.
        fits: the forms that all values fit.
        proven: those of them that times prove: see prove_units.
        example: the value that the last form was taken away by; the newest one before that.
        count: how many values were looked at.
        strange: a value that fits no form.
        strangers: how many of the values fit none.
        is_doubtful: a value was a decimal's text, and its base64 as well.
        other: a value that fits forms, and none of those that are left.
        by_schema: the Connect schema has told the form.
        every: the forms, each once.
        is_dated: one of them is of datetimes in units.
        near: by form, values that are times close to their events' own.
        ordinary: by form, how many values are times of the years 1 to 9999.
    """

    column: Column
    settings: tuple[str, ...]
    forms: dict[Choice, Form]
    fits: set[Form]
    proven: set[Form] | None = None
    example: Any = None
    count: int = 0
    strange: Any = None
    strangers: int = 0
    is_doubtful: bool = False
    other: Any = None
    other_forms: set[Form] = field(default_factory=set)
    by_schema: bool = False
    every: tuple[Form, ...] = ()
    is_dated: bool = False
    near: dict[Form, set[int]] = field(default_factory=dict)
    ordinary: dict[Form, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.every = tuple(dict.fromkeys(self.forms.values()))
        self.is_dated = any(form.name == "datetime_units" for form in self.every)

    @property
    def left(self) -> set[Form]:
        return self.proven or self.fits

    @property
    def is_told(self) -> bool:
        return len(self.left) == 1

    @property
    def is_strange(self) -> bool:
        """Whether there are values, and none of them tells anything."""
        return self.strangers > 0 and self.example is None and not self.by_schema

    @property
    def is_settled(self) -> bool:
        """Whether no value is read as two, whatever else comes."""
        return self.agree(self.left)

    def agree(self, forms: Iterable[Form]) -> bool:
        """Whether no value is read as two in these forms."""
        pairs = combinations(forms, 2)
        return all(wire.agree(one, other, self.is_doubtful) for one, other in pairs)

    def choices(self, forms: Iterable[Form] | None = None) -> set[Choice]:
        wanted = self.left if forms is None else {*forms}
        return {choice for choice, form in self.forms.items() if form in wanted}

    def said(self, setting: str, forms: Iterable[Form] | None = None) -> list[str]:
        """The values of a setting that are left, in Debezium's order."""
        place = self.settings.index(setting)
        found = {choice[place] for choice in self.choices(forms)}
        return [choice for choice in dict.fromkeys(c[place] for c in self.forms) if choice in found]

    def look(self, value: Any, time: float | None) -> None:
        """Take a value that is not null into account."""
        if isinstance(value, list):
            for element in value:
                if element is not None and not isinstance(element, list):
                    self.look(element, time)
            return
        if self.is_dated and isinstance(value, int) and abs(value) > wire.INFINITE:
            return
        every = {form for form in self.every if form.fits(value)}
        self.count += 1
        if not every:
            self.strange = value if self.strange is None else self.strange
            self.strangers += 1
            return
        if len(every) > 1 and {"decimal_text", "decimal_bytes"} <= {form.name for form in every}:
            self.is_doubtful = True
        if self.by_schema and not every & self.fits:
            return
        self.narrow(every, value)
        for form in every:
            if form.name == "datetime_units" and isinstance(value, int):
                self.look_at_time(form, value, time)

    def narrow(self, fits: set[Form], value: Any) -> None:
        if not fits:
            return
        if not fits & self.fits:
            if self.other is None:
                self.other, self.other_forms = value, fits
            return
        if self.example is None or not self.fits <= fits:
            self.example = value
        self.fits &= fits

    def look_at_time(self, form: Form, value: int, time: float | None) -> None:
        seconds = form.seconds(value)
        is_ordinary = wire.YEAR_1 <= seconds < wire.YEAR_10000
        self.ordinary[form] = self.ordinary.get(form, 0) + is_ordinary
        if time is not None and abs(seconds - time) <= NEAR:
            values = self.near.setdefault(form, set())
            if len(values) < PROOFS:
                values.add(value)


@dataclass(frozen=True)
class Learned:
    """A setting that the events tell, and what they tell it by: columns, and a value of each."""

    setting: str
    value: str
    source: str

    def __str__(self) -> str:
        return f"{self.setting}={wire.printable(self.value)}: from {self.source}"


@dataclass(frozen=True)
class Inference:
    """What events tell of a connector's settings.

    Attributes:
        settings: what they are to be read with: those that were given, and those that differ from
            Debezium's own.
        learned: the settings that the events tell, Debezium's own among them.
        open: settings of which several are left, and no value is read as two; a line each.
        questions: settings that somebody has to say, since a value could be read as two, or none
            sends a column's values.
        strange: values that no setting sends; a line a column.
        conflicts: what does not go together, by setting: what was given and what the events show,
            or two columns.
    """

    settings: dict[str, str]
    learned: list[Learned] = field(default_factory=list)
    open: list[str] = field(default_factory=list)
    questions: list[str] = field(default_factory=list)
    strange: list[str] = field(default_factory=list)
    conflicts: list[str] = field(default_factory=list)


class Evidence:
    """What the values of a source's columns show, taken in one after the other."""

    def __init__(self, connector: str, columns: Iterable[Column], given: Mapping[str, str]) -> None:
        self.connector, self.given = connector, dict(given)
        self.known = SETTINGS[connector]
        self.groups = [tuple(n for n in group if n in self.known) for group in GROUPS]
        self.seen: dict[str, list[Seen]] = {}
        self.placeholder: Placeholder | None = None
        if PLACEHOLDER in self.known:
            placeholder = self.given.get(PLACEHOLDER) or self.known[PLACEHOLDER][0]
            self.placeholder = Placeholder(placeholder, PLACEHOLDER in self.given)
        for column in columns:
            self.add(column)

    def add(self, column: Column) -> None:
        if self.placeholder and column.data_type:
            spellings = (column.name, *column.spellings)
            self.placeholder.add(column.table, str(column), spellings, column.data_type)
        names = wire.settings_for(column.data_type, column.connect, self.connector)
        if not names:
            return
        values = [self.known[name] for name in names]
        forms = {
            choice: wire.form_of(
                column.data_type,
                column.connect,
                self.connector,
                {
                    **{n: v[0] for n, v in self.known.items()},
                    **dict(zip(names, choice, strict=True)),
                },
            )
            for choice in product(*values)
        }
        seen = Seen(column, tuple(names), forms, {*forms.values()})
        told = {form for form in seen.fits if column.connect and wire.is_told(form, column.connect)}
        if column.data_type is not None and told and told < seen.fits:
            seen.fits, seen.by_schema = told, True
        self.seen.setdefault(column.table, []).append(seen)

    def tables(self) -> list[str]:
        """The tables that have something to show."""
        return sorted({*self.seen, *(self.placeholder.columns if self.placeholder else ())})

    def look(
        self,
        table: str,
        row: Mapping[str, Any],
        time: float | None,
        before: Mapping[str, Any] | None = None,
    ) -> None:
        """Take the row of an event into account.

        Args:
            time: the source's, in seconds.
            before: of an update, what its event tells of the row before; None of other events.
        """
        for seen in self.seen.get(table, ()):
            column = seen.column
            if column.since is not None and (time is None or time < column.since):
                continue
            value = value_of(row, column)
            if value is not None and not self.is_unsent(value):
                seen.look(value, time)
        if self.placeholder:
            self.placeholder.look(table, row, before)

    def is_unsent(self, value: Any) -> bool:
        """Whether it stands for a value that was not sent."""
        return self.placeholder is not None and self.placeholder.is_unsent(value)

    def is_settled(self, table: str) -> bool:
        """Whether no value of a table can be read as two, and of each column one was seen."""
        every = self.seen.get(table, ())
        is_open = self.placeholder is not None and self.placeholder.is_open(table)
        return not is_open and all(s.example is not None and s.is_settled for s in every)

    def wanting(self) -> dict[str, list[Column]]:
        """By table, those of them on which a setting hangs that would have to be asked for."""
        asked = {name for group in self.groups for name in self.asked(group)}
        found: dict[str, list[Column]] = {}
        for table, of_table in self.seen.items():
            for seen in of_table:
                if not seen.is_settled and asked & {*seen.settings}:
                    found.setdefault(table, []).append(seen.column)
        return found

    def all(self, group: Sequence[str]) -> list[Seen]:
        found = [seen for of_table in self.seen.values() for seen in of_table]
        return [seen for seen in found if {*seen.settings} & {*group}]

    def asked(self, group: Sequence[str]) -> list[str]:
        """The settings of a group that somebody would have to say."""
        columns = self.all(group)
        prove_units(columns)
        return to_ask(columns, group, self.left(group, columns))

    def left(self, group: Sequence[str], columns: Sequence[Seen]) -> list[Choice]:
        """The choices of a group that what was given and all columns allow."""
        return [choice for choice in self.choices(group) if all_allow(columns, group, choice)]

    def choices(self, group: Sequence[str], given: bool = True) -> list[Choice]:
        values = [
            (self.given[name],) if given and name in self.given else self.known[name]
            for name in group
        ]
        return [*product(*values)]

    def result(self) -> Inference:
        """What all that was looked at tells."""
        made = Inference(dict(self.given))
        for group in self.groups:
            self.conclude(group, made)
        self.conclude_placeholder(made)
        return made

    def conclude(self, group: Sequence[str], made: Inference) -> None:
        columns = self.all(group)
        if not columns:
            return
        prove_units(columns)
        every = self.choices(group, given=False)
        there = [choice for choice in every if all_allow(columns, group, choice)]
        left = [choice for choice in there if choice in {*self.choices(group)}]
        contrary = [seen for seen in columns if seen.other is not None]
        if not there:
            made.conflicts.append(contradiction(columns, group, every))
        elif not left:
            made.conflicts.extend(self.disagreements(group, columns, there))
        elif any(name not in self.given for seen in contrary for name in seen.settings[:1]):
            made.conflicts.extend(map(two_forms, contrary))
        else:
            self.name_settings(group, columns, there, left, made)

    def name_settings(
        self,
        group: Sequence[str],
        columns: Sequence[Seen],
        there: Sequence[Choice],
        left: Sequence[Choice],
        made: Inference,
    ) -> None:
        """Say of each setting of a group what it is, or ask for it.

        Args:
            there: the choices that all columns allow.
            left: those of them that what was given allows.
        """
        unknown = [seen for seen in columns if self.is_unknown(seen)]
        asked = [*to_ask(columns, group, left), *(seen.settings[0] for seen in unknown)]
        doubtful = [*disputed(columns, group, left), *unknown]
        said: set[int] = set()  # columns of which it is said that settings are open
        questioned: set[int] = set()
        for place, name in enumerate(group):
            having = [seen for seen in columns if name in seen.settings]
            values = [*dict.fromkeys(choice[place] for choice in left)]
            if not having:
                continue
            if name in asked:
                about = [seen for seen in doubtful if name in seen.settings]
                made.questions.append(question(name, about[0], values))
                questioned.add(id(about[0]))
                continue
            if len({choice[place] for choice in there}) == 1:
                made.learned.append(Learned(name, values[0], source_of(name, having)))
            elif len(values) > 1:
                mattering = [
                    seen
                    for seen in having
                    if not seen.is_strange and matters(seen, group, left, place)
                ]
                if mattering and not {*map(id, mattering)} <= said:
                    made.open.append(not_told(name, values, mattering))
                    said |= {*map(id, mattering)}
            if values[0] != self.known[name][0]:
                made.settings.setdefault(name, values[0])
        made.strange.extend(
            unsent_by_any(seen) for seen in columns if seen.strangers and id(seen) not in questioned
        )

    def is_unknown(self, seen: Seen) -> bool:
        """Whether a column's values fit nothing, and nobody has said how they come."""
        return seen.is_strange and seen.settings[0] not in self.given

    def disagreements(
        self, group: Sequence[str], columns: Sequence[Seen], there: Sequence[Choice]
    ) -> Iterator[str]:
        """Of what was given, what the events do not have."""
        for name in group:
            place = group.index(name)
            values = [*dict.fromkeys(choice[place] for choice in there)]
            if name in self.given and self.given[name] not in values:
                having = [seen for seen in columns if name in seen.settings]
                yield (
                    f"{name} is given as {self.given[name]}, and the events show "
                    f"{' or '.join(values)}: {source_of(name, having)}"
                )
                return
        names = [name for name in group if name in self.given]
        given = ", ".join(f"{name}={self.given[name]}" for name in names)
        having = [seen for seen in columns if names[0] in seen.settings]
        yield f"{given} do not go together with the events: {source_of(names[0], having)}"

    def conclude_placeholder(self, made: Inference) -> None:
        if not self.placeholder:
            return
        conflict, question = self.placeholder.conflict(), self.placeholder.question()
        made.conflicts.extend([conflict] if conflict else [])
        made.questions.extend([question] if question else [])
        if told := self.placeholder.told():
            text, column = told
            made.learned.append(Learned(PLACEHOLDER, text, f"{column}, which is no JSON"))
            made.settings[PLACEHOLDER] = text


def value_of(row: Mapping[str, Any], column: Column) -> Any:
    for name in (column.name, *column.spellings):
        if name in row:
            return row[name]
    return None


def all_allow(columns: Iterable[Seen], group: Sequence[str], choice: Choice) -> bool:
    return all(form_at(seen, group, choice) in seen.left for seen in columns)


def form_at(seen: Seen, group: Sequence[str], choice: Choice) -> Form:
    """A column's form with a choice of a whole group."""
    return seen.forms[tuple(choice[group.index(name)] for name in seen.settings)]


def disputed(columns: Sequence[Seen], group: Sequence[str], left: Sequence[Choice]) -> list[Seen]:
    """The columns of which a value could be read as two with the choices that are left."""
    found = []
    for seen in columns:
        forms = [*dict.fromkeys(form_at(seen, group, choice) for choice in left)]
        if not seen.agree(forms):
            found.append(seen)
    return sorted(found, key=lambda seen: seen.example is None)


def to_ask(columns: Sequence[Seen], group: Sequence[str], left: Sequence[Choice]) -> list[str]:
    """The settings of a group without which a value could be read as two, the first ones first."""
    asked, parts = [], [[*left]]
    for place, name in enumerate(group):
        parted = []
        for part in parts:
            values = [*dict.fromkeys(choice[place] for choice in part)]
            about = [s for s in disputed(columns, group, part) if name in s.settings]
            if len(values) > 1 and any(matters(seen, group, part, place) for seen in about):
                asked.append(name)
                parted += [[c for c in part if c[place] == value] for value in values]
            else:
                parted.append(part)
        parts = parted
    return [*dict.fromkeys(asked)]


def matters(seen: Seen, group: Sequence[str], left: Sequence[Choice], place: int) -> bool:
    """Whether the values of a setting are those of different forms of a column."""
    forms: dict[str, set[Form]] = {}
    for choice in left:
        forms.setdefault(choice[place], set()).add(form_at(seen, group, choice))
    return len({frozenset(of_value) for of_value in forms.values()}) > 1


def prove_units(columns: Sequence[Seen]) -> None:
    """What tells the units of datetimes apart beside their digits and ranges.

    A time within a day of its event's own is of that moment: another unit would have put it years
    away. And a unit that puts all datetimes of a source behind the year 9999 is not its unit.
    """
    dated = [seen for seen in columns if seen.ordinary]
    choices = {choice for seen in dated for choice in seen.forms}
    # of how many values a choice makes a time of the years 1 to 9999
    ordinary = {
        choice: sum(seen.ordinary.get(seen.forms[choice], 0) for seen in dated)
        for choice in choices
    }
    for seen in dated:
        seen.proven = None
        near = [form for form, values in seen.near.items() if values]
        if len(near) == 1 and len(seen.near[near[0]]) >= PROOFS and near[0] in seen.fits:
            seen.proven = {near[0]}
        elif any(ordinary.values()):
            likely = {seen.forms[choice] for choice in choices if ordinary[choice]}
            seen.proven = seen.fits & likely or None


def contradiction(columns: Sequence[Seen], group: Sequence[str], choices: Sequence[Choice]) -> str:
    """The first two columns that no choice allows together."""
    left, before = [*choices], columns[0]
    for seen in columns:
        kept = [choice for choice in left if form_at(seen, group, choice) in seen.left]
        if not kept:
            break
        if len(kept) < len(left):
            before = seen
        left = kept
    name = next((n for n in seen.settings if n in before.settings), seen.settings[0])
    return (
        f"no {name} fits all columns: {before.column}, {wire.shown(before.example)}, is "
        f"{' or '.join(before.said(name)) if name in before.settings else 'another'}; "
        f"{seen.column}, {wire.shown(seen.example)}, is {' or '.join(seen.said(name))}. Two "
        "connectors need two sources (the var topic_sources)"
    )


def readings(seen: Seen) -> str:
    """What a number of a datetime is in each unit that is left."""
    forms = [form for form in seen.left if form.name == "datetime_units"]
    if not isinstance(seen.example, int) or len(forms) < 2:
        return ""
    units = {form.limits[0]: wire.date_text(form.seconds(seen.example)) for form in forms}
    return ", which is " + " or ".join(f"{day} in {unit}" for unit, day in sorted(units.items()))


def source_of(name: str, columns: Sequence[Seen]) -> str:
    """The columns that tell a setting, and how: as few as it takes."""
    told, left = [], {*columns[0].said(name, columns[0].forms.values())}
    for seen in sorted(columns, key=lambda seen: len(seen.said(name))):
        kept = left & {*seen.said(name)}
        if len(kept) < len(left):
            told.append(seen)
        left = kept
    return " and ".join(f"{seen.column}, {how(seen)}" for seen in told or columns[:1])


def how(seen: Seen) -> str:
    """What of a column tells a setting: a value, or its Connect schema."""
    if seen.by_schema and (seen.example is None or seen.is_told):
        connect = seen.column.connect or {}
        return f"whose Connect schema says {connect.get('name') or connect.get('type')}"
    return wire.shown(seen.example)


def two_forms(seen: Seen) -> str:
    name = seen.settings[0]
    first, second = seen.said(name), seen.said(name, seen.other_forms)
    return (
        f"{seen.column} comes in two ways: {wire.shown(seen.example)} is {name}="
        f"{' or '.join(first)}, {wire.shown(seen.other)} is {' or '.join(second)}. Was the "
        "connector set otherwise before, or the column of another type? What it is now goes "
        f"first: --setting {name}={first[0]}"
    )


def question(name: str, seen: Seen, values: Sequence[str]) -> str:
    """What somebody has to say, by a column and a value of it."""
    kind = f" ({seen.column.data_type})" if seen.column.data_type else ""
    answers = " or ".join(f"--setting {name}={value}" for value in values)
    if seen.is_strange:
        return (
            f"{name} cannot be told: {seen.column}{kind} has {wire.shown(seen.strange)}, which "
            "none of its values sends. Say in YAML which type the column has in its events, or how "
            f"the connector is set: {answers}"
        )
    if seen.example is None:
        shows = "has no value yet that would tell it"
    else:
        shows = f"has {wire.shown(seen.example)}{readings(seen)}"
    return (
        f"{name} cannot be told: {seen.column}{kind} {shows}. Say how the connector is set: "
        f"{answers}"
    )


def unsent_by_any(seen: Seen) -> str:
    """How many values of a column come otherwise than with any value of its setting."""
    kind = f" ({seen.column.data_type})" if seen.column.data_type else ""
    return (
        f"{seen.strangers} of {seen.count} values of {seen.column}{kind} come with no "
        f"{seen.settings[0]}, such as {wire.shown(seen.strange)}: those that cannot be decoded go "
        "to the quarantine"
    )


def not_told(name: str, values: Sequence[str], columns: Sequence[Seen]) -> str:
    """What a setting is taken to be that other values would do for as well, so far."""
    others = " or ".join(values[1:])
    found = next((seen for seen in columns if seen.example is not None), None)
    if found is None:
        return f"{name}={values[0]}: no value of {columns[0].column} has come that would tell it"
    return (
        f"{name}={values[0]}: {found.column}, {wire.shown(found.example)}, would be the same with "
        f"{others}"
    )
