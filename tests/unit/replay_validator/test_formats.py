import time

import pytest

from replay.validator.schema import FORMATS


@pytest.mark.parametrize(
    ("name", "good", "bad"),
    [
        ("date", ["2024-02-29", "0000-02-29"], ["2023-02-29", "2024-13-01", "2024-1-01", "٢٠٢٤-01-01", "2024-01-01\n"]),
        ("time", ["23:59:60Z", "15:59:60-08:00", "08:30:06.283185z"], ["24:00:00Z", "22:59:60Z", "08:30:06", "08:30Z"]),
        ("date-time", ["2024-05-17T09:30:00+05:30"], ["2024-05-17 09:30:00Z", "2024-05-17", "yesterday"]),
        ("duration", ["P4DT12H30M5S", "P2W", "PT0S"], ["P", "PT", "P1D2H", "P2Y1D", "4DT"]),
        ("email", ["a.b@example.com", '"a b"@example.com', "a@[192.0.2.1]"], ["a..b@example.com", "a@", "a b@c.d"]),
        ("hostname", ["a", "xn--4gbwdl.xn--wgbh1c"], ["-a", "a.", "a_b", "a" * 64, "xn--x"]),
        ("ipv4", ["0.0.0.0"], ["256.0.0.1", "01.1.1.1", "1.1.1", "1.1.1.1.1"]),
        ("ipv6", ["::", "::ffff:192.0.2.1", "1:2:3:4:5:6:7:8"], ["1::2::3", ":1", "1:2:3:4:5:6:7:8:9", "::1%eth0"]),
        ("uri", ["https://a@[::1]:80/b?c#d", "urn:a:b"], ["/a", "http:// a", "a b:c", "http://[::1", "http://a:b"]),
        ("uri-reference", ["", "a/b", "//x", "#f"], ["1:b", "a b", "\\a"]),
        ("iri", ["http://ƒøø.ßår/?∂éœ"], ["∂éœ", "http://a b"]),
        ("uri-template", ["/a{?b,c*}{/d:3}"], ["/a{", "}", "{a b}"]),
        ("uuid", ["2EB8AA08-aa98-11ea-b4aa-73b441d16380"], ["2eb8aa08aa9811eab4aa73b441d16380", ""]),
        ("json-pointer", ["", "/a~0b~1/0"], ["a", "/~2"]),
        ("relative-json-pointer", ["0", "1/a", "2#"], ["01", "/a", "-1", "1##"]),
    ],
)
def test_a_format_holds_what_its_document_says(name: str, good: list[str], bad: list[str]) -> None:
    assert [text for text in good if not FORMATS[name](text)] == []
    assert [text for text in bad if FORMATS[name](text)] == []


@pytest.mark.parametrize("name", FORMATS)
def test_a_format_takes_any_text_in_time_linear_in_it(name: str) -> None:
    start = time.process_time()
    for unit in ("1", "a", "a.", "/", "~0", "%41", "{a}", ":", '"\\', "-", "\ud800", "xn--", "é"):
        for prefix in ("", '"', "http://", "{", "P", "PT"):
            text = prefix + unit * (200_000 // len(unit))
            FORMATS[name](text)
            FORMATS[name](text + "@a.b!")
    assert time.process_time() - start < 10
