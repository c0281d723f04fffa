"""The optional compiled build (`make compiled`): which modules it takes, and that those are in use where it was built.

That it does the same is what the other tests say that `make compiled` runs on it: the goldens to the byte, orders, battles.
"""

import importlib
import sys
from pathlib import Path

import pytest

import wteaw.core.state
from wteaw.core.compiled import kept_by_arguments

TOOLS = Path(__file__).parent.parent / "tools"
sys.path.insert(0, str(TOOLS))
import compiled_build  # noqa: E402

sys.path.remove(str(TOOLS))

ENGINE = Path(__file__).parent.parent / "engine"
BUILT = not str(wteaw.core.state.__file__).endswith(".py")
NAMES = [name for group in compiled_build.GROUPS.values() for name in group]


def test_each_module_of_a_group_is_there_and_stands_in_one_group_only() -> None:
    assert not [name for name in NAMES if not (ENGINE / f"{name}.py").is_file()]
    assert len(NAMES) == len(set(NAMES))


def test_what_is_left_out_is_there_says_why_and_is_compiled_nowhere() -> None:
    assert not [name for name in compiled_build.LEFT_OUT if not (ENGINE / f"{name}.py").is_file()]
    assert all(why.strip() for why in compiled_build.LEFT_OUT.values())
    assert not set(NAMES) & set(compiled_build.LEFT_OUT)


def test_without_a_compiler_the_build_says_what_is_lacking(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("CC", "no-such-compiler")
    with pytest.raises(SystemExit, match="there is no C compiler \\(no-such-compiler\\)"):
        compiled_build.build(ENGINE.parent, tmp_path / "built")
    assert not (tmp_path / "built").exists()


class _Nameless:
    """As a method is where it is compiled and has functions within it: without a name."""

    def __init__(self) -> None:
        self.asked: list[int] = []

    def __call__(self, thing: object, number: int) -> int:
        self.asked.append(number)
        return number + 1


def test_the_answers_of_a_method_without_a_name_are_kept() -> None:
    class Thing:
        def __init__(self) -> None:
            self._kept: dict[str, object] = {}

    method = _Nameless()
    answer = kept_by_arguments(method)
    thing = Thing()
    assert [answer(thing, 3), answer(thing, 4), answer(thing, 3)] == [4, 5, 4]
    assert method.asked == [3, 4]


@pytest.mark.skipif(not BUILT, reason="this is plain Python; `make compiled` builds the other")
def test_in_a_compiled_build_the_modules_are_compiled() -> None:
    files = {name: str(importlib.import_module(name).__file__) for name in compiled_build.modules()}
    assert not [name for name, file in files.items() if file.endswith(".py")]
