"""The Matmul Lab: which axes are summed over, which batch dimensions stretch, and what the product costs."""
