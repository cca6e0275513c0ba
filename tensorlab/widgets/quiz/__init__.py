"""Quizzes: predictions committed before the reveal, recall questions, programs to put in order."""
