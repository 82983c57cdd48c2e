"""One page: a small template, and beside it as JSON all that its script needs for the first drawing."""

from __future__ import annotations

import json
from typing import Any

from flask import g, render_template, request
from markupsafe import Markup

from engine.game import Audience
from web import assets, audience, catalogue, cookies, spoken
from web.app import site


def data_block(values: dict[str, Any]) -> Markup:
    """JSON that may stand inside a script element: no `<` can end it."""
    text = json.dumps(values, separators=(",", ":"), ensure_ascii=False)
    return Markup(text.replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029"))


def render(template: str, page: str, sees: Audience, **more: Any) -> str:
    """The page `page` for an audience; `more` goes to the template and, under `extra`, to the script.
    A page of the past gives `view=None`: it starts without the table's present view."""
    here = site()
    boot = {
        "page": page,
        "audience": audience.name(sees),
        "assets": assets.version(),
        "base": f"/static/{assets.version()}",
        "csrf": here.guard.csrf(g.visitor),
        "lang": g.language,
        "texts": script_texts(g.language),
        "operator": cookies.is_operator(here.guard, request.cookies),
        "virtual": here.table.virtual is not None,
        "extra": more.get("extra", {}),
        "view": more["view"] if "view" in more else spoken.told(here.table.view(sees), g.language),
    }
    return render_template(template, page=page, boot=data_block(boot), **more)


def script_texts(language: str) -> dict[str, str]:
    """The part of the catalogue that scripts use: all but what only templates and refusals say."""
    return {
        key: text
        for key, text in catalogue.texts(language).items()
        if not key.startswith(("html.", "refused."))
    }
