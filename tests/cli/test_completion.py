import shutil
import subprocess

import pytest

from slkmodes.cli import main

SHELLS = {"bash": ["bash", "-n"], "zsh": ["zsh", "-n"], "fish": ["fish", "--no-execute"]}


def script(shell, capsys):
    assert main(["completion", shell]) == 0
    return capsys.readouterr().out


@pytest.mark.parametrize("shell", SHELLS)
def test_every_command_and_option_is_in_it(shell, capsys):
    text = script(shell, capsys)
    for word in ("fit", "suggest-k", "reproduce", "top-memberships", "no-report", "cosine", "fish"):
        assert word in text


@pytest.mark.parametrize("shell", SHELLS)
def test_the_shell_understands_it(shell, capsys, tmp_path):
    text = script(shell, capsys)
    if shutil.which(shell) is None:
        pytest.skip(f"{shell} is not installed")
    (tmp_path / "script").write_text(text)
    done = subprocess.run([*SHELLS[shell], tmp_path / "script"], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.skipif(shutil.which("bash") is None, reason="bash is not installed")
@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["sug"], ["suggest-k"]),
        (["fit", "--top"], ["--top-memberships"]),
        (["fit", "--scale", ""], ["none", "standard", "unit"]),
        (["fit", "x.csv", "--metric", "c"], ["cosine"]),
        (["completion", "b"], ["bash"]),
        (["fit", "poi"], ["points.csv"]),
        (["demo", "poi"], ["points.csv"]),
    ],
)
def test_bash_completes(folder, capsys, words, expected):
    asked = " ".join(f"'{word}'" for word in ["slkmodes", *words])
    ask = f'COMP_WORDS=({asked}); COMP_CWORD={len(words)}; _slkmodes; printf "%s\\n" "${{COMPREPLY[@]}}"'
    done = subprocess.run(["bash", "-c", script("bash", capsys) + ask], capture_output=True, text=True, cwd=folder)
    assert done.stdout.split() == expected


def test_another_shell(fail):
    code, message = fail("completion", "tcsh")
    assert (code, "invalid choice: 'tcsh'" in message) == (2, True)
