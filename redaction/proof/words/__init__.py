"""The closed vocabulary: each word, key and number that a fixture may say, read back from its bytes."""
