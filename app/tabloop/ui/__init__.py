"""Presenters: pure functions from state to sentences and HTML. Rule: no module touches the page."""
