"""The Tape Player: a graph recorded and played back, value by value and gradient by gradient."""
