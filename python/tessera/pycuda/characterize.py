"""What devices and the platform can do."""


def has_double_support() -> bool:
    """Whether kernels compute with doubles: every device here does."""
    return True


def has_stack() -> bool:
    return True


def platform_bits() -> int:
    """Bits of an address."""
    return 64
