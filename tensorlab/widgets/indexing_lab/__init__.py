"""The Indexing Lab: is it a view or a gather, which shape comes out, and what happens to duplicates."""
