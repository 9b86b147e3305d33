"""The oracle's scenarios, each compared value by value with what Spark wrote; see data/oracle/README.md."""
import os

import pytest

import check_assay

SCENARIOS = os.path.join(check_assay.ORACLE, "scenarios")
CORE = check_assay.core_scenarios()
# Beyond the core and not passed yet. A scenario that passes must be taken out of the list.
NOT_YET = set()


def scenarios():
    for name in sorted(os.listdir(SCENARIOS)):
        marks = [pytest.mark.xfail(reason="not done yet")] if name in NOT_YET - CORE else []
        yield pytest.param(name, marks=marks)


@pytest.mark.parametrize("name", list(scenarios()))
def test_scenario(assay, tmp_path, name):
    steps = list(check_assay.check(str(assay), 120, os.path.join(SCENARIOS, name), str(tmp_path / name)))
    wrong = [f"{step}: {difference}" for step, difference in steps if difference]
    assert steps and not wrong, "\n".join(wrong)


def test_core_is_known():
    assert len(CORE) >= 20
