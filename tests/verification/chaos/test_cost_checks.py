"""The checks find costs that are booked twice, or do not add up."""

from tests.verification.chaos.corruptible_run import Run


def pizza(amount: int, *shares: int, cost: int = 1) -> dict[str, object]:
    divided = [{"player": f"p{n}", "parts": 1, "amount": x} for n, x in enumerate(shares, 1)]
    return {"cost": cost, "payer": "p4", "amount": amount, "shares": divided}


def test_a_cost_that_was_recorded_corrected_and_voided_is_fine() -> None:
    run = Run()
    run.write("cost", "cost_recorded", **pizza(101, 51, 50))
    run.write("void_cost", "cost_voided", cost=1, recorded_version=2)
    run.write("correct_cost", "cost_recorded", **pizza(102, 51, 51))
    assert run.columns == set()


def test_a_cost_booked_twice_is_doubled() -> None:
    run = Run()
    for cost in (1, 2):
        run.write("cost", "cost_recorded", **pizza(101, 51, 50, cost=cost))
    assert run.columns == {"doubled"}


def test_shares_that_do_not_add_up_are_unbalanced() -> None:
    run = Run()
    run.write("cost", "cost_recorded", **pizza(101, 50, 50))
    assert run.columns == {"unbalanced"}


def test_a_cost_that_counts_twice_is_unbalanced() -> None:
    run = Run()
    run.write("cost", "cost_recorded", **pizza(101, 51, 50))
    run.write("correct_cost", "cost_recorded", **pizza(102, 51, 51))
    assert run.columns == {"unbalanced"}


def test_a_cost_that_is_voided_twice_is_unbalanced() -> None:
    run = Run()
    run.write("cost", "cost_recorded", **pizza(101, 51, 50))
    for _ in range(2):
        run.write("void_cost", "cost_voided", cost=1, recorded_version=2)
    assert run.columns == {"unbalanced"}
