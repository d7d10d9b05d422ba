"""Worked examples, quizzes and experiments for the classroom."""
