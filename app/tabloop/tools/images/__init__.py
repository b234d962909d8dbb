"""Pictures, each of them confirmed by the person."""
