from types import SimpleNamespace

import pytest


class Table:
    is_view = False

    def __str__(self):
        return "mirror.o"


class View(Table):
    is_view = True


@pytest.fixture
def refuse(macros):
    def error(existing, full_refresh, is_rebuild):
        macros.context["flags"] = SimpleNamespace(FULL_REFRESH=full_refresh)
        return macros.error("refuse_to_lose", existing, is_rebuild, "mirror_o")

    return error


def test_a_full_refresh_names_the_command_that_is_meant(refuse):
    assert "dbt run --full-refresh --select mirror_o --vars '{allow_full_refresh: true}'" in refuse(
        Table(), True, False
    )


def test_a_view_is_left(refuse):
    assert "mirror_o: mirror.o is a view" in refuse(View(), False, False)


@pytest.mark.parametrize(
    ("existing", "full_refresh", "is_rebuild"),
    [(None, True, False), (Table(), False, False), (Table(), True, True)],
)
def test_a_first_run_and_a_rebuild_are_let_through(macros, existing, full_refresh, is_rebuild):
    macros.context["flags"] = SimpleNamespace(FULL_REFRESH=full_refresh)
    macros.refuse_to_lose(existing, is_rebuild, "mirror_o")
