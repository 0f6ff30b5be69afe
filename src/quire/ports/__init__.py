"""What Quire asks of the world: types and contracts, no I/O."""
