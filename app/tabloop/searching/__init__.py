"""What answers without a language model."""
