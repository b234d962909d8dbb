"""Extras that the page does not load: a cache of results, a writer of AG-UI events."""
