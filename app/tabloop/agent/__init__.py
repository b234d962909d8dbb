"""The agent loop and all it is made of. Standard library and pydantic only, no I/O of its own."""
