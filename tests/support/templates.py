"""What many tests begin with, made once in a process and copied: all lakes are in one place."""

import copy
import shutil
from collections.abc import Callable
from typing import TypeVar

from support.lake import Lake

Made = TypeVar("Made")
_made: dict[Callable[[Lake], object], object] = {}


def copied(lake: Lake, make: Callable[[Lake], Made]) -> Made:
    """What ``make`` does in a new lake, and returns: files, and objects that name them."""
    template = lake.folder.with_name(f"{make.__module__}.{make.__qualname__}")
    if make in _made:
        shutil.rmtree(lake.folder)
        shutil.copytree(template, lake.folder)
    else:
        _made[make] = copy.deepcopy(make(lake))
        shutil.copytree(lake.folder, template)
    return copy.deepcopy(_made[make])  # type: ignore[return-value]
