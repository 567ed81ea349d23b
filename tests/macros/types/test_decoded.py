import re
from pathlib import Path

import pytest

from lakemirror.source import types

EXPRESSIONS = {
    "int(11)": "v",
    "varchar(255)": "v",
    "bigint(20) unsigned": ("cast(if(v < 0, v + 18446744073709551616, v) as decimal(20,0))"),
    "date": "if(v >= -2440588, date_from_unix_date(v), null)",
    "time": "v",
    "datetime": """
        if(
            v > -9223372036000000000 and v < 9223372036000000000,
            cast(timestamp_micros(try_multiply(v, 1000L)) as timestamp_ntz), null
        )""",
    "datetime(6)": """
        if(
            v > -9223372036000000000 and v < 9223372036000000000,
            cast(timestamp_micros(v) as timestamp_ntz), null
        )""",
    "timestamp": """
        if(
            contains(v, '-') and not (length(v) > 27 and v rlike '[.][0-9]{6}[0-9]*[1-9]'),
            try_cast(v as timestamp), null
        )""",
}


@pytest.mark.parametrize(("data_type", "expression"), EXPRESSIONS.items())
def test_value_of_a_type(macros, sql, data_type, expression):
    assert sql(macros.decoded("v", macros.type(data_type))) == sql(expression)


def test_a_type_without_a_sign_has_no_number_below_zero(macros, sql):
    found = macros.decoded("v", macros.type("decimal(4,1)", decimal_handling_mode="double"))
    assert found.count("try_cast(v as decimal(4,1))") > 0
    assert ">= 0" not in found
    unsigned = macros.decoded(
        "v", macros.type("decimal(4,1) unsigned", decimal_handling_mode="double")
    )
    assert sql(unsigned) == sql(f"if({found} >= 0, {found}, null)")


def test_every_family_has_its_macro(macros):
    source = Path(types.__file__).read_text(encoding="utf-8")
    families = set(re.findall(r'"((?!as_read)\w+_of_\w+)"', source)) - {"time_of_"}
    assert len(families) > 20
    assert {name for name in families if name not in macros.context} == set()
    assert {f"time_of_{name}" for name in types.STRUCTURES} <= macros.context.keys()
