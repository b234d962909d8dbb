"""A landscape made from the hash of a prompt, as SVG. Rule: a prompt always gives the same one."""

import hashlib
import math
from collections.abc import Iterator
from html import escape

__all__ = ["draw"]

SKIES = (
    ("#f9d9b0", "#f2a47c", "#7a4a6b"),
    ("#cfe8ef", "#7fb6c9", "#1f5c70"),
    ("#f6e3c5", "#c7b6d8", "#4b4a7d"),
    ("#dfeecb", "#94c29a", "#1f5d57"),
    ("#2b3a67", "#5d5f9b", "#151c36"),
)
HILLS = 5
LABEL = "PRACTICE DRAWING · NO IMAGE MODEL"
LINE = 46  # most characters of the prompt in one line
LINES = 2


def draw(prompt: str, width: int, height: int) -> str:
    """Return the SVG document, with the prompt and `LABEL` as text in it."""
    seed = hashlib.sha256(prompt.encode()).digest()
    light, middle, dark = SKIES[seed[0] % len(SKIES)]
    sun_x, sun_y = width * (0.2 + seed[1] / 425), height * (0.22 + seed[2] / 1200)
    radius = 70 + seed[3] / 4
    sun = f'<circle cx="{sun_x:.0f}" cy="{sun_y:.0f}" fill="#fff6e0"'
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}"'
        f' viewBox="0 0 {width} {height}">',
        f'<linearGradient id="sky" x2="0" y2="1"><stop stop-color="{middle}"/>'
        f'<stop offset=".65" stop-color="{light}"/></linearGradient>',
        f'<rect width="{width}" height="{height}" fill="url(#sky)"/>',
        f'{sun} r="{radius * 1.7:.0f}" opacity=".2"/>{sun} r="{radius:.0f}" opacity=".92"/>',
        *(_birds(seed, width, height, dark)),
        *(_hill(seed, layer, width, height, dark) for layer in range(HILLS)),
        *(_words(prompt, width, height)),
        "</svg>",
    ]
    return "".join(parts)


def _hill(seed: bytes, layer: int, width: int, height: int, colour: str) -> str:
    base = height * (0.46 + 0.1 * layer)
    swing = height * (0.085 - 0.008 * layer)
    first, second = seed[4 + layer] / 40, seed[10 + layer] / 40
    points = " ".join(
        f"L{x:.0f} "
        f"{base + swing * (math.sin(x / 210 + first) + 0.5 * math.sin(x / 93 + second)):.0f}"
        for x in range(0, width + 32, 32)
    )
    shade = 0.26 + 0.15 * layer
    return f'<path d="M0 {height} {points} V{height}Z" fill="{colour}" opacity="{shade:.2f}"/>'


def _birds(seed: bytes, width: int, height: int, colour: str) -> Iterator[str]:
    for number in range(seed[20] % 5 + 2):
        x = width * (0.1 + 0.8 * seed[21 + number % 8] / 255) + 40 * number
        y = height * (0.12 + 0.2 * seed[24 + number % 7] / 255)
        wing = 12 + seed[16 + number % 6] / 18
        yield (
            f'<path d="M{x - wing:.0f} {y - wing / 2:.0f}q{wing / 2:.0f} {-wing / 4:.0f} {wing:.0f}'
            f" {wing / 2:.0f}q{wing / 2:.0f} {-wing * 3 / 4:.0f} {wing:.0f} {-wing / 2:.0f}"
            f'" fill="none" stroke="{colour}" stroke-width="4" stroke-linecap="round"/>'
        )


def _words(prompt: str, width: int, height: int) -> Iterator[str]:
    style = 'text-anchor="middle" fill="#fff" font-family="Georgia, serif"'
    lines = _lines(prompt)
    for number, line in enumerate(lines):
        y = height - 96 - 46 * (len(lines) - 1 - number)
        yield f'<text x="{width / 2:.0f}" y="{y}" font-size="36" {style}>{escape(line)}</text>'
    yield (
        f'<text x="{width / 2:.0f}" y="{height - 40}" font-size="22" letter-spacing="4"'
        f' opacity=".85" {style}>{LABEL}</text>'
    )


def _lines(prompt: str) -> list[str]:
    """Return the prompt's first words in lines, without characters that XML forbids."""
    lines = [""]
    for word in "".join(c if c.isprintable() else " " for c in prompt).split():
        if len(lines[-1]) + len(word) >= LINE:
            if len(lines) == LINES:
                lines[-1] += " …"
                break
            lines.append("")
        lines[-1] = f"{lines[-1]} {word[:LINE]}".strip()
    return lines
