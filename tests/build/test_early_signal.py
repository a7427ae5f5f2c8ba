"""A signal that comes while the program's libraries start."""

import os
import shutil
import signal
import subprocess
from pathlib import Path

import pytest

PROGRAM = Path(os.environ["MEHLER_PROGRAM"])

SIGNAL_AT_START = """
#include <signal.h>
#include <unistd.h>
__attribute__((constructor)) static void at_start(void) { kill(getpid(), %d); }
"""


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_before_main_ends_the_program_as_one_after_it_does(tmp_path, number):
    compiler = shutil.which("cc") or shutil.which("c++")
    (tmp_path / "early.c").write_text(SIGNAL_AT_START % number)
    subprocess.run([compiler, "-shared", "-fPIC", "-o", "early.so", "early.c"], cwd=tmp_path, check=True)
    environment = {**os.environ, "LD_PRELOAD": str(tmp_path / "early.so"), "ASAN_OPTIONS": "verify_asan_link_order=0"}
    waiting = ["schema", "init", "-", "-o", "draft.json"]  # for a table that does not come
    reader, writer = os.pipe()
    try:
        result = subprocess.run(
            [PROGRAM, *waiting], stdin=reader, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=60
        )
    finally:
        os.close(reader)
        os.close(writer)
    assert result.returncode == 130
    assert "stopped on request; nothing was written" in result.stderr
    assert {path.name for path in tmp_path.iterdir()} == {"early.c", "early.so"}
