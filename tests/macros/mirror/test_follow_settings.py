from types import SimpleNamespace

import pytest
from dbt_common.exceptions import DbtRuntimeError

from dbt.adapters.lakemirror.impl import LakemirrorAdapter as Adapter

MIRROR = SimpleNamespace(
    schema="mirror", identifier="t", incorporate=lambda path: f"mirror.{path['identifier']}"
)


def followed(macros, shown, partitioning, properties):
    """What is run and said of a table with these properties."""
    did = []
    adapter = macros.context["adapter"]
    there = {"properties": {"format-version": "2", **shown}, "partitioning": partitioning}
    adapter.described = lambda table: there
    adapter.changed_properties = lambda *given: Adapter.changed_properties(None, *given)
    adapter.has_buckets = lambda *given: Adapter.has_buckets(None, *given)
    adapter.execute_until_committed = lambda text: did.append(" ".join(text.split()))
    macros.context["log"] = lambda text, info: did.append("log")
    macros.context["exceptions"].warn = lambda text: did.append("warning")
    settings = {"properties": properties, "buckets": 4, "bucket_by": "a`b"}
    macros.follow_settings(MIRROR, "mirror.t__tombstones", settings, "mirror_t")
    return did


def test_nothing_has_changed(macros):
    shown = {"x": "a,b=c", "y": "1"}
    assert followed(macros, shown, ["bucket(4, `a``b`)"], {"x": "a,b=c", "y": 1}) == []


def test_the_table_is_changed_last(macros):
    """F32: a run that dies in between finds the same to do."""
    tombstones, table, said = followed(macros, {"x": "1", "y": "10"}, ["bucket(4, a`b)"], {"y": 1})
    assert tombstones.startswith("alter table mirror.t__tombstones set tblproperties ( 'y' = '1',")
    assert "'write.merge.mode' = 'copy-on-write'" in tombstones
    assert table.endswith("set tblproperties ( 'y' = '1' )")
    assert said == "log"


def test_other_buckets_are_told(macros):
    assert followed(macros, {"y": "1"}, ["bucket(2, a`b)"], {"y": 1}) == ["warning"]
    assert followed(macros, {"y": "1"}, [], {"y": 1}) == ["warning"]


def test_no_version_goes_back(macros):
    with pytest.raises(DbtRuntimeError, match="configure format_version=3"):
        followed(macros, {"format-version": "3"}, [], {"format-version": 2})
