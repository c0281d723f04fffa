"""`python -m wteaw`: the same as the command `wteaw`."""

from .cli import main

main()
