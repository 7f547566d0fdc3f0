"""The names of models that a fixture may hold: public ones, else the family, by whole words of the name."""

import pytest

from redaction.families.models import MODEL_FAMILIES, UNKNOWN_MODEL, model


@pytest.mark.parametrize(
    ("raw", "kept"),
    [
        ("gpt-4o-mini", "gpt-4o-mini"),
        ("gpt-4o-mini-2024-07-18", "gpt-4o-mini"),
        ("qwen3-ollama", "qwen"),
        ("Qwen/Qwen3-Coder-30B-A3B", "qwen"),
        ("llama3:8b", "llama"),
        ("llama-3.3-70b-versatile", "llama"),
        ("meta-llama/Llama-4-Scout", "llama"),
        ("ollama", UNKNOWN_MODEL),
        ("mara-lindqvist-tuned", UNKNOWN_MODEL),
        ("codellama", UNKNOWN_MODEL),
        ("lamina-novamart", UNKNOWN_MODEL),
        ("deepseek-r1-distill-llama-8b", "deepseek"),
        ("ft:gpt-4o-mini:acme::9aB", "gpt-4o"),
        ("eu.anthropic.claude-sonnet-4-5-20250929-v1:0", "claude-sonnet-4-5"),
        ("", ""),
    ],
)
def test_a_name_is_the_public_one_or_a_family_that_is_a_whole_word_of_it(raw: str, kept: str) -> None:
    assert model(raw) == kept


@pytest.mark.parametrize("family", MODEL_FAMILIES)
def test_a_family_is_found_as_a_word_and_not_inside_another_one(family: str) -> None:
    assert model(f"acme/{family}-tuned") == family
    assert model(f"x{family}") == UNKNOWN_MODEL
    assert model(f"{family}ish") != family
