from slkmodes.cli import main


def test_three_clouds(folder, capsys):
    assert main(["suggest-k", "points.csv", "--min", "2", "--max", "5", "--exclude", "name,city"]) == 0
    printed = capsys.readouterr().out.splitlines()
    assert len(printed) == 5
    assert printed[-1].split(maxsplit=1)[1] == "slkmodes fit points.csv -k 3, and the same options"
    assert [line for line in printed if line.endswith("<- suggested")] == [printed[1]]
    assert printed[1].startswith("    3 clusters  score")


def test_for_programs(folder, tell):
    told = tell("suggest-k", "points.csv", "--min", "2", "--max", "4")
    assert told["n_clusters"] == 3
    assert told["candidates"] == [2, 3, 4]
    assert len(told["scores"]) == 3


def test_one_cloud(folder, capsys):
    import numpy as np

    np.save("a.npy", np.random.default_rng(0).normal(size=(80, 2)))
    assert main(["suggest-k", "a.npy", "--max", "3"]) == 0
    assert "No number stands out: the data may well be one cloud." in capsys.readouterr().out


def test_errors(folder, fail):
    code, message = fail("suggest-k", "points.csv", "--min", "5", "--max", "4")
    assert (code, "--min 5 must not be more than --max 4." in message) == (2, True)
