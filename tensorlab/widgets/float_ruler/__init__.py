"""The Float Ruler: where logits lie among the floats, what exp and softmax make of them."""
