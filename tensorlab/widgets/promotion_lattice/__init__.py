"""The Promotion Lattice: in which dtype tensors, 0-dim tensors and numbers meet."""
