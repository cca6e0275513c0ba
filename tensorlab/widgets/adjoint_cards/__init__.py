"""The Adjoint Cards: pair an operation with its way back, and test the pair with numbers."""
