"""The Convolution Walk: windows are strides, and the channels' order says which cache lines they touch."""
