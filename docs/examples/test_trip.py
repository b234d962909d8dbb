"""The trip without a model and without a person."""

from tabloop import Approved, ScriptedModel, Tool, calls

from docs.examples.trip import Trip, planner


class Agrees:
    """Approves everything, and remembers what it was asked."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    async def decide(self, tool: Tool, arguments: object) -> Approved:
        """Approve."""
        self.asked.append(tool.name)
        return Approved()


async def test_a_seat_is_booked_once_the_person_agrees() -> None:
    person, model = (
        Agrees(),
        ScriptedModel(
            calls("get_weather", town="Mainz"),
            calls("ask_guide", task="What is open in Mainz?"),
            calls("list_museums", town="Mainz"),  # the guide's first hop
            "The Museum of Mainz.",  # the guide's answer
            calls("book_train", town="Mainz"),
            calls("final_answer", town="Mainz", ticket="Mainz-1", reason="The sun shines."),
        ),
    )
    trip = await planner(model, person).answer("Where can I go today?")
    model.finish()
    assert trip == Trip(town="Mainz", ticket="Mainz-1", reason="The sun shines.")
    assert person.asked == ["book_train"]
