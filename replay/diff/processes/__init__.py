"""The processes in which adapters run: how each is started, with which environment, and what they say."""
