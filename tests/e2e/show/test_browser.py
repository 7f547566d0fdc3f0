"""The page of `toolreel show` in a real Chromium, every control used as a person would.

Pictures at three widths in both themes are compared with those in `tests/data/screens`, with a tolerance: fonts differ
a little from machine to machine. TOOLREEL_SCREENS=write writes them anew; look at them before you commit them.
"""

import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from support.builders import verdicts
from support.nightly import at_night, nightly
from support.planted.hostile import HOSTILE, hostile_fixture
from support.shared import ROOT

from replay.show.pages import page as pages
from replay.show.picture import reading
from replay.terminal import printable

# Where a browser is named, as CI does, nothing is skipped: what is missing then is an error.
NAMED = os.environ.get("TOOLREEL_CHROMIUM")
if NAMED:
    import playwright.sync_api as sync_api
else:
    sync_api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed: pip install playwright")
if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

CHROMIUM = NAMED or shutil.which("chromium")
pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="chromium is not installed: apt-get install chromium")

FLAGS = (
    "--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking "
    "--disable-component-update --disable-sync --force-color-profile=srgb --font-render-hinting=none"
).split()
SCREENS = ROOT / "tests/data/screens"
COLLIDING = ROOT / "tests/data/cases/anthropic-stray-events-after-message-stop.json"
# Of all points of a picture, so many may be another colour by more than a little: text moves by a pixel or two.
TOLERANCE = 0.06


@pytest.fixture(scope="module")
def browser() -> Iterator["Browser"]:
    with sync_api.sync_playwright() as driver:
        started = driver.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield started
        started.close()


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The pages: of an interleaved turn that passes, of one with findings, of a long one, of a folder."""
    folder = tmp_path_factory.mktemp("site")
    turns = folder / "reels"
    turns.mkdir()
    two = [
        verdicts.chunk({"content": "I look."}),
        verdicts.chunk(verdicts.call('{"te')),
        verdicts.chunk(verdicts.call('{"text"', slot=1, identity="call_2")),
        verdicts.chunk(verdicts.more('xt":"hi"}')),
        verdicts.chunk({"tool_calls": [{"index": 1, "function": {"arguments": ':"ho"}'}}]}),
        verdicts.chunk({}, "tool_calls"),
    ]
    (turns / "two.json").write_bytes(verdicts.fixture(*two))
    (turns / "stray.json").write_bytes(COLLIDING.read_bytes())
    (turns / "text.json").write_bytes(verdicts.TEXT)
    (turns / "text.adapters.json").write_text('{"format": 1, "adapters": {"openai": {"3.1": "crash"}}}')
    long = [verdicts.chunk(verdicts.call('{"text":"'))]
    long += [
        verdicts.chunk(verdicts.more(f"a{at} ")) if at % 2 else verdicts.chunk({"content": f"b{at} "})
        for at in range(4997)
    ]
    (folder / "long.json").write_bytes(
        verdicts.fixture(*long, verdicts.chunk(verdicts.more('"}')), verdicts.chunk({}, "tool_calls"))
    )
    before = Path.cwd()
    os.chdir(folder)
    try:
        for name in ("reels/two", "reels/stray", "long"):
            (folder / f"{Path(name).name}.html").write_text(pages.turn(reading.read(f"{name}.json")), "utf-8")
        both = reading.read("reels/two.json"), reading.read("reels/stray.json")
        (folder / "pair.html").write_text(pages.two(*both), "utf-8")
        paths = [f"reels/{name}.json" for name in ("stray", "text", "two")]
        (folder / "folder.html").write_text(pages.folder([reading.read(path) for path in paths]), "utf-8")
    finally:
        os.chdir(before)
    return folder


class Opened:
    """A page, and whatever it said or asked for that it must not."""

    def __init__(self, browser: "Browser", file: Path, place: str = "", **context: Any) -> None:
        self.context = browser.new_context(**{"viewport": {"width": 1280, "height": 900}, **context})
        self.page: Page = self.context.new_page()
        self.page.set_default_timeout(60_000)
        self.heard: list[str] = []
        self.page.on("console", lambda message: self.heard.append(message.text))
        self.page.on("pageerror", lambda error: self.heard.append(str(error)))
        self.page.on("request", lambda request: self._asked(request.url))
        self.page.goto(file.as_uri() + place)

    def _asked(self, url: str) -> None:
        if not url.startswith(("file:", "blob:")):
            self.heard.append(url)

    def __enter__(self) -> "Page":
        return self.page

    def __exit__(self, *_: object) -> None:
        self.context.close()
        assert self.heard == [], "no error on the console, and no request"


def state(page: "Page", lane: int) -> str:
    return page.locator(f".call[data-l='{lane}'] .state").inner_text()


def here(page: "Page") -> str:
    return page.locator(".step output b").inner_text()


def arrive(page: "Page", place: str) -> None:
    sync_api.expect(page.locator(".step output b")).to_have_text(place, timeout=60_000)


def test_keys_step_through_events_and_the_calls_follow(browser: "Browser", site: Path) -> None:
    with Opened(browser, site / "two.html") as page:
        assert (here(page), state(page, 2), state(page, 3)) == ("the end", "validated", "validated")
        assert page.locator(".later").count() == 0
        page.keyboard.press("g")
        assert (here(page), state(page, 2)) == ("event 0 of 5", "not yet")
        page.keyboard.press("j")
        page.keyboard.press("j")
        assert (state(page, 2), state(page, 3)) == ("named", "named")
        assert page.locator(".call[data-l='3'] pre .later").all_inner_texts() == [':"ho"}']
        assert page.locator(".events .here").get_attribute("data-e") == "2"
        assert page.url.endswith("#event-2")
        assert "a preview, not to be executed" in page.locator(".moment").inner_text()
        page.keyboard.press("k")
        assert here(page) == "event 1 of 5"
        page.keyboard.press("G")
        assert here(page) == "the end"
        assert page.url.endswith("#end")


def test_slider_and_buttons_step_too(browser: "Browser", site: Path) -> None:
    with Opened(browser, site / "two.html") as page:
        page.get_by_role("slider").focus()
        page.keyboard.press("Home")
        assert here(page) == "event 0 of 5"
        page.keyboard.press("ArrowRight")
        assert page.get_by_role("slider").get_attribute("aria-valuetext") == "event 1 of 5, chunk"
        for name, place in (("Next event", 2), ("Previous event", 1), ("First event", 0)):
            page.get_by_role("button", name=name).click()
            assert here(page) == f"event {place} of 5"
        page.get_by_role("button", name="The end").click()
        page.get_by_role("button", name="Play").click()
        arrive(page, "the end")


def test_findings_are_one_key_away_and_their_rule_is_in_the_page(browser: "Browser", site: Path) -> None:
    with Opened(browser, site / "stray.html") as page:
        page.keyboard.press("f")
        assert here(page) == "event 6 of 9"
        page.keyboard.press("f")
        page.keyboard.press("F")
        assert here(page) == "event 6 of 9"
        page.locator(".findings").get_by_role("link", name="event 9").click()
        arrive(page, "event 9 of 9")
        page.locator(".findings").get_by_role("link", name="delta_after_terminal").click()
        assert page.locator("details.rule[open]").get_by_text("Legal:").is_visible()


def test_a_fragment_lights_its_piece_of_the_call_and_the_other_way_round(browser: "Browser", site: Path) -> None:
    with Opened(browser, site / "two.html") as page:
        piece = page.locator(".call[data-l='2'] pre span", has_text='xt":"hi"}')
        row = page.locator(".events li[data-e='3'] code")
        row.hover()
        assert "lit" in (piece.get_attribute("class") or "")
        page.locator(".verdict h1").hover()
        assert page.locator("span.lit, code.lit").count() == 0
        piece.hover()
        assert "lit" in (row.get_attribute("class") or "")
        piece.click()
        assert here(page) == "event 3 of 5"
        page.locator(".strip svg").click(position={"x": 60, "y": 60})
        assert here(page) == "event 1 of 5"


def test_the_theme_is_the_systems_until_it_is_changed(browser: "Browser", site: Path) -> None:
    paper = "getComputedStyle(document.body).backgroundColor"
    with Opened(browser, site / "two.html", color_scheme="dark") as page:
        dark = page.evaluate(paper)
        page.get_by_role("button", name="Light").click()
        assert page.evaluate(paper) != dark
        page.get_by_role("button", name="Dark").click()
        assert page.evaluate(paper) == dark


def test_tabs_and_the_filter_by_keyboard_alone(browser: "Browser", site: Path) -> None:
    with Opened(browser, site / "two.html", viewport={"width": 700, "height": 900}) as page:
        tab = page.get_by_role("tab", name="Assembled")
        tab.focus()
        page.keyboard.press("ArrowRight")
        assert page.get_by_role("tab", name="Events").get_attribute("aria-selected") == "true"
        page.keyboard.press("ArrowRight")
        assert page.locator("[data-panel='raw']").is_visible()
        page.keyboard.press("/")
        page.keyboard.type("slot 1")
        assert page.locator(".events li:visible").count() == 3
        assert page.locator(".tabs output").inner_text() == "3 of 7"
        page.keyboard.press("Escape")
        page.keyboard.press("g")
        assert here(page) == "event 0 of 5"


@pytest.mark.parametrize(
    ("place", "told"), [("#event-3", "event 3 of 5"), ("#end", "the end"), ("#nothing", "the end")]
)
def test_an_address_leads_to_an_event_with_the_lanes_in_sight(
    browser: "Browser", site: Path, place: str, told: str
) -> None:
    with Opened(browser, site / "two.html", place) as page:
        assert here(page) == told
        assert page.locator(".strip").bounding_box()["y"] >= 0


def test_a_folder_is_sorted_filtered_and_opens_each_turn(browser: "Browser", site: Path) -> None:
    with Opened(browser, site / "folder.html") as page:
        names = page.locator(".turns tbody th")
        assert names.all_inner_texts() == ["stray", "text", "two"]
        page.get_by_role("button", name="events", exact=True).click()
        assert names.all_inner_texts() == ["stray", "two", "text"]
        page.get_by_role("button", name="events", exact=True).click()
        assert names.all_inner_texts() == ["text", "two", "stray"]
        page.get_by_label("any verdict").select_option("pass")
        assert page.locator(".turns tbody tr:visible").count() == 1
        page.get_by_label("any verdict").select_option("")
        page.keyboard.press("/")
        page.keyboard.type("stray")
        page.get_by_role("link", name="stray").first.click()
        page.locator("article.turn").wait_for()
        assert page.locator("article.turn .stamp").inner_text() == "blocked"
        assert page.locator("article.folder").is_hidden()
        page.keyboard.press("f")
        assert page.url.endswith("#turn=stray&event-6")
        page.get_by_role("link", name="All turns").click()
        page.locator("article.folder").wait_for()
        page.get_by_label("Filter turns").fill("")
        page.get_by_role("link", name="stray").first.click()
        for link, name in (("Previous", "two"), ("Next", "stray")):  # as the table is sorted now
            page.get_by_role("link", name=link).click()
            sync_api.expect(page.locator("article.turn h1")).to_have_text(f"reels/{name}.json", timeout=60_000)
        page.get_by_role("link", name="All turns").click()
        sync_api.expect(page.locator("article.turn")).to_have_count(0, timeout=60_000)


def test_an_address_leads_to_an_event_of_a_turn_of_a_folder(browser: "Browser", site: Path) -> None:
    with Opened(browser, site / "folder.html", "#turn=two&event-2") as page:
        arrive(page, "event 2 of 5")
        page.go_back()


def test_hostile_words_and_names_do_nothing(
    browser: "Browser", tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In every name, text, id and type of a folder whose turns are opened one after the other."""
    monkeypatch.chdir(tmp_path)
    for at, word in enumerate(HOSTILE):
        name = word.encode("utf-8", "ignore").decode().replace("/", "_").replace("\x00", "")
        Path(f"{at:02}{name}.json").write_bytes(hostile_fixture(word))
    paths = sorted(path.name for path in Path().glob("*.json"))
    Path("page.html").write_text(pages.folder([reading.read(path) for path in paths]), "utf-8")
    with Opened(browser, tmp_path / "page.html") as page:
        page.on("dialog", lambda dialog: pytest.fail(dialog.message))
        for at, path in enumerate(paths):
            page.locator(f".turns tr[data-t='{at}'] a").click()
            page.locator("article.turn h1").wait_for()
            assert page.locator("article.turn h1").text_content() == printable(path)
            page.keyboard.press("g")
            page.get_by_role("link", name="All turns").click()
        assert page.locator("script").count() == len(paths) + 2  # each turn, the files, and our own
        assert page.locator("img").count() == 0


def test_without_script_a_page_shows_it_all(browser: "Browser", site: Path) -> None:
    with Opened(browser, site / "two.html", java_script_enabled=False) as page:
        for words in ("Assembled", "Events", "Raw"):
            assert page.get_by_role("heading", name=words).is_visible()
        assert page.locator(".raw").first.is_visible()
    with Opened(browser, site / "folder.html", java_script_enabled=False) as page:
        assert page.locator(".turns").is_visible()
        assert page.locator(".heat").is_visible()


@pytest.mark.parametrize("name", ["two.html", "stray.html#event-6", "folder.html", "pair.html"])
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_axe_finds_nothing_serious(browser: "Browser", site: Path, name: str, theme: str) -> None:
    axe = pytest.importorskip("axe_playwright_python", reason="axe is not installed: pip install axe-playwright-python")
    source = (Path(axe.__file__).parent / "axe.min.js").read_text("utf-8")
    file, _, place = name.partition("#")
    with Opened(browser, site / file, f"#{place}" if place else "", color_scheme=theme, bypass_csp=True) as page:
        page.evaluate(source)
        found = page.evaluate("axe.run()")["violations"]
        assert [(one["id"], one["nodes"][0]["html"]) for one in found if one["impact"] in ("serious", "critical")] == []


STEPPING = """async () => {
  const times = [];
  let last = performance.now();
  for (let at = 0; at < 100; at += 1) {
    document.body.dispatchEvent(new KeyboardEvent("keydown", { key: at ? "j" : "g", bubbles: true }));
    await new Promise(requestAnimationFrame);
    times.push(performance.now() - last);
    last = performance.now();
  }
  const list = document.querySelector("[data-panel=events]");
  for (let at = 0; at < 100; at += 1) {
    list.scrollTop += 400;
    await new Promise(requestAnimationFrame);
    times.push(performance.now() - last);
    last = performance.now();
  }
  return times;
}"""


@nightly
def test_five_thousand_events_are_stepped_and_scrolled(browser: "Browser", site: Path) -> None:
    with Opened(browser, site / "long.html") as page:
        times = page.evaluate(STEPPING)
        for what, some in (("stepped", sorted(times[:100])), ("scrolled", sorted(times[100:]))):
            print(f"{what}: a frame took {some[50]:.0f} ms at the median, {some[95]:.0f} ms at the 95th of 100")
        assert here(page) == "event 99 of 4999"
        assert sorted(times)[100] < 500, "a machine that does much else still steps"


WINDOWS = [(width, theme) for width in (420, 900, 1440) for theme in ("light", "dark")]


@pytest.mark.parametrize("window", at_night(WINDOWS, but=[(420, "dark"), (1440, "light")]))
@pytest.mark.parametrize("name", ["two.html#event-3", "stray.html", "folder.html", "pair.html"])
def test_a_page_looks_as_it_did(browser: "Browser", site: Path, name: str, window: tuple[int, str]) -> None:
    width, theme = window
    file, _, place = name.partition("#")
    view = {"width": width, "height": 900}
    with Opened(browser, site / file, f"#{place}" if place else "", color_scheme=theme, viewport=view) as page:
        page.wait_for_timeout(100)
        kept = SCREENS / f"{Path(file).stem}-{width}-{theme}.png"
        if os.environ.get("TOOLREEL_SCREENS") == "write":
            page.screenshot(path=kept)
        assert page.evaluate("document.documentElement.scrollWidth") <= width, "nothing is wider than the window"
        assert difference(page, kept.read_bytes(), page.screenshot()) < TOLERANCE


def test_the_picture_of_the_docs_is_the_page(
    browser: "Browser", tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    reused = ROOT / "tests/data/cases/openai-index-reused-by-parallel-calls.json"
    (tmp_path / "reels").mkdir()
    (tmp_path / "reels/parallel-calls.json").write_bytes(reused.read_bytes())
    monkeypatch.chdir(tmp_path)
    Path("page.html").write_text(pages.turn(reading.read("reels/parallel-calls.json")), "utf-8")
    kept = ROOT / "docs/show.png"
    with Opened(browser, tmp_path / "page.html", "#event-3", viewport={"width": 1160, "height": 790}) as page:
        page.evaluate("scrollTo(0, 0)")
        page.wait_for_timeout(100)
        if os.environ.get("TOOLREEL_SCREENS") == "write":
            page.screenshot(path=kept)
        assert difference(page, kept.read_bytes(), page.screenshot()) < TOLERANCE


COMPARE = """async (pair) => {
  const draw = async (text) => {
    const bytes = Uint8Array.from(atob(text), (one) => one.charCodeAt(0));
    const image = await createImageBitmap(new Blob([bytes], { type: "image/png" }));
    const canvas = new OffscreenCanvas(image.width, image.height).getContext("2d");
    canvas.drawImage(image, 0, 0);
    return canvas.getImageData(0, 0, image.width, image.height);
  };
  const [one, other] = await Promise.all(pair.map(draw));
  if (one.width !== other.width || one.height !== other.height) return 1;
  let differs = 0;
  for (let at = 0; at < one.data.length; at += 4) {
    const apart = Math.abs(one.data[at] - other.data[at]) + Math.abs(one.data[at + 1] - other.data[at + 1])
      + Math.abs(one.data[at + 2] - other.data[at + 2]);
    if (apart > 60) differs += 1;
  }
  return differs / (one.data.length / 4);
}"""


def difference(page: "Page", one: bytes, other: bytes) -> float:
    """The share of points that are not of nearly the same colour."""
    import base64

    blank = page.context.new_page()
    found = blank.evaluate(COMPARE, [base64.b64encode(data).decode() for data in (one, other)])
    blank.close()
    assert isinstance(found, int | float)
    return found
