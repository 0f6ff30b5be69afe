"""Ways in: thin, and without opinions."""
