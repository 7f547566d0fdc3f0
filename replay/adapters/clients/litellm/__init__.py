"""LiteLLM, one client for many APIs."""
