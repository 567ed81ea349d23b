"""The recorded tables of all types, and what the connectors sent that the databases do not hold."""

from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any

Cells = dict[int, dict[str, Any]]
EPOCH = datetime(1970, 1, 1)
MARIADB = {
    "t_int": "id int(11), b1 tinyint(1), ti tinyint(4), tiu tinyint(3) unsigned, si smallint(6), "
    "siu smallint(5) unsigned, mi mediumint(9), miu mediumint(8) unsigned, i int(11), "
    "iu int(10) unsigned, bi bigint(20), biu bigint(20) unsigned, izf int(6) unsigned zerofill",
    "t_num": "id int(11), d0 decimal(5,0), d2 decimal(12,2), d10 decimal(38,10), "
    "d65 decimal(65,30), du decimal(10,2) unsigned, f float, dbl double, f72 float(7,2), "
    "d184 double(18,4)",
    "t_str": "id int(11), c char(5), vc varchar(50), tt tinytext, t text, lt longtext, "
    "l1 varchar(20), e enum('small','x'), s set('a','b'), j longtext, u uuid",
    "t_bin": "id int(11), bt1 bit(1), bt10 bit(10), bt64 bit(64), b4 binary(4), "
    "vb varbinary(20), bl blob, pt point",
    "t_time": "id int(11), d date, dt datetime, dt3 datetime(3), dt6 datetime(6), ts timestamp, "
    "ts3 timestamp(3), ts6 timestamp(6), tm time, tm6 time(6), y year(4)",
    "t_zero": "id int(11), d date, dn date, dt datetime, dtn datetime, ts timestamp, tsn timestamp",
}
LOST_UUID = "00123e45-67e8-9b12-d3a4-564266141740"
ZERO = {"dn": EPOCH.date(), "dtn": EPOCH, "tsn": EPOCH.replace(tzinfo=UTC)}
# the connector's own differences (README of the recordings)
MARIADB_SENT: dict[str, Cells] = {
    # a snapshot has six digits of a float
    "t_num": {
        2: {"f": -3.40282001837565597900e38},
        3: {"f": 3.40282001837565597900e38},
        7: {"f": 16777200.0},
    },
    "t_str": {1: {"u": LOST_UUID}, 11: {"u": LOST_UUID}, 12: {"e": "x\\,y"}},
    "t_time": {5: {"y": 2000, "dt": datetime(1582, 10, 20)}, 15: {"y": 1900}},
    "t_zero": {1: ZERO, 11: ZERO | {"ts": EPOCH.replace(tzinfo=UTC)}},
}
# enable.time.adjuster: the year 1 becomes 2001
ADJUSTED = {
    "d": date(2001, 1, 1),
    "dt": datetime(2001, 1, 1),
    "dt3": datetime(2001, 1, 1, 0, 0, 0, 1000),
    "dt6": datetime(2001, 1, 1, 0, 0, 0, 1),
}
MARIADB_ADJUSTED = MARIADB_SENT | {"t_time": MARIADB_SENT["t_time"] | {2: ADJUSTED, 12: ADJUSTED}}
STRINGS = {
    "decimal.handling.mode": "string",
    "bigint.unsigned.handling.mode": "precise",
    "binary.handling.mode": "hex",
}
POSTGRES = {
    "t_num": "id integer, si smallint, i integer, bi bigint, n numeric, n0 numeric(5,0), "
    "n10 numeric(38,10), r real, d double precision, b boolean, m money, o oid",
    "t_special": "id integer, n numeric, np numeric(10,2), r real, d double precision, dt date, "
    "ts timestamp without time zone, tstz timestamp with time zone",
    "t_str": "id integer, c character(5), vc character varying(50), ct citext, by bytea, u uuid, "
    "j json, jb jsonb, x xml, mo enum, hs hstore, lt ltree, pi integer, inet_ inet, cidr_ cidr, "
    "mac macaddr, bt bit(1), bt10 bit(10), vbt bit varying(12)",
    "t_time": "id integer, t time without time zone, t3 time(3) without time zone, "
    "ttz time with time zone, ts0 timestamp(0) without time zone, "
    "ts3 timestamp(3) without time zone, tstz timestamp with time zone",
    "t_arr": "id integer, ia integer[], ta text[], na numeric(6,2)[], ba boolean[], da date[], "
    "tza timestamp with time zone[], ua uuid[], ma enum[], r4 int4range, rts tstzrange",
}
# a snapshot's money is a double
BILLIONS = Decimal("92233720368547760.00")
POSTGRES_SENT: dict[str, Cells] = {"t_num": {3: {"m": BILLIONS}}}


def tables(columns: dict[str, str]) -> dict[str, tuple[str, list[str]]]:
    return {table: (text, ["id"]) for table, text in columns.items()}
