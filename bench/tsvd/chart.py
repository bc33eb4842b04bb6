"""chart.py: the charts of bench/tsvd as SVG, without libraries."""

COLORS = {"static-random": "#888888", "random": "#cc7700", "hb": "#0066cc", "tsvd": "#cc0044"}
OTHER = "#cc0044"


def document(width, height, parts):
    return "\n".join([f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
                      f'viewBox="0 0 {width} {height}" font-family="sans-serif" font-size="12">',
                      f'<rect width="{width}" height="{height}" fill="white"/>', *parts, "</svg>"]) + "\n"


def text(x, y, words, more=""):
    words = str(words).replace("&", "&amp;").replace("<", "&lt;")
    return f'<text x="{x:.1f}" y="{y:.1f}" {more}>{words}</text>'


def axes(x, y, width, height, top, label):
    """A frame with a scale from 0 to top at its left; y is its lower edge."""
    out = [f'<path d="M{x},{y - height} V{y} H{x + width}" fill="none" stroke="black"/>',
           text(x, y - height - 8, label)]
    for i in range(5):
        v = top * i / 4
        at = y - height * i / 4
        out.append(text(x - 5, at + 4, f"{v:.0f}", 'text-anchor="end" fill="#555"'))
        out.append(f'<path d="M{x},{at:.1f} h{width}" stroke="#ddd"/>')
    return out


def curves(data, path, title):
    """Figure 8: lines of found violations over runs, one per mode."""
    x, y, width, height = 60, 360, 560, 300
    runs = max(len(c) for c in data.values())
    top = max(4, max(max(c) for c in data.values()))
    parts = axes(x, y, width, height, top, title)
    for k, (name, c) in enumerate(data.items()):
        step = width / max(1, runs - 1)
        at = [(x + i * step, y - v * height / top) for i, v in enumerate(c)]
        parts.append(f'<polyline fill="none" stroke="{COLORS[name]}" stroke-width="2" points="'
                     + " ".join(f"{px:.1f},{py:.1f}" for px, py in at) + '"/>')
        parts.append(text(x + width + 10, y - height + 20 * k + 10, f"{name}: {c[-1]}",
                          f'fill="{COLORS.get(name, OTHER)}"'))
    parts.append(text(x, y + 25, f"runs, 1 to {runs}"))
    save(path, document(760, 400, parts))


def bars(rows, path, title):
    """Table 2: (name, in run 1, in run 2, overhead) as bars."""
    x, y, height = 60, 300, 240
    top = max(4, max(a + b for _, a, b, _ in rows))
    parts = axes(x, y, 120 * len(rows), height, top, title)
    for k, (name, first, second, overhead) in enumerate(rows):
        left, low = x + 120 * k + 25, y - first * height / top
        parts += [f'<rect x="{left}" y="{low:.1f}" width="60" height="{y - low:.1f}" fill="{COLORS.get(name, OTHER)}"/>',
                  f'<rect x="{left}" y="{low - second * height / top:.1f}" width="60" '
                  f'height="{second * height / top:.1f}" fill="{COLORS.get(name, OTHER)}" opacity="0.45"/>',
                  text(left, y + 18, name), text(left, y + 34, f"{overhead:.0f} % overhead", 'fill="#555"')]
    parts.append(text(x, y + 58, "dark: run 1, light: run 2"))
    save(path, document(120 * len(rows) + 120, 380, parts))


def sweeps(data, path, bugs):
    """Figure 9: per parameter the violations found (bars) and the overhead (line)."""
    parts, width, height = [], 230, 130
    for k, (name, points) in enumerate(data.items()):
        x, y = 60 + (k % 3) * 330, 180 + (k // 3) * 220
        parts += axes(x, y, width, height, bugs, name)
        step = width / len(points)
        top = max(1, max(p[2] for p in points))
        line = []
        for i, (value, found, overhead) in enumerate(points):
            h = found * height / max(1, bugs)
            parts.append(f'<rect x="{x + i * step + 4:.1f}" y="{y - h:.1f}" width="{step - 8:.1f}" '
                         f'height="{h:.1f}" fill="#cc0044" opacity="0.6"/>')
            parts.append(text(x + i * step + step / 2, y + 15, value, 'text-anchor="middle"'))
            line.append(f"{x + i * step + step / 2:.1f},{y - max(0, overhead) * height / top:.1f}")
        parts.append(f'<polyline fill="none" stroke="#0066cc" stroke-width="2" points="{" ".join(line)}"/>')
        parts.append(text(x + width, y - height - 8, f"overhead, line: 0 to {top:.0f} %",
                          'text-anchor="end" fill="#0066cc"'))
    rows = (len(data) + 2) // 3
    save(path, document(1040, 60 + rows * 220, parts))


def save(path, content):
    with open(path, "w") as f:
        f.write(content)
