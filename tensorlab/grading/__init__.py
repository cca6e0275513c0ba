"""Grading: the questions of each exercise, and how untrusted notebooks are asked them.

Where to read first, from the inside out:

- `suite`: what an exercise, a topic, a case and a known solution are; `suites` has those of each chapter
- `inside`: what runs beside a student's code; `boxes`: the places where that happens
- `outcomes` and `judge`: what an answer came to, whether it is right, and which belief explains it
- `notebook`, `session`, `grader`: one submission, from the file to its rows
- `submissions`: folders in; `ledger`, `standing`: what was handed in and graded, and what is left to do
- `results`, `reports`: CSV, JSON and other forms out
- `release`: exercises from solutions; `proof`: what every known solution is worth

A student's code never runs in the grader's process, and the grader scores nothing that the student can write:
it sends one input at a time and compares the plain value that comes back with the library's own. The library
is open, so the rule of an exercise (write it yourself) is kept up by switching its one function off while an
answer is called, and by nothing stronger.
"""
