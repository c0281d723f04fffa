"""From SVG text to PNG bytes, with the shipped font and no other, so that the same map gives the same picture
anywhere.
"""

from __future__ import annotations

from .text import BOLD, REGULAR


def to_png(svg: str, width: int) -> bytes:
    """The picture as PNG, `width` pixels wide and as high as its proportions ask.

    Raises ValueError if the width is not positive or the text is no SVG.
    """
    if width <= 0:
        raise ValueError(f"a picture cannot be {width} pixels wide")
    import resvg_py  # here, so that only pictures wait for it

    return bytes(
        resvg_py.svg_to_bytes(
            svg_string=svg,
            width=width,
            skip_system_fonts=True,
            font_files=[str(REGULAR), str(BOLD)],
            font_family="DejaVu Sans",
            sans_serif_family="DejaVu Sans",
            background="#ffffff",
        )
    )
