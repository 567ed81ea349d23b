"""Processes whose clock a test sets: clock.c has how."""

import struct
import subprocess
from pathlib import Path

SOURCE = Path(__file__).with_name("clock.c")


def clock(folder: Path) -> dict[str, str]:
    """The variables of processes that go by the clock of a folder, which is made there."""
    library = folder / "clock.so"
    subprocess.run(["cc", "-shared", "-fPIC", "-o", library, SOURCE, "-ldl"], check=True)
    return {"LD_PRELOAD": str(library), "TEST_CLOCK": str(folder / "clock")}


def set_ahead(folder: Path, seconds: float) -> None:
    """How far the clock of a folder is ahead, from now on."""
    made = struct.pack("=q", int(seconds * 10**9))
    file = folder / "clock"
    if not file.exists():
        file.write_bytes(made)
    with file.open("r+b") as written:  # the same file, which processes have mapped
        written.write(made)
