"""A grouped bar chart as SVG: one group per program, one bar per tool, on a logarithmic scale."""

import math
from xml.sax.saxutils import escape

BAR, GAP, LEFT, RIGHT, TOP = 9, 10, 110, 60, 70
WIDTH = 1000


def bars(title, note, groups, series):
    """groups: (name, [value or None for each of series]); series: (name, colour). The SVG's text."""
    values = [value for _, row in groups for value in row if value]
    top = round_up(max(values + [10]))
    low = min(1.0, min(values + [1.0]))
    group_height = BAR * len(series) + GAP
    height = TOP + group_height * len(groups) + 30

    def x(value):
        scale = (math.log10(value) - math.log10(low)) / (math.log10(top) - math.log10(low))
        return LEFT + scale * (WIDTH - LEFT - RIGHT)

    out = [
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" font-family="sans-serif" font-size="11">'
        % (WIDTH, height),
        '<rect width="100%" height="100%" fill="white"/>',
        '<text x="10" y="20" font-size="15">%s</text>' % escape(title),
        '<text x="10" y="37" fill="#555">%s</text>' % escape(note),
    ]
    out += legend(series) + grid(x, low, top, height)
    for index, (name, row) in enumerate(groups):
        out += group(name, zip(row, series), TOP + index * group_height, x)
    return "\n".join(out + ["</svg>", ""])


def round_up(value):
    power = 10 ** math.floor(math.log10(value))
    return next(step * power for step in (1, 2, 5, 10) if step * power >= value)


def legend(series):
    out, at = [], 10
    for name, colour in series:
        out.append('<rect x="%d" y="46" width="9" height="9" fill="%s"/>' % (at, colour))
        out.append('<text x="%d" y="55">%s</text>' % (at + 13, escape(name)))
        at += 26 + 6.2 * len(name)
    return out


def grid(x, low, top, height):
    out = []
    for power in range(math.floor(math.log10(low)), math.ceil(math.log10(top)) + 1):
        for step in (1, 2, 5):
            value = step * 10**power
            if low <= value <= top:
                line = '<line x1="%.1f" x2="%.1f" y1="%d" y2="%d" stroke="%s"/>'
                out.append(line % (x(value), x(value), TOP - 8, height - 22, "#bbb" if step == 1 else "#e4e4e4"))
                out.append('<text x="%.1f" y="%d" text-anchor="middle">%g</text>' % (x(value), height - 8, value))
    return out


def group(name, bars_of, y, x):
    out, middle = [], y + 4
    for index, (value, (_, colour)) in enumerate(bars_of):
        middle = y + BAR * (index + 1) / 2 + 4
        if not value:
            continue
        bar = '<rect x="%d" y="%d" width="%.1f" height="%d" fill="%s"/>'
        width = max(x(value) - LEFT, 1)
        out.append(bar % (LEFT, y + index * BAR, width, BAR - 1, colour))
        label = '<text x="%.1f" y="%d" font-size="8" fill="#333">%s</text>'
        out.append(label % (LEFT + width + 3, y + index * BAR + 8, "%.0f" % value if value >= 100 else "%.3g" % value))
    out.append('<text x="%d" y="%.1f" text-anchor="end">%s</text>' % (LEFT - 8, middle, escape(name)))
    return out
