"""The virtual table's page: hands, dice and devices that a person moves. Only in `--virtual` runs."""

from __future__ import annotations

from typing import Any

from flask import Blueprint, request

from web import cookies, page
from web.app import refuse, site
from web.audience import OPERATOR
from web.operator import login_page

blueprint = Blueprint("virtual", __name__)


@blueprint.get("/virtual")
def virtual() -> Any:
    """The page; it shows every hand, so it is the operator's."""
    here = site()
    if here.table.virtual is None:
        return refuse(404, "no_virtual")
    if not cookies.is_operator(here.guard, request.cookies):
        return login_page("/virtual")
    return page.render("page.html", "virtual", OPERATOR, extra={"world": here.table.virtual.state()})
