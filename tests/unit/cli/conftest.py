"""Commands of the tests read no variable that whoever runs them has set."""

import pytest


@pytest.fixture(autouse=True)
def no_variables(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("LAKEMIRROR_LAKE", "DBT_PROFILES_DIR", "DBT_TARGET", "DBT_TARGET_PATH"):
        monkeypatch.delenv(name, raising=False)
