"""The Reduction Lab: squash an axis, keep its dimension or not, see whether the result broadcasts back."""
