import shlex

import pytest

from slkmodes.cli.main import build_parser
from slkmodes.tables.names import excluding, named_of, quoted


@pytest.mark.parametrize(
    ("names", "option"),
    [
        (("width", "height"), "--exclude width,height"),
        (("",), """--exclude '""'"""),
        (("", "a"), """--exclude '"",a'"""),
        (("a, b", "c"), """--exclude '"a, b",c'"""),
        (('5" pipe',), """--exclude '"5"" pipe"'"""),
        (("it's", "$HOME"), """--exclude 'it'"'"'s,$HOME'"""),
        (("two\nlines",), """--exclude '"two\nlines"'"""),
        (("-1",), "--exclude=-1"),
    ],
)
def test_what_messages_say_can_be_pasted(names, option):
    assert excluding(names) == option
    given = build_parser()[0].parse_args(["fit", "a.csv", *shlex.split(option)])
    assert given.exclude == names


def test_few_of_many_names():
    assert named_of([str(i) for i in range(10)]) == "0, 1, 2, 3, 4, 5, 6, 7 and 2 more"
    assert named_of(["", "a,b", "c"]) == '"", "a,b", c'
    assert quoted("a b") == "a b"
