import json
import re
import sys
from base64 import b64decode, b64encode
from hashlib import sha256
from html.parser import HTMLParser

import numpy as np
import pandas as pd
import pytest

from slkmodes import LaplacianKModes
from slkmodes.report import collect, render, write_report
from slkmodes.report.rendering import _charts
from tests.report.conftest import HOSTILE

VOID = {"meta", "link", "img", "input", "br", "wbr"}


class Page(HTMLParser):
    """Elements as a browser sees them: names, attributes, texts; complains of elements that are not closed."""

    def __init__(self, html):
        super().__init__()
        self.elements, self.text, self.raw, self.open = [], [], {}, []
        self.feed(html)
        assert self.open == []

    def handle_starttag(self, tag, attributes):
        self.elements.append((tag, dict(attributes)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.elements.append((tag, dict(attributes)))

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if self.open and self.open[-1] in {"script", "style"}:
            self.raw.setdefault(self.open[-1], []).append(data)
        else:
            self.text.append(data)

    def count(self, tag):
        return sum(name == tag for name, _ in self.elements)


def data_of(page):
    return json.loads(page.raw["script"][0])


@pytest.fixture
def collected(blobs, model):
    return collect(model, layout=blobs[0], labels=blobs[1])


def test_the_page_says_what_was_collected(collected):
    html = render(collected)
    page = Page(html)
    text = " ".join(page.text)
    assert "90 samples in 3 clusters" in text
    assert "The modes stopped changing." in text
    assert [attributes["id"] for tag, attributes in page.elements if tag == "section"] == [
        *("overview", "map", "clusters", "boundaries", "scores", "graph", "course", "parameters"),
    ]
    assert sum(attributes.get("class", "").startswith("cluster ") for tag, attributes in page.elements) == 3
    assert html == render(collected)  # the same again, to the byte


def test_the_script_gets_the_points(collected):
    data = data_of(Page(render(collected)))
    points = collected["map"]
    for name, dtype in [("x", "<u2"), ("clusters", "<u2"), ("confidences", "u1"), ("classes", "<u2")]:
        assert np.frombuffer(b64decode(data[name]), dtype=dtype).tolist() == points[name]
    assert data["rows"] is None
    assert data["modes"] == [record["mode"] for record in collected["clusters"]]
    assert data["samples"] == collected["samples"]


def test_pictures_are_stored_once(blobs, model):
    images = np.random.default_rng(0).integers(0, 256, (90, 6, 6), dtype=np.uint8)
    collected = collect(model, images=images, layout=blobs[0])
    page = Page(render(collected))
    in_page = [attributes["src"] for tag, attributes in page.elements if tag == "img"]
    stored = [about["image"] for about in data_of(page)["samples"].values()]
    assert sorted({*in_page, *stored}) == sorted(about["image"] for about in collected["samples"].values())
    assert not set(in_page) & set(stored)


def test_the_policy_names_exactly_the_style_and_the_script(collected):
    page = Page(render(collected))
    policy = next(a["content"] for tag, a in page.elements if a.get("http-equiv") == "Content-Security-Policy")
    hashes = {
        kind: "sha256-" + b64encode(sha256(page.raw[kind][-1].encode()).digest()).decode()
        for kind in ("script", "style")
    }
    assert policy == (
        f"default-src 'none'; script-src '{hashes['script']}'; style-src '{hashes['style']}'; img-src data:; "
        "base-uri 'none'; form-action 'none'"
    )
    assert not any("style" in attributes or "onclick" in attributes for _, attributes in page.elements)


def test_nothing_is_loaded_from_anywhere(collected):
    page = Page(render(collected))
    for text in (*page.raw["style"], page.raw["script"][1]):
        assert not re.search(r"https?:|@import|url\(|fetch\(|XMLHttp|WebSocket|import\(", text)
    for tag, attributes in page.elements:
        for name in ("src", "href"):
            assert attributes.get(name, "#").startswith(("#", "data:")), (tag, attributes)


def test_few_clusters_have_whole_numbers_and_hubs_are_seen(collected):
    charts = _charts(collected)
    assert [tick["text"] for tick in charts["sizes"]["x_ticks"]] == ["1", "2", "3"]
    assert [tick["text"] for tick in charts["edges"]["y_ticks"]] == ["1", "10"]


def test_long_names_may_be_broken_after_dots(blobs, model):
    names = np.array(["comp.sys.mac_hardware", "<b>/x", "c"])[blobs[1]]
    html = render(collect(model, layout=blobs[0], labels=names))
    assert "comp.<wbr>sys.<wbr>mac_<wbr>hardware" in html
    assert "&lt;b&gt;/<wbr>x" in html


def hostile_report(blobs, **options):
    frame = pd.DataFrame(blobs[0], columns=[HOSTILE, "b" + HOSTILE])
    frame[HOSTILE + "words"] = HOSTILE
    model = LaplacianKModes(3, random_state=0).fit(blobs[0])
    labels = np.array([HOSTILE, "b" + HOSTILE, "c"])[blobs[1]]
    return collect(model, frame, labels=labels, title=HOSTILE, layout=blobs[0], **options)


@pytest.mark.parametrize("options", [{}, {"texts": [HOSTILE] * 90}])
def test_what_users_write_stays_text(blobs, options):
    html = render(hostile_report(blobs, **options))
    page = Page(html)
    assert page.count("script") == 2
    assert page.count("img") == 0
    assert not any("onerror" in attributes for _, attributes in page.elements)
    assert "<title>&lt;/script&gt;" in html
    assert "49" not in page.text[0]
    data = page.raw["script"][0]
    assert not set("<>&\u2028\u2029") & set(data)
    assert HOSTILE in json.dumps(data_of(page), ensure_ascii=False)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_seventy_thousand_points_stay_below_five_megabytes(tmp_path):
    """Noise for pictures: no compression helps."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(70_000, 2)) + rng.integers(0, 12, size=(70_000, 1))
    first = np.arange(12) * 5000
    model = LaplacianKModes(12, laplacian_weight=1.0, affinity="binary", init=first, max_iter=1, max_sweeps=2).fit(X)
    images = rng.integers(0, 256, (70_000, 20, 20), dtype=np.uint8)
    path = write_report(model, tmp_path / "report.html", images=images, labels=model.labels_, layout=X)
    assert 1_000_000 < path.stat().st_size < 5_000_000
    assert np.frombuffer(b64decode(data_of(Page(path.read_text("utf-8")))["x"]), "<u2").size == 70_000


def test_a_report_is_whole_or_not_there(tmp_path, model, blobs):
    path = tmp_path / "new" / "report.html"
    assert write_report(model, str(path), layout=blobs[0], title="\ud800 half a letter") == path
    before = path.read_bytes()
    with pytest.raises(ValueError, match="kind"):
        write_report(model, path, kind="sounds")
    assert path.read_bytes() == before
    assert [file.name for file in path.parent.iterdir()] == ["report.html"]


def test_without_jinja_the_extra_is_named(monkeypatch, collected, model):
    monkeypatch.setitem(sys.modules, "jinja2", None)
    monkeypatch.setitem(sys.modules, "markupsafe", None)
    with pytest.raises(ImportError, match=r"The report needs Jinja2: pip install 'slkmodes\[report\]'"):
        render(collected)
    assert "<svg" in model._repr_html_()  # a notebook does without
