"""The models of LlamaIndex."""
