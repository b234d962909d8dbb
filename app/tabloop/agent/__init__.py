"""The agent loop and its parts. Rule: standard library and pydantic only, and no I/O."""
