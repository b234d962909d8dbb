"""Paying by x402: which offer may be signed, sending it, and what it cost. No I/O of its own."""
