"""Extras that the page does not load: a cache, a test model, httpx, AG-UI events."""
