"""The Matmul Lab: which axes meet, which batch dimensions stretch, and what the product costs."""
