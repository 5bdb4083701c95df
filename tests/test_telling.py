from slkmodes.telling import keep_quiet, teller


def test_what_verbose_means(capsys):
    for quiet in (0, False):
        assert teller("Owner", quiet) is keep_quiet
    said = []
    teller("Owner", said.append)("a line")
    assert said == ["a line"]
    assert keep_quiet("a line") is None
    assert capsys.readouterr().out == ""
    for printed in (1, True, 2):
        teller("Owner", printed)("a line")
        assert capsys.readouterr().out == "[Owner] a line\n"
