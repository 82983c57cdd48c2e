"""The rulebook as data (`book`), and Ask the rules: which rule answers, and what the table says."""
