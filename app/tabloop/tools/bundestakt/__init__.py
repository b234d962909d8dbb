"""Bundestag sessions and fact-checks from Bundestakt."""
