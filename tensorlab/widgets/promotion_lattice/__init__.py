"""The Promotion Lattice: the dtype that tensors, 0-dim tensors and numbers promote to."""
