"""Search mode: answers without a language model, loaded when it is used."""
