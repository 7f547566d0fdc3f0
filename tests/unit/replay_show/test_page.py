"""The page: one file, no way out of it, and nothing that a text could break out of."""

import base64
import hashlib
import re
import zlib
from html.parser import HTMLParser
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.builders import verdicts
from support.planted.hostile import HOSTILE, hostile_fixture
from support.processes.here import toolreel
from support.shared import ROOT

from replay.corpus.loading import load
from replay.show.pages import markdown, page, svg, turn_view
from replay.show.pages.markup import EMPTY, Markup, tag, text, visible
from replay.show.picture import reading
from replay.show.picture.drawing import picture
from replay.show.picture.reading import Shown, Source
from replay.validator import Code
from replay.validator.rules import page as rule_page

# Elements that have no end.
VOID = {"meta", "wbr"}
# Every element that a page may have: none that loads, embeds or sends anything.
ELEMENTS = set(
    "wbr html head meta title style body header main section article div span p a b i ul ol li dl dt dd h1 h2 h3 pre "
    "code footer kbd script details summary small strong table thead tbody tfoot tr th td abbr svg path "
    "rect text".split()
)


class Reader(HTMLParser):
    """What a browser would make of a page: its elements, its attributes, its texts."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.open: list[str] = []
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.texts: list[str] = []
        self.scripts: list[str] = []
        self.packed: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag, "each element ends where it must"

    def handle_data(self, data: str) -> None:
        if self.open[-1:] == ["script"] and self.elements[-1][1]:
            self.packed.append(data)  # data, by its type: a browser does not run it
        else:
            (self.scripts if self.open[-1:] in (["script"], ["style"]) else self.texts).append(data)

    def handle_comment(self, data: str) -> None:
        raise AssertionError("a page has no comment")


def read(source: str) -> Reader:
    reader = Reader()
    reader.feed(source)
    reader.close()
    assert reader.open == []
    return reader


def of(data: bytes, path: str = "a.json") -> Shown:
    return reading.shown(Source(path=path, fixture=data))


def shape(reader: Reader) -> list[tuple[str, tuple[str, ...]]]:
    return [(name, tuple(attributes)) for name, attributes in reader.elements]


def check(source: str) -> Reader:
    reader = read(source)
    assert all(re.fullmatch("[A-Za-z0-9+/=]+", packed) for packed in reader.packed)
    for name, attributes in reader.elements:
        assert name in ELEMENTS
        for key, value in attributes.items():
            assert not key.startswith("on"), "no handler stands in the markup"
            assert key not in ("style", "src", "srcset", "action", "formaction"), "hashes do not cover styles"
            assert key != "href" or (value or "").startswith("#"), "no link leaves the page"
    return reader


@pytest.mark.parametrize("word", HOSTILE)
def test_a_hostile_word_is_text_wherever_it_stands(word: str) -> None:
    harmless = check(page.turn(of(hostile_fixture("word"), "word.json")))
    reader = check(page.turn(of(hostile_fixture(word), f"{word}.json")))
    if word.isascii():  # a lone surrogate makes the file no fixture, and the page a short one
        assert len(reader.elements) >= len(harmless.elements)
    assert reader.scripts == harmless.scripts


@given(st.text(max_size=40))
def test_no_text_changes_the_elements_of_a_page(word: str) -> None:
    fragment = tag("p", text(word), tag("code", visible(word)), title=word)
    reader = check(fragment)
    assert [name for name, _ in reader.elements if name != "i"] == ["p", "code"]
    assert "\u202e" not in fragment
    assert fragment.replace("\n", "").isprintable()


def test_what_cannot_be_seen_is_marked_in_a_captured_text() -> None:
    assert visible("a<b\n\u202ec") == "a&lt;b<i>⏎</i>\n<i>\\u202e</i>c"
    assert visible("\r\n") == "<i>␍⏎</i>\n"
    assert visible("é 日本") == "é 日本"


def test_the_policy_names_the_style_and_the_script_by_their_hashes_and_nothing_else() -> None:
    reader = check(page.turn(of(verdicts.COLLISION)))
    policy = next(attributes["content"] for name, attributes in reader.elements if "http-equiv" in attributes)
    style, script = ("".join(part) for part in (reader.scripts[:1], reader.scripts[1:]))
    hashes = ["sha256-" + base64.b64encode(hashlib.sha256(part.encode()).digest()).decode() for part in (style, script)]
    assert policy == (
        f"default-src 'none'; script-src '{hashes[1]}'; style-src '{hashes[0]}'; base-uri 'none'; form-action 'none'"
    )


@pytest.mark.parametrize("name", ["page.css", "page.js"])
def test_style_and_script_ask_for_nothing_and_end_where_they_end(name: str) -> None:
    source = (ROOT / "replay/show/pages" / name).read_text("utf-8")
    assert not re.search(
        r"</(script|style)|<!--|@import|url\(|https?:|fetch\(|XMLHttp|WebSocket|eval\(|new Function", source
    )


def test_a_page_is_the_same_bytes_each_time_and_names_no_time_and_no_folder(tmp_path: Path) -> None:
    file = tmp_path / "a.json"
    file.write_bytes(verdicts.COLLISION)
    one, other = (page.turn(of(file.read_bytes())) for _ in range(2))
    assert one == other
    assert str(tmp_path) not in one


def test_without_script_all_of_a_turn_can_be_read() -> None:
    reader = check(page.turn(of(verdicts.COLLISION)))
    said = " ".join(reader.texts)
    for words in ("blocked", "No call of the turn may be executed.", "identity_collision", "call_1", '{"te', "Legal:"):
        assert words in said
    hidden = [name for name, attributes in reader.elements if "hidden" in attributes]
    assert hidden == []


def test_each_fragment_knows_its_event_and_its_lane() -> None:
    reader = check(page.turn(of(verdicts.PASS)))
    spans = [
        (attributes["data-e"], attributes["data-l"])
        for name, attributes in reader.elements
        if name == "span" and "data-e" in attributes
    ]
    assert spans == [("0", "1"), ("1", "1")]
    links = {attributes["href"] for name, attributes in reader.elements if name == "a"}
    anchors = {f"#{attributes['id']}" for _, attributes in reader.elements if "id" in attributes}
    assert links <= anchors


def test_a_folder_holds_each_turn_packed_and_its_table_matrix_and_outcomes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for name, data in (("a", verdicts.PASS), ("b", verdicts.COLLISION), ("c", verdicts.INVALID)):
        Path(f"{name}.json").write_bytes(data)
    Path("b.adapters.json").write_text(
        '{"format": 1, "adapters": {"litellm": {"1.1": "unsafe"}, "openai": {"3": "agree"}}}'
    )
    done = toolreel("show", ".", "--html", "out.html")
    assert done.output == "Written: out.html\n"
    source = Path("out.html").read_text("utf-8")
    reader = check(source)
    packed = re.findall(r'<script type="text/plain" class="stored" data-t="\d+">([^<]*)</script>', source)
    turns = [zlib.decompress(base64.b64decode(one), -15).decode() for one in packed]
    assert turns == [turn_view.view(reading.read(f"{name}.json")) for name in "abc"]
    said = " ".join(reader.texts)
    for words in ("1 blocked", "litellm", "identity_collision", "fragmented JSON", "unsafe: hands over calls"):
        assert words.replace(" ", "") in said.replace(" ", "")
    toolreel("show", ".", "--html", "again.html")
    assert Path("again.html").read_text("utf-8") == source


def test_a_hostile_name_is_text_in_the_page_of_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for at, word in enumerate(HOSTILE):
        name = word.replace("/", "_").replace("\x00", "").replace("\ud83d", "")
        Path(f"{at}{name}.json").write_bytes(hostile_fixture(word))
    paths = sorted(path.name for path in Path().glob("*.json"))
    check(page.folder([reading.read(path) for path in paths]))


def test_the_lanes_are_few_paths_however_many_the_events() -> None:
    chunks = [verdicts.chunk(verdicts.call("[")), *[verdicts.chunk(verdicts.more("1,"))] * 5000]
    drawn = svg.lanes(picture(load(verdicts.fixture(*chunks))))
    assert drawn.count("<path") < 20
    assert "style=" not in drawn


@pytest.mark.parametrize("code", Code)
def test_every_rule_page_becomes_html(code: Code) -> None:
    source = rule_page(code)
    reader = check(markdown.html(source))
    assert [name for name, _ in reader.elements].count("pre") == source.count("```json")
    assert [name for name, _ in reader.elements].count("h3") >= 4
    assert "".join(reader.texts).count("`") == 0


def test_a_message_has_code_and_no_other_markup() -> None:
    assert markdown.message("use `a<b` not **b**") == "use <code>a&lt;b</code> not **b**"
    assert markdown.message("one ` alone") == "one ` alone"


def test_markup_is_joined_and_attributes_without_value_are_left_out() -> None:
    assert tag("a", EMPTY, class_="x", data_e=3, id=None) == Markup('<a class="x" data-e="3"></a>')
