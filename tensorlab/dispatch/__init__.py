"""The door: from a call with tensors to a launched kernel, and to what the backward pass will need.

``primitive``  the door itself: every operation is a `Primitive`, and every call passes here
``operands``   which dtype operands of several dtypes are promoted to
``guards``     what a write into a tensor may not do
``memory``     new memory for tensors
``copies``     a tensor or a number into every element of another
``resizing``   what becomes of an ``out=`` of another shape
"""
