"""The tools, a package per domain. A tool knows its service and the transport, never the page."""
