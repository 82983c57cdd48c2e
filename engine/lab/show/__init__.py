"""What the lab's figures are shown with: charts, sentences, pictures, the playtest report, the study.

Nothing here changes a match or a count, and so nothing here is part of `plan.program()`: results stay
valid when a sentence is put better.
"""
