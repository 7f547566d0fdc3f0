"""The models of LangChain."""
