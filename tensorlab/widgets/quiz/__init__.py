"""Quizzes: predictions that are committed before the reveal, recall questions, and programs to put in order."""
