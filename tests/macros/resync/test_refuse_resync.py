import pytest


@pytest.mark.parametrize(
    ("mode", "existing", "problem"),
    [
        (True, "mirror.t", "is dry_run or apply, and not True"),
        ("dry_run", None, "there is no mirror to resync yet"),
    ],
)
def test_what_cannot_be_resynced(macros, mode, existing, problem):
    said = macros.error("refuse_resync", mode, existing, "mirror_t")
    assert problem in said
    assert "dbt run --select mirror_t" in said


@pytest.mark.parametrize(("mode", "existing"), [(None, None), ("apply", "mirror.t")])
def test_what_can_run(macros, mode, existing):
    macros.refuse_resync(mode, existing, "mirror_t")
