"""The progress map: which predictions this browser remembers, and which exercises are solved."""
