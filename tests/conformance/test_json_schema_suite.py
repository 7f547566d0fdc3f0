"""The official JSON Schema tests for draft 2020-12: passed, or refused as unsupported; nothing in between."""

from collections import defaultdict

from support.shared import folder

from replay.validator.schema import unsupported, violation
from replay.validator.strict_json import parse

# Groups that are not judged, and why: each of them fails closed as an unsupported schema.
SKIPPED = {
    "anchor": "$anchor and $id",
    "content": "contentEncoding, contentMediaType, contentSchema",
    "defs": "a reference to the metaschema",
    "dynamicRef": "$dynamicRef, $dynamicAnchor and $id",
    "not": "unevaluatedProperties in one group",
    "ref": "$id, $anchor, references out of the document, unevaluatedProperties",
    "refRemote": "references out of the document",
    "unevaluatedItems": "unevaluatedItems",
    "unevaluatedProperties": "unevaluatedProperties",
    "vocabulary": "$schema that names a custom metaschema",
    "format": "formats outside the documented set",
    "optional/anchor": "$anchor and $id",
    "optional/cross-draft": "references out of the document",
    "optional/dependencies-compatibility": "dependencies, which this draft replaced",
    "optional/dynamicRef": "$dynamicRef and $id",
    "optional/format-assertion": "$schema that names a custom metaschema",
    "optional/id": "$id",
    "optional/refOfUnknownKeyword": "references to where no schema stands",
    "optional/unknownKeyword": "unknown keywords with schemas in them",
    "optional/format/ecmascript-regex": "the format regex",
    "optional/format/idn-hostname": "the format idn-hostname",
    "optional/format/regex": "the format regex",
    "optional/format/unknown": "an unknown format",
}
# The draft lets a format be an annotation, and this file says so of each; here a documented format always asserts.
ASSERTED = "format"


def test_every_test_of_the_suite_passes_or_its_schema_is_unsupported() -> None:
    base = folder("suites") / "json-schema" / "tests" / "draft2020-12"
    judged, refused, wrong = 0, defaultdict(int), []
    files = sorted(base.rglob("*.json"))
    for path in files:
        name = path.relative_to(base).with_suffix("").as_posix()
        groups = parse(path.read_text(encoding="utf-8"), max_nesting=512).value
        assert isinstance(groups, list)
        for group in groups:
            if unsupported(group["schema"]) is not None:
                refused[name] += 1
                continue
            for case in group["tests"]:
                judged += 1
                valid = violation(group["schema"], case["data"]) is None
                asserted = name == ASSERTED and "only an annotation" in case["description"]
                if valid is not (case["valid"] and not asserted):
                    wrong.append((name, group["description"], case["description"]))
    print(f"{judged} tests of {len(files)} files judged, {sum(refused.values())} groups refused as unsupported")
    assert not wrong
    assert refused.keys() == SKIPPED.keys()
    assert judged > 1_600
