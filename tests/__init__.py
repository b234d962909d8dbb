"""Tests, and the stand-in servers that they and `build.py serve` share. Nothing here ships."""
