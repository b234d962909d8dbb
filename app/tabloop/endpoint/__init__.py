"""Chat completion endpoints: request, reply, stream, retry, check. Rule: I/O only through ports."""
