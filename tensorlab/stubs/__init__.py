"""What editors and type checkers see of the operators, made from the registry: functions and methods by name.

``python -m tensorlab.stubs`` writes the files, and with ``--check`` it says whether they are up to date.
"""
