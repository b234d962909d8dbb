"""Model endpoints: their wire formats without I/O, and the practice model, which needs none."""
