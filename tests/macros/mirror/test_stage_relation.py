from datetime import UTC, datetime
from types import SimpleNamespace


def test_every_run_has_a_batch_of_its_own(macros):
    clock = SimpleNamespace(now=lambda zone: datetime(2026, 1, 31, 23, 59, 5, tzinfo=zone))
    macros.context["modules"].datetime = SimpleNamespace(datetime=clock)
    macros.context["modules"].pytz = SimpleNamespace(utc=UTC)
    macros.context["invocation_id"] = "0123456789abcdef"
    macros.context["api"] = SimpleNamespace(Relation=SimpleNamespace(create=dict))
    target = SimpleNamespace(schema="mirror", identifier="shop__orders")
    name = {"identifier": "mirror__shop__orders__20260131t235905_01234567"}
    assert macros.stage_relation(target) == name | {"schema": "stage"}
    assert macros.stage_relation(target, is_cached=True) == name | {"schema": None}
