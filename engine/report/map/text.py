"""How wide a text is, measured with the shipped font, and how text goes safely into XML.

The widths come from the font file itself, so labels can be laid out without a renderer.
"""

from __future__ import annotations

import re
import struct
from functools import lru_cache
from html import escape
from pathlib import Path

FONTS = Path(__file__).resolve().parent.parent / "fonts"
REGULAR, BOLD = FONTS / "DejaVuSansCondensed.ttf", FONTS / "DejaVuSansCondensed-Bold.ttf"
FAMILY = "DejaVu Sans Condensed, DejaVu Sans, Verdana, sans-serif"

_NOT_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def xml(text: str) -> str:
    """The text, fit for an XML attribute or element: marked up characters escaped, those that XML forbids
    left out.
    """
    return escape(_NOT_XML.sub("", text), quote=True)


@lru_cache(maxsize=8192)
def text_width(text: str, size: float, bold: bool = False) -> float:
    """Width of a line of text at a font size, in the size's unit."""
    advances, glyphs, unit = _metrics(BOLD if bold else REGULAR)
    total = 0
    for character in text:
        glyph = glyphs.get(ord(character), 0)
        total += advances[min(glyph, len(advances) - 1)]
    return total * size / unit


@lru_cache(maxsize=2)
def _metrics(path: Path) -> tuple[tuple[int, ...], dict[int, int], int]:
    """Advance width by glyph, glyph by code point (basic plane), and units per em, of a TrueType file."""
    data = path.read_bytes()
    tables = {}
    for k in range(struct.unpack_from(">H", data, 4)[0]):
        name, _, offset, _ = struct.unpack_from(">4sIII", data, 12 + 16 * k)
        tables[name] = offset
    unit = struct.unpack_from(">H", data, tables[b"head"] + 18)[0]
    count = struct.unpack_from(">H", data, tables[b"hhea"] + 34)[0]
    pairs = struct.unpack_from(f">{2 * count}H", data, tables[b"hmtx"])
    return pairs[::2], _glyphs(data, tables[b"cmap"]), unit


def _glyphs(data: bytes, cmap: int) -> dict[int, int]:
    """Code point to glyph from the first segment table (format 4) of a character map."""
    for k in range(struct.unpack_from(">H", data, cmap + 2)[0]):
        start = cmap + struct.unpack_from(">I", data, cmap + 8 + 8 * k)[0]
        if struct.unpack_from(">H", data, start)[0] == 4:
            break
    else:
        return {}
    segments = struct.unpack_from(">H", data, start + 6)[0] // 2
    ends = struct.unpack_from(f">{segments}H", data, start + 14)
    firsts = struct.unpack_from(f">{segments}H", data, start + 16 + 2 * segments)
    deltas = struct.unpack_from(f">{segments}H", data, start + 16 + 4 * segments)
    offsets_at = start + 16 + 6 * segments
    offsets = struct.unpack_from(f">{segments}H", data, offsets_at)
    glyphs = {}
    for k in range(segments):
        for code in range(firsts[k], min(ends[k], 0xFFFE) + 1):
            glyph = code
            if offsets[k]:
                glyph = struct.unpack_from(
                    ">H", data, offsets_at + 2 * k + offsets[k] + 2 * (code - firsts[k])
                )[0]
                if glyph == 0:
                    continue
            glyphs[code] = (glyph + deltas[k]) & 0xFFFF
    return glyphs
