"""The report in a real browser: Chromium without a window, driven by selenium."""

import shutil

import numpy as np
import pytest

from slkmodes import LaplacianKModes
from slkmodes.report import collect, render
from tests.report.conftest import HOSTILE
from tests.report.test_rendering import hostile_report

webdriver = pytest.importorskip("selenium.webdriver")
from selenium.webdriver import ActionChains, Keys  # noqa: E402

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
CHROMEDRIVER = shutil.which("chromedriver")

pytestmark = pytest.mark.skipif(
    not (CHROMIUM and CHROMEDRIVER), reason="no Chromium here: apt-get install chromium chromium-driver"
)


@pytest.fixture(scope="module")
def browser():
    options = webdriver.ChromeOptions()
    options.binary_location = CHROMIUM
    # Scrolling by jumps: what is to be clicked shall not move. The sandbox is not for root, whom CI may be.
    for argument in ("headless=new", "no-sandbox", "disable-dev-shm-usage", "force-prefers-reduced-motion"):
        options.add_argument(f"--{argument}")
    options.add_argument("--window-size=1200,900")
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    driver = webdriver.Chrome(options=options, service=webdriver.ChromeService(CHROMEDRIVER))
    yield driver
    driver.quit()


@pytest.fixture(scope="module")
def reports(tmp_path_factory):
    """A report of each kind, by name."""
    rng = np.random.default_rng(0)
    centers = np.array([[0.0, 0.0], [8.0, 0.0], [0.0, 8.0]])
    y = np.repeat(np.arange(3), 30)
    X = centers[y] + rng.normal(size=(90, 2))
    model = LaplacianKModes(3, random_state=0).fit(X)
    graph = LaplacianKModes(3, affinity="precomputed", random_state=0).fit(model.affinity_)
    collected = {
        "table": collect(model, labels=2 - y, layout=X),
        "images": collect(model, images=rng.integers(0, 256, (90, 5, 5), dtype=np.uint8), layout=X),
        "text": collect(model, texts=[f"text number {row}" for row in range(90)], layout=X, max_points=60),
        "long": collect(model, texts=["word " * 50] * 90, labels=np.array(["comp.sys.mac.hardware"] * 90), layout=X),
        "graph": collect(graph, layout=X),
        "hostile": hostile_report((X, y)),
        "hostile text": hostile_report((X, y), texts=[HOSTILE] * 90),
    }
    folder = tmp_path_factory.mktemp("reports")
    for name, told in collected.items():
        (folder / f"{name}.html").write_text(render(told), encoding="utf-8")
    return {name: (folder / f"{name}.html", told) for name, told in collected.items()}


@pytest.fixture
def visit(browser, reports):
    """Open a report; what the console said before is forgotten."""

    def open_report(name):
        browser.get_log("browser"), browser.get_log("performance")
        browser.get(reports[name][0].as_uri())
        return reports[name][1]

    return open_report


def canvas(browser):
    return browser.find_element("id", "points")


def pointer_to(browser, row):
    """The pointer on the point of a sample."""
    left, top, width, height = browser.execute_script(
        "canvas.scrollIntoView({block: 'center'}); const at = frame(), point = pointOf(arguments[0]);"
        "return [leftOf(point, at), topOf(point, at), at.width, at.height]",
        row,
    )
    return ActionChains(browser, duration=50).move_to_element_with_offset(
        canvas(browser), round(left - width / 2), round(top - height / 2)
    )


def details(browser):
    return browser.find_element("id", "details")


def lonely_member(told, cluster):
    """A sample of a cluster that is not its mode, as far from all others as any: nothing else is under the pointer."""
    places = np.column_stack([told["map"]["x"], told["map"]["y"]]).astype(float)
    apart = np.linalg.norm(places[:, None] - places, axis=2) + np.diag(np.full(len(places), np.inf))
    members = [p for p, own in enumerate(told["map"]["clusters"]) if own == cluster]
    best = max(
        (p for p in members if told["map"]["rows"][p] != told["clusters"][cluster]["mode"]),
        key=lambda p: apart[p].min(),
    )
    return told["map"]["rows"][best]


@pytest.mark.parametrize("name", ["table", "images", "text", "graph", "hostile", "hostile text"])
def test_it_opens_without_a_complaint_and_asks_nobody(browser, visit, name):
    visit(name)
    browser.execute_script("choose(0); zoomBy(2)")
    assert browser.get_log("browser") == []
    asked = [entry["message"] for entry in browser.get_log("performance") if "requestWillBeSent" in entry["message"]]
    assert len(asked) >= 1
    assert all('"url":"file:///' in message or '"url":"data:' in message for message in asked)


@pytest.mark.parametrize("name", ["hostile", "hostile text"])
def test_what_users_write_does_nothing(browser, visit, name):
    visit(name)
    browser.execute_script("choose(0); showHint(0, 5, 5, stage)")
    assert browser.execute_script("return window.hacked") is None
    assert browser.execute_script("return document.scripts.length") == 2
    assert browser.execute_script("return document.querySelectorAll('img[src=x]').length") == 0
    # A line separator is a space to the eye.
    assert " ".join(HOSTILE.split()) in " ".join(details(browser).text.split())
    assert browser.title.startswith("</script><script>")


def test_the_policy_stops_other_scripts(browser, visit):
    visit("table")
    browser.execute_script(
        "const other = document.createElement('script'); other.textContent = 'window.hacked = 1';"
        "document.body.append(other)"
    )
    assert browser.execute_script("return window.hacked") is None


def test_hovering_tells_which_sample_it_is(browser, visit):
    told = visit("table")
    row = lonely_member(told, 1)
    hint = browser.find_element("id", "hint")
    assert not hint.is_displayed()
    pointer_to(browser, row).perform()
    assert hint.text.startswith(f"{row} · cluster 1 · ")
    ActionChains(browser).move_to_element(browser.find_element("tag name", "h2")).perform()
    assert not hint.is_displayed()


def test_what_is_cut_short_says_so(browser, visit):
    visit("long")
    browser.execute_script("showHint(0, 5, 5, stage)")
    assert browser.find_element("id", "hint").text.endswith("word word…")


@pytest.mark.parametrize(("other", "told"), [(1, False), (2, True)])
def test_a_second_membership_of_nothing_is_not_worth_a_line(browser, visit, other, told):
    visit("table")
    browser.execute_script("points.seconds[0] = 1; points.others[0] = arguments[0]; choose(0)", other)
    assert ("then cluster 1 · 0.01" in details(browser).text) == told
    assert "0.00" not in details(browser).find_element("class name", "note").text


@pytest.mark.parametrize("name", ["table", "images", "text", "graph"])
def test_a_click_shows_the_sample_and_its_mode(browser, visit, name):
    told = visit(name)
    row, mode = lonely_member(told, 2), told["clusters"][2]["mode"]
    pointer_to(browser, row).click().perform()
    shown = details(browser).text
    assert f"Sample {row}\n" in shown
    assert "Mode of cluster 2" in shown
    assert f"Sample {mode}" in shown
    if name == "images":
        images = [image.get_attribute("src") for image in details(browser).find_elements("tag name", "img")]
        assert images == [told["samples"][str(row)]["image"], told["samples"][str(mode)]["image"]]
    if name == "text":
        assert f"text number {row}" in shown
        assert f"text number {mode}" in shown
    if name == "table":
        assert "feature 0" in shown
    pointer_to(browser, mode).click().perform()
    assert "It is the mode of cluster 2." in details(browser).text


def test_samples_that_can_be_looked_at_are_preferred(browser, visit):
    told = visit("table")
    near = lonely_member(told, 0)
    # A second point is put beside it; then one of both is without a description.
    assert browser.execute_script(
        """
        const [near, other] = [arguments[0], pointOf(arguments[1])];
        points.x[other] = points.x[near] + 2 / frame().unit;
        points.y[other] = points.y[near];
        const at = frame(), look = () => pointAt(leftOf(near, at), topOf(near, at));
        const all = look();
        described[near] = 0;
        return [all, look()];
        """,
        near,
        lonely_member(told, 1),
    ) == [near, lonely_member(told, 1)]


def test_the_keyboard_goes_everywhere(browser, visit):
    told = visit("table")
    browser.execute_script("canvas.focus()")
    modes = [record["mode"] for record in told["clusters"]]

    def press(key):
        ActionChains(browser).send_keys(key).perform()
        return details(browser).get_attribute("data-row")

    assert press(Keys.ARROW_RIGHT) == str(modes[0])
    assert press(Keys.PAGE_DOWN) == str(modes[1])
    assert press(Keys.PAGE_UP) == str(modes[0])
    before = told["map"]["x"][modes[0]]
    row = int(press(Keys.ARROW_LEFT))
    assert told["map"]["x"][row] < before
    assert told["map"]["x"][int(press(Keys.ARROW_RIGHT))] > told["map"]["x"][row]
    press("+")
    assert browser.execute_script("return view.zoom") == pytest.approx(1.5)
    press(Keys.HOME)
    assert browser.execute_script("return view.zoom") == 1
    assert press(Keys.ESCAPE) is None
    outline = browser.execute_script("return getComputedStyle(canvas).outlineStyle")
    assert outline == "solid"  # the focus is seen


def test_everything_can_be_reached_by_tab(browser, visit):
    visit("images")
    reached = set()
    for _ in range(25):
        ActionChains(browser).send_keys(Keys.TAB).perform()
        reached.add(
            browser.execute_script(
                "const active = document.activeElement; return active.id || active.dataset.only || active.className"
            )
        )
    assert {"theme", "points", "0", "1", "2", "sample mode", "sample member"} <= reached


def test_dragging_and_zooming_move_the_map(browser, visit):
    visit("table")
    browser.find_element("css selector", "[data-zoom=in]").click()
    assert browser.execute_script("return view.zoom") == pytest.approx(1.6)
    before = browser.execute_script("return view.x")
    ActionChains(browser, duration=50).move_to_element(canvas(browser)).click_and_hold().move_by_offset(
        60, 0
    ).release().perform()
    unit = browser.execute_script("return frame().unit")
    assert browser.execute_script("return view.x") == pytest.approx(before - 60 / unit, rel=0.01)
    browser.find_element("css selector", "[data-zoom=all]").click()
    assert browser.execute_script("return view.x === middle.x && view.zoom === 1")


def test_a_member_of_the_gallery_is_found_on_the_map(browser, visit):
    told = visit("images")
    row = told["clusters"][1]["nearest"][0]
    browser.find_element("css selector", f".cluster [data-sample='{row}']").click()
    assert details(browser).get_attribute("data-row") == str(row)
    field = browser.find_element("name", "row")
    field.send_keys("33", Keys.ENTER)
    assert details(browser).get_attribute("data-row") == "33"
    field.clear()
    field.send_keys("12345", Keys.ENTER)
    assert browser.execute_script("return arguments[0].validationMessage", field) == "No such sample is on the map."


def test_a_cluster_can_be_seen_alone(browser, visit):
    told = visit("table")
    button = browser.find_element("css selector", "[data-only='0']")
    button.click()
    assert button.get_attribute("aria-pressed") == "true"
    row = lonely_member(told, 1)
    pointer_to(browser, row).click().perform()
    assert details(browser).get_attribute("data-row") is None  # samples of other clusters cannot be chosen
    button.click()
    pointer_to(browser, row).click().perform()
    assert details(browser).get_attribute("data-row") == str(row)


def test_themes_and_colours_change_the_picture(browser, visit):
    visit("table")

    def look():
        browser.execute_script("draw()")
        return browser.execute_script("return [getComputedStyle(document.body).backgroundColor, canvas.toDataURL()]")

    light = look()
    button = browser.find_element("id", "theme")
    name = button.text
    button.click()
    dark = look()
    assert dark[0] != light[0]
    assert dark[1] != light[1]
    assert button.text != name
    button.click()
    assert look() == light
    for colour in ("confidence", "class"):
        browser.find_element("css selector", f"input[value={colour}]").click()
        assert look()[1] != light[1]
        assert browser.find_element("id", f"key-{colour}").is_displayed()


def test_the_system_decides_the_first_theme(browser, visit):
    seen = {}
    for scheme in ("light", "dark"):
        wanted = {"features": [{"name": "prefers-color-scheme", "value": scheme}]}
        browser.execute_cdp_cmd("Emulation.setEmulatedMedia", wanted)
        visit("table")
        seen[scheme] = browser.execute_script("return getComputedStyle(document.body).backgroundColor")
    assert sum(map(int, seen["light"][4:-1].split(","))) > 600
    assert sum(map(int, seen["dark"][4:-1].split(","))) < 150


@pytest.fixture
def phone(browser):
    screen = {"width": 390, "height": 844, "deviceScaleFactor": 2, "mobile": True}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", screen)
    yield browser
    browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


@pytest.mark.parametrize("name", ["table", "images", "text", "graph", "hostile", "long"])
def test_it_fits_a_phone(phone, visit, name):
    visit(name)
    phone.execute_script("choose(0)")
    assert phone.execute_script("return document.documentElement.scrollWidth") <= 390
    assert phone.execute_script("return canvas.clientWidth") > 300


@pytest.mark.parametrize(("name", "section"), [("table", "clusters"), ("long", "scores")])
def test_names_stay_beside_their_numbers(phone, visit, name, section):
    """Where a table is too wide for a phone the names of its lines stay, in a column that leaves room for numbers."""
    visit(name)
    moved, left, width = phone.execute_script(
        """
        const box = document.querySelector(`#${arguments[0]} .scroll`), name = box.querySelector("th[scope=row]");
        box.querySelector("tr").lastElementChild.style.paddingLeft = "50rem";
        box.scrollLeft = 200;
        const at = name.getBoundingClientRect();
        return [box.scrollLeft, at.left - box.getBoundingClientRect().left, name.firstChild.offsetWidth];
        """,
        section,
    )
    assert moved > 0
    assert abs(left) < 1
    assert 40 < width <= 8.5 * 16
