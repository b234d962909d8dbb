"""What the bench makes of its samples."""

from tests.bench.figures import figure, table


def test_a_figure_is_the_median_with_its_spread_and_its_ratio_to_the_baseline() -> None:
    made = figure("cold start", "ms", [500, 900, 400, 600, 450], ("stock", [1000, 1100, 900]))
    assert made is not None
    assert (made.median, made.low, made.high, made.samples) == (500, 400, 900, 5)
    assert (made.baseline, made.ratio) == ("stock", 0.5)


def test_a_figure_that_an_engine_does_not_report_is_left_out() -> None:
    assert figure("longest task", "ms", [None, None]) is None
    alone = figure("longest task", "ms", [None, 80.0], ("stock", [None]))
    assert alone is not None
    assert (alone.median, alone.samples, alone.ratio) == (80.0, 1, None)


def test_the_table_says_what_a_ratio_is_compared_with() -> None:
    made = figure("cold start", "ms", [520.4], ("stock", [1000]))
    assert made is not None
    assert table({"firefox": [made]}).splitlines()[-1] == (
        "| firefox | cold start | 520 ms | 520 to 520 | 0.52 of stock |"
    )
