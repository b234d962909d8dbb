"""Chat completion endpoints: request, reply, stream, retry, check. No I/O of its own."""
