"""The tools, one file per domain. A tool knows its service and the transport, never the page."""
