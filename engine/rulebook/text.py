"""A rulebook as Markdown, to be read in a terminal or put on a page."""

from __future__ import annotations

from collections.abc import Iterator

from .blocks import Block, FigureTable, Heading, Listing, Rule, Rulebook, Text
from .phrases import table


def as_text(book: Rulebook) -> str:
    """The whole book as Markdown."""
    parts = [f"# {book.title}", *([book.description] if book.description else [])]
    parts.append("## Contents")
    parts.append(
        "\n".join(
            f"- [{c.title}](#{c.anchor})" + (f" ({c.told_phase})" if c.told_phase else "")
            for c in book.chapters
        )
    )
    for chapter in book.chapters:
        parts.append(f'<a id="{chapter.anchor}"></a>\n\n## {chapter.title}')
        if chapter.told_phase:
            parts.append(f"*{chapter.told_phase}*")
        for block in chapter.blocks:
            parts += _block(block)
    return "\n\n".join(parts) + "\n"


def _block(block: Block) -> Iterator[str]:
    if isinstance(block, Rule):
        yield _rule(block)
        for reading in block.readings:
            yield f"> {_rule(reading)}"
    elif isinstance(block, FigureTable):
        if block.caption:
            yield f"**{block.caption}**"
        rows = [[f"`{v}`" if n in block.code else v for n, v in enumerate(row)] for row in block.rows]
        yield table(block.head, rows)
        if block.notes:
            yield f"*{'; '.join(block.notes)}.*"
    elif isinstance(block, Heading):
        yield f"### {block.text}"
    elif isinstance(block, Listing):
        links = block.links or ("",) * len(block.lines)
        yield "\n".join(
            f"- [{line}](#{to})" if to else f"- {line}" for line, to in zip(block.lines, links, strict=True)
        )
    elif isinstance(block, Text):
        yield block.text


def _rule(rule: Rule) -> str:
    title = rule.title if rule.title[-1:] in ".?!" else f"{rule.title}."
    said = f"**{title}** {rule.text}" if rule.title else rule.text
    if rule.why:
        said += f" *({_mark(rule)}: {rule.why})*"
    elif rule.status in MARKS and rule.status != "example":
        said += f" *({_mark(rule)})*"
    if rule.option:
        said += f" *A game may choose: {rule.option}.*"
    if rule.tests is not None:
        said += (
            f" `{rule.id}`{f', lines {rule.lines}' if rule.lines else ''} ({rule.tests} "
            f"test{'' if rule.tests == 1 else 's'})"
        )
    return said


def _mark(rule: Rule) -> str:
    return MARKS.get(rule.status, "note")


MARKS = {"ruling": "a ruling", "reconstructed": "rebuilt", "example": "an example"}
"""What a rule that the published text does not state is marked as."""
