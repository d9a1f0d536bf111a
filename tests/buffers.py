"""Objects that went through pickle with their buffers beside it, as clusters send them."""

import pickle


def at_odd_addresses(value):
    """Return a copy whose buffers begin at odd addresses, as in a slice of a longer message."""
    buffers = []
    data = pickle.dumps(value, protocol=5, buffer_callback=buffers.append)
    return pickle.loads(data, buffers=[_one_byte_on(buffer.raw()) for buffer in buffers])


def _one_byte_on(raw):
    # Python's own buffers begin at even addresses.
    message = bytearray(1) + raw
    return memoryview(message)[1:].toreadonly()
