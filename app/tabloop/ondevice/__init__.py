"""The language model that a browser brings along, as a `ChatModel`."""
