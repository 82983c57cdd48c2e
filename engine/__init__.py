"""The rules: games, rulesets, verdicts, records, bots and the playtest lab. Pure; see README.md."""
