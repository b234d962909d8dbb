"""Every await of the product with every fault, in plain Python: nothing is lost after any of them.

The cells come from two lists, without those that a rule leaves out; what needs a page (the draft,
reload, storage, render, clipboard, file, tabs) is in tests/e2e/test_fault_matrix.py.
"""

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TypeAlias

import pytest
from tabloop.agent.stop import Stop
from tabloop.payments.errors import wallet_error
from tabloop.ui.answer_state import AnswerState
from tabloop.ui.image_card import price_html
from tabloop.ui.pictures import outcome_html
from tabloop.ui.problems import problem_of
from tabloop.ui.steps import step_html
from tabloop.ui.strings import load_strings

from tests.conftest import Tried
from tests.unit.faulty_page import FaultyPage
from tests.unit.faulty_services import CEILING, CHARGED, FAULTS_OF_RESPONSES, RECEIPTS, Network

EN = load_strings("en")
DAY = 86_400.0

Call: TypeAlias = tuple[str, Mapping[str, object]]


@dataclass(frozen=True)
class Await:
    """One await: its `place` in the network or the wallet, and what leads there."""

    place: str
    thing: str  # the host or the thing that a sentence must name
    host: str = "free.test"
    stream: bool = False
    call: Call | None = None
    of_wallet: bool = False


PICTURE: Call = ("generate_image", {"prompt": "a cat"})
LOOK: Call = ("get_sitzungen", {})
AWAITS = {
    "model request": Await("model", "free.test"),
    "model stream": Await("model", "free.test", stream=True),
    "model after a tool": Await("model after a tool", "free.test", call=LOOK),
    "sessions": Await("record.test/sitzungen", "record.test", call=LOOK),
    "fact-checks": Await(
        "record.test/claims", "record.test", call=("search_claims", {"query": "water"})
    ),
    "search_site": Await(
        "museum.test/index.json", "index.json", call=("search_site", {"query": "water"})
    ),
    "get_page": Await("museum.test/a/", "/a/", call=("get_page", {"url": "/a/"})),
    "analytics": Await("numbers.test/stats", "numbers.test", call=("get_analytics", {})),
    "picture's price": Await("price of pictures", "paid.pictures.test", call=PICTURE),
    "picture": Await("paid pictures", "paid.pictures.test", call=PICTURE),
    "message's price": Await("price of messages", "paid.test", host="paid.test"),
    "paid message": Await("paid messages", "paid.test", host="paid.test"),
    "wallet request": Await("text", "sign", call=("get_analytics", {}), of_wallet=True),
    "signature": Await("sign", "wallet", host="paid.test", of_wallet=True),
    "signature for a picture": Await("sign", "wallet", call=PICTURE, of_wallet=True),
    "channel read": Await("plan", "wallet", host="paid.test", of_wallet=True),
}
FAULTS_OF_WALLETS: Mapping[str, Exception | float | None] = {
    "refused": wallet_error("4001", "User rejected"),
    "locked": wallet_error("-32002", "already pending"),
    "offline, then back": wallet_error("rpc_failed", "no connection to the chain"),
    "wrong type": wallet_error("bad_signature", ""),
    "account changed": wallet_error("account_changed", ""),
    "HTTP 500": wallet_error("-32603", "Internal error"),
    "slow": 100.0,
    "exception": RuntimeError("a bug behind the port"),
}
CLOCKS = {"clock a day later": DAY, "clock a day earlier": -DAY}
FAULTS = tuple(dict.fromkeys([*FAULTS_OF_RESPONSES, *FAULTS_OF_WALLETS, "Stop", *CLOCKS]))

Rule = Callable[[Await, str], bool]
LEFT_OUT: Mapping[str, Rule] = {
    "a wallet answers by values, so only these faults reach its port": lambda place, fault: (
        place.of_wallet and fault not in (*FAULTS_OF_WALLETS, "Stop", *CLOCKS)
    ),
    "no server is a wallet": lambda place, fault: (
        not place.of_wallet and fault in FAULTS_OF_WALLETS and fault not in FAULTS_OF_RESPONSES
    ),
    "the card on the page catches a bug, see browser/image_card.py": lambda place, fault: (
        place.place == "price of pictures" and fault == "exception"
    ),
}
BUG = ("inside the page", "a fault in the tool itself")  # what names our own exception
MEANINGS = {
    **{400: "bad_request", 401: "refused", 403: "refused", 404: "bad_request"},
    **{429: "busy", 500: "broken", 502: "broken"},
}
WHOLE = ("slow", *CLOCKS)  # faults after which the right answer comes all the same

CELLS = [
    pytest.param(name, fault, id=f"{name}, {fault}")
    for name, place in AWAITS.items()
    for fault in FAULTS
    if not any(rule(place, fault) for rule in LEFT_OUT.values())
]


def page_with(place: Await, fault: str) -> FaultyPage:
    """A page where only this await has this fault."""
    network = Network(call=place.call)
    page = FaultyPage(network, host=place.host, stream=place.stream)
    if place.of_wallet:
        page.wallet.broken = place.place
        page.wallet.broken_by = FAULTS_OF_WALLETS.get(fault)
    elif fault == "Stop":
        network.hangs = place.place
    else:
        network.broken = place.place
    if fault in FAULTS_OF_RESPONSES:
        network.fault = FAULTS_OF_RESPONSES[fault]
    if fault in CLOCKS:
        page.wallet.broken_by = 1.0
        network.fault = lambda _request, good: good

        def jump() -> None:
            page.time += CLOCKS[fault]

        network.while_asked = page.wallet.while_asked = jump
    return page


async def first(page: FaultyPage, fault: str) -> AnswerState:
    """Ask, and press Stop as soon as the await hangs, if that is the fault."""
    stop = Stop()
    if fault != "Stop":
        return await page.ask("first", stop)
    run = asyncio.ensure_future(page.ask("first", stop))
    waits = [asyncio.ensure_future(e.wait()) for e in (page.network.hanging, page.wallet.hanging)]
    await asyncio.wait([run, *waits], return_when=asyncio.FIRST_COMPLETED)
    assert not run.done(), "the run must wait for what never comes"
    stop.press()
    state = await run
    for wait in waits:
        wait.cancel()
    assert state.ended
    assert state.ended.outcome == "stopped"
    return state


def told(page: FaultyPage, state: AnswerState) -> str:
    """All that the person reads about the run."""
    shown = [step_html(EN, step, whole=True) for step in state.steps]
    shown += [outcome_html(EN, picture) for picture in state.picture_outcomes]
    if page.approver.error:
        shown.append(price_html(EN, page.approver.error))
    assert state.ended
    problem = problem_of(EN, state.ended, has_text=bool(state.text.strip()), hops=6, model="m")
    words = [problem.sentence, problem.words] if problem else []
    return " ".join([*map(str, shown), *words])


def check_books(page: FaultyPage) -> None:
    """Each signature that reached a shop is in the books once: at its receipt or its ceiling."""
    ledger, sent = page.policy.ledger, page.network.vouchers.values()
    least = sum(CHARGED[what] for what in sent)
    most = sum(max(CHARGED[what], CEILING[what]) for what in sent)
    assert ledger.charged <= least
    assert least <= ledger.committed <= most
    assert ledger.charged + ledger.uncertain == ledger.committed, "nothing is in flight any more"


@pytest.mark.parametrize(("name", "fault"), CELLS)
async def test_after_any_fault_the_conversation_goes_on_and_nothing_is_lost(
    name: str, fault: str, held: Tried
) -> None:
    place = AWAITS[name]
    page = page_with(place, fault)
    state = await first(page, fault)
    assert place.of_wallet or place.place in page.network.asked, "the await was never reached"
    assert not any(step.state == "running" or step.waiting for step in state.steps)
    said = told(page, state)
    if fault == "exception":
        assert any(words in said for words in BUG), said
    elif fault not in ("Stop", *WHOLE):
        assert place.thing in said.lower(), said
    if place.call and place.call != PICTURE and "/" in place.place and fault.startswith("HTTP"):
        assert EN(f"failure.{MEANINGS[int(fault[5:])]}") in said, said
    if fault == "slow":
        assert state.text == "Fine.", said
    check_books(page)
    # everything works again: the next question is answered
    page.network.broken = page.network.hangs = page.wallet.broken = ""
    again = await page.ask("second")
    assert again.text == "Fine.", told(page, again)
    check_books(page)
    held(name, 1)


@pytest.mark.parametrize("sent", RECEIPTS)
@pytest.mark.parametrize("name", ["paid message", "picture"])
async def test_a_receipt_that_proves_nothing_leaves_the_ceiling_in_the_books(
    name: str, sent: str, held: Tried
) -> None:
    page = page_with(AWAITS[name], "slow")
    page.network.receipt = RECEIPTS[sent]
    state = await page.ask("first")
    assert state.text == "Fine.", told(page, state)
    check_books(page)
    assert (page.policy.ledger.charged, page.policy.ledger.uncertain > 0) == (0, True)
    page.network.receipt = ""
    assert (await page.ask("second")).text == "Fine."
    check_books(page)
    held("receipt", 1)


@pytest.mark.parametrize("name", [name for name, place in AWAITS.items() if not place.of_wallet])
async def test_two_tabs_that_do_the_same_at_once_both_get_their_answer(
    name: str, held: Tried
) -> None:
    one, other = page_with(AWAITS[name], "slow"), page_with(AWAITS[name], "slow")
    other.network.vouchers, other.locks.held = one.network.vouchers, one.locks.held
    one.wallet.kinds = ["voucher"]
    other.wallet.kinds, other.wallet.account = ["voucher"], one.wallet.account
    states = await asyncio.gather(one.ask("first"), other.ask("first"))
    assert [state.text for state in states] == ["Fine.", "Fine."]
    held(name, 1)
