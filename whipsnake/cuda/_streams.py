"""Streams and events: work in order, beside the program, and the moments in between."""

import contextlib

from whipsnake import _core


class Stream(_core.Stream):
    """Work that is done in order, beside the program and beside other streams. Kernels on arrays of
    the device, copies with `stream=`, callbacks and events are queued; `synchronize` waits."""

    def synchronize(self):
        """Wait until all that is queued is done. Raises what it has raised."""
        self._wait()

    @contextlib.contextmanager
    def auto_synchronize(self):
        """A block at whose end the stream is synchronized."""
        yield self
        self.synchronize()

    def add_callback(self, callback, arg=None):
        """Call callback(stream, status, arg) when the stream comes to this place; status is 0."""
        self._call(callback, self, 0, arg)

    def async_done(self, stream=None):
        """A future of asyncio that is done when the stream comes to this place."""
        import asyncio

        loop = asyncio.get_running_loop()
        future = loop.create_future()

        def tell():
            if not future.done():
                future.set_result(self)

        def callback(stream, status, arg):
            loop.call_soon_threadsafe(tell)

        self.add_callback(callback)
        return future

    def wait(self, event):
        """What is queued from now on waits for the event."""
        event.wait(self)

    def query(self):
        """Is all that was queued done?"""
        return self._done()

    @property
    def handle(self):
        """A number that tells streams apart."""
        return id(self)

    def __repr__(self):
        return f"<cuda stream at {id(self):#x}>"


class _DefaultStream(Stream):
    """The stream of work that names none: in order with all others."""

    def __repr__(self):
        return "<default cuda stream>"

    def __bool__(self):
        return False


_default = _DefaultStream(is_default=True)


def stream():
    """A new stream."""
    return Stream()


def default_stream():
    """The stream of work that names none: it waits for all others, and they wait for it."""
    return _default


legacy_default_stream = default_stream
_per_thread = None


def per_thread_default_stream():
    """A stream of this thread."""
    global _per_thread
    import threading

    if _per_thread is None:
        _per_thread = threading.local()
    if not hasattr(_per_thread, "stream"):
        _per_thread.stream = Stream()
    return _per_thread.stream


def external_stream(ptr):
    """Refused: the CPU has no streams of other libraries."""
    from whipsnake.errors import UnsupportedError

    raise UnsupportedError("cuda.external_stream: the CPU device has no streams of other libraries")


def as_stream(obj):
    """A Stream for what users pass: one, or 0 or None for the default one."""
    if isinstance(obj, Stream):
        return obj
    if obj is None or (isinstance(obj, int) and obj in (0, 1)):
        return _default
    if isinstance(obj, int) and obj == 2:
        return per_thread_default_stream()
    raise TypeError(f"a stream is made by cuda.stream(), or is 0, the default one; not {obj!r}")


class Event(_core.Event):
    """A moment in a stream."""

    def __init__(self, timing=True):
        self.timing = timing

    def record(self, stream=0):
        """Now, in this stream: when all that is queued is done."""
        self._record(as_stream(stream))

    def query(self):
        """Has it happened? True if it was never recorded."""
        state = self._state()
        return True if state is None else state

    def synchronize(self):
        """Wait until it has happened."""
        self._wait()

    def wait(self, stream=0):
        """What the stream is given from now on waits for it."""
        self._hold(as_stream(stream))

    def elapsed_time(self, later):
        """Milliseconds from this event to a later one, both recorded and over."""
        return event_elapsed_time(self, later)

    def __repr__(self):
        return f"<cuda event at {id(self):#x}>"


def event(timing=True):
    """A new event. timing: whether its time can be asked for."""
    return Event(timing)


def event_elapsed_time(evtstart, evtend):
    """Milliseconds between two events that were recorded and are over."""
    for e in (evtstart, evtend):
        if not e.timing:
            raise ValueError("the event was made with timing=False: its time is not kept")
        if e._state() is None:
            raise ValueError("the event was never recorded")
        if not e._state():
            raise RuntimeError("the event is not over yet: synchronize it first")
    return (evtend._ns() - evtstart._ns()) * 1e-6


def synchronize():
    """Wait for all streams. Raises what they have raised, the first of it."""
    _core.wait_for_streams()
