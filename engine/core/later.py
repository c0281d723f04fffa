"""Modules that are loaded when something of them is first asked for."""

from __future__ import annotations

from importlib import import_module
from typing import Any


class Later:
    """A module by its full name, which costs nothing until it is used: for a library that many commands do
    without, in place of an import in each function that needs it.
    """

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, name: str) -> Any:
        found = getattr(import_module(self._name), name)
        setattr(self, name, found)
        return found
