"""Sixty questions for a language model behind the page's own loop: `python build.py quality`."""
