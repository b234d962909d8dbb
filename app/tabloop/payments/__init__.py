"""Payments by x402: choosing an offer, sending it, recording the cost. Rule: I/O through ports."""
