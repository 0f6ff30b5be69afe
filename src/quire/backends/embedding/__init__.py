"""Who turns text into vectors: a model on this machine, a service, or nobody. `chain` decides which."""
