"""Extras that the page does not load: a cache of tool results, and AG-UI events."""
