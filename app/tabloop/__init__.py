"""Tabloop: a chat assistant whose agent loop runs in the visitor's tab."""
