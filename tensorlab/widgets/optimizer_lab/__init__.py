"""The Optimizer Lab: one valley, and the way of an optimizer down it."""
