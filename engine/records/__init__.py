"""Match records: what was done at a table, line by line, and the same again out of it.

record.Record                   header and lines; `Record.of(...)` makes one out of a match
files.write, files.read         JSON lines with a checksum chain (`schema/record.schema.json`)
replay.replay                   a record through today's rules, under the ruleset it carries
export.export                   jsonl, csv, text (a score sheet) and html (a page to print)
"""
