"""Model endpoints: their wire formats without I/O."""
