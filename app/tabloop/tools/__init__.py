"""The tools, one package per domain. Rule: a tool knows its service, but not the page."""
