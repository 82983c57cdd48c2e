"""The lab: dealt hands and bots on top of the same engine that the table runs.

The engine never sees a hand. Here hands are dealt, held and played from, so that a simulated match
and a match at the virtual table are the same actions through the same `apply`.

What others use (each in the module named):

    hands.Hand(cards: tuple[str, ...], drawn: str | None = None)        frozen
        what one player holds; `drawn` (Anthem) is the card just drawn, not among `cards`

    hands.Hands(game: Game, rng: random.Random)
        .sync(state) -> None          after every verdict (and once after a restart, from any one):
                                      cards that left are dropped, cards gained come, hands are
                                      filled to the public hand sizes from the shuffled decks
        .hand(seat) -> Hand           what that seat holds now; in Anthem the seat to move draws
                                      here, once a turn
        .reshuffle(seat) -> None      the hand goes back into the shuffled deck and as many are drawn
                                      anew (a redraw's smaller count comes by sync)

    bots.Bot (Protocol)
        name: str
        choose(game: Game, state: Any, seat: int, hand: Hand, rng: random.Random) -> Json | None
            a JSON action of that seat for `game.parse`, or None to wait. `state` is the engine's
            public state: it holds nothing that a player could not know. Never a roll: dice are
            thrown by whoever runs the match.
    bots.bot(spec: str, game: Game) -> Bot          "random", "greedy", "careful", "searching", with
        options ("greedy:never=shield"); UsageError else (docs/bots.md)
    bots.names(game: Game) -> tuple[str, ...]

    match.next_action(game, state, hands, bots: Mapping[int, Bot], rng, *, dice=True) -> Json | None
        one step of a running table: an awaited die (unless `dice` is False), or a bot's action;
        seats without a bot are left to people
    match.rolls(state_json: Json) -> tuple[int, ...]      the seats whose die is awaited
    match.play(game, ruleset, bots, rng, setup=None, limit=5000) -> match.Played
        a whole match; the dice are rolled by the seeded generator and are actions like all others
    match.walk(… the same, judged=True) -> Iterator[match.Step]
        that match step by step; with judged=False what the lab's bots know to be legal is carried out
        without being judged once more

Many matches, in the order of the data (docs/measures.md says what is measured):

    plan.Plan ─▶ work.work (processes, or a Dask cluster) ─▶ simulate.chunk: match.walk ─▶ trace.Seen
    ─▶ measures.measure ─▶ tally.Tally ─▶ store.Results (SQLite), report.report, compare.differences

    live.measure_records(records) measures what people played by the same functions (trace.seen_in)

A new game's dealer and bots are found by their modules' names: `dealers/<game>.py` with a class
`Dealer`, `bots/<game>.py` with a table `BOTS`; without them it is played openly by `random`.
"""
