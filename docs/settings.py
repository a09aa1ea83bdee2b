def load(path, encoding="utf-8"):
    """The settings in a file, one `name = value` per line."""
    settings = {}
    with path.open(encoding=encoding) as file:
        for number, line in enumerate(file, 1):
            if line.strip() and not line.startswith("#"):
                name, equals, value = line.partition("=")
                if not equals:
                    raise ValueError(f"{path}:{number}: no = in {line!r}")
                settings[name.strip()] = value.strip()
    return settings
