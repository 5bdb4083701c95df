import shutil
import subprocess
from pathlib import Path

import pytest

pytestmark = pytest.mark.skipif(not shutil.which("make"), reason="no make here")


def test_what_takes_minutes_in_silence_is_announced():
    plan = subprocess.run(
        ["make", "--dry-run", "--always-make", "demo"],
        cwd=Path(__file__).parent.parent,
        capture_output=True,
        text=True,
        check=True,
    ).stdout.splitlines()
    steps = [number for number, line in enumerate(plan) if "pip" in line and "--editable" in line]
    assert len(steps) == 1
    assert "a minute or two" in plan[steps[0] - 1]
