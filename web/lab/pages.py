"""`/lab`: what the designer asks, answered with pictures; simulations from a page. The operator's.

Whatever is heavy (the lab's engine, plotly) is imported when a page of the lab is asked for, so that a
table starts as quickly as without it.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any, Final

from flask import Blueprint, Response, g, jsonify, redirect, render_template, request

from engine.errors import CrowntableError
from web import assets, cookies, page, spoken
from web.app import refuse, site
from web.operator import login_page

blueprint = Blueprint("lab", __name__)
#: How each language writes decimals and thousands, as plotly is told.
SEPARATORS: Final = {"it": ",."}


def _stopped(wanted: str | None) -> Any:
    """None where this is the operator; else what to answer: the PIN's page, or for programs a refusal."""
    if cookies.is_operator(site().guard, request.cookies):
        return None
    return refuse(401, "pin") if wanted is None else login_page(wanted)


def _answers() -> Any:
    from web.lab.answers import Asked, answers

    return answers(site().table, site().guard.data, Asked.of(request.args), g.language)


@blueprint.get("/lab")
def lab() -> Any:
    """`?result=…&compare=…&no_corrected=1&no_doubtful=1&mix=1`: every question with its answer and chart."""
    stopped = _stopped("/lab")
    if stopped is not None:
        return stopped
    from engine.lab.show.chart import table
    from engine.lab.show.paper import counted_in_words, marks_in_words
    from engine.lab.show.words import Words
    from web.lab.figures import figure, palette
    from web.lab.said import said

    found, words = _answers(), Words(g.language)
    separators = SEPARATORS.get(g.language, ".,")
    cards = [
        {
            "chart": chart,
            "table": table(chart, words.columns()),
            "figure": page.data_block(figure(chart, separators)),
        }
        for chart in found.charts
    ]
    return render_template(
        "lab.html",
        page="lab",
        found=found,
        cards=cards,
        query=found.asked.query(),
        rows=[
            (
                match.name,
                marks_in_words(match, words),
                found.run and counted_in_words(match, found.people, words),
            )
            for match in found.matches
        ],
        words=words,
        palette=page.data_block(palette()),
        plotly=assets.PLOTLY,
        styles=assets.plotly_styles(),
        virtual=site().table.virtual is not None,
        over=sum(not match.left for match in found.matches),
        said=said(site().table, found, g.language),
    )


@blueprint.get("/lab/<chart>.csv")
def as_csv(chart: str) -> Any:
    """A chart's figures, for the same query as the page's."""
    stopped = _stopped("/lab")
    if stopped is not None:
        return stopped
    from engine.lab.show.chart import as_csv as written
    from engine.lab.show.words import Words

    wanted = next((one for one in _answers().charts if one.id == chart), None)
    if wanted is None:
        return refuse(404, "missing")
    response = Response(written(wanted, Words(g.language).columns()), content_type="text/csv; charset=utf-8")
    response.headers["Content-Disposition"] = f'attachment; filename="crowntable-lab-{chart}.csv"'
    return response


@blueprint.get("/lab/report.html")
def report() -> Any:
    """The report to print, for the same query as the page's: one file that stands for itself."""
    stopped = _stopped("/lab")
    if stopped is not None:
        return stopped
    from engine.lab.show.paper import Paper
    from engine.lab.show.paper import page as printed
    from engine.lab.show.words import Words
    from web.lab.said import said

    found = _answers()
    files = tuple(f"{one.name}.json" for one in (found.run, found.comparison) if one is not None)
    if not files:
        return refuse(404, "missing")
    first = found.run or found.comparison
    result = found.run.answer if found.run is not None else None
    made = datetime.now().astimezone().strftime("%Y-%m-%d")
    told = said(site().table, found, g.language)
    more = () if told is None else (told,)
    paper = Paper(first.answer["game"], made, files, found.charts, result, found.matches, found.people, more)
    response = Response(printed(paper, Words(g.language)), content_type="text/html; charset=utf-8")
    response.headers["Content-Disposition"] = 'attachment; filename="crowntable-playtest-report.html"'
    return response


@blueprint.get("/lab/runs")
def runs(problem: str = "", status: int = 200) -> Any:
    """Start a simulation or a comparison, see how far it is, stop it; and what there is."""
    stopped = _stopped("/lab/runs")
    if stopped is not None:
        return stopped
    from web import rulesets
    from web.lab.begin import MOST, bots_offered, changes_offered
    from web.lab.files import folder_of, found_in
    from web.lab.runs import runs_of

    data = site().guard.data
    listed = [
        {"name": one.name, "kind": one.kind, "answer": one.answer, "when": _when(one.changed)}
        for one in found_in(data)
    ]
    games = rulesets.games()
    changes = {one["game"]: changes_offered(one["game"]) for one in games}
    return render_template(
        "lab_runs.html",
        page="lab",
        files=listed,
        folder=folder_of(data),
        state=_said(runs_of(data).state()),
        games=games,
        seats=sorted({n for one in games for n in one["seats"]}),
        turns=sorted({n for one in games for n in one["turns"]}),
        bots=bots_offered(),
        changes=changes,
        most=MOST,
        problem=problem,
        form=request.form,
    ), status


def _when(changed: float) -> str:
    return datetime.fromtimestamp(changed).astimezone().strftime("%Y-%m-%d %H:%M")


def _said(state: dict[str, Any]) -> dict[str, Any]:
    """The state of a run with its sentences in the reader's language."""
    if "text" not in state:
        return state
    return state | {key: spoken.say(state[key], g.language) for key in ("text", "cure")}


@blueprint.get("/lab/status")
def status() -> Any:
    """How far the running simulation is, for the page's script."""
    stopped = _stopped(None)
    if stopped is not None:
        return stopped
    from web.lab.runs import runs_of

    return jsonify(_said(runs_of(site().guard.data).state()))


@blueprint.post("/lab/run")
def run() -> Any:
    """Starts a simulation."""
    stopped = _stopped("/lab/runs")
    if stopped is not None:
        return stopped
    from web.lab.begin import run_command

    return _started(lambda: run_command(request.form))


@blueprint.post("/lab/compare")
def compare() -> Any:
    """Starts a comparison of the shipped rules with one change of them."""
    stopped = _stopped("/lab/runs")
    if stopped is not None:
        return stopped
    from web.lab.begin import compare_command

    return _started(lambda: compare_command(request.form, site().guard.data))


def _started(command: Any) -> Any:
    from web.lab.runs import runs_of

    try:
        runs_of(site().guard.data).start(*command())
    except CrowntableError as error:
        return runs(spoken.say(f"{error.what} {error.cure}", g.language), 422)
    return redirect("/lab/runs", code=303)


@blueprint.post("/lab/stop")
def stop() -> Any:
    """Stops the simulation; what is done is kept."""
    stopped = _stopped("/lab/runs")
    if stopped is not None:
        return stopped
    from web.lab.runs import runs_of

    runs_of(site().guard.data).stop()
    return redirect("/lab/runs", code=303)
