"""The digest that records have of a text, as `Digest::of_text` of conformance/src/record.rs computes it."""


def of_text(text):
    """The 64-bit FNV-1a hash of the bytes, each as a word of 64 bits."""
    value = 0xCBF29CE484222325
    for byte in text.encode():
        for part in byte.to_bytes(8, "little"):
            value = (value ^ part) * 0x100000001B3 & (1 << 64) - 1
    return f"{value:016x}"
