"""Real programs, from Debian's source packages."""


def programs(bench):
    return []
