"""Streams, events, devices: order, time, and where errors come up."""

import asyncio
import multiprocessing
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

from whipsnake import cuda


@cuda.jit
def add_one(x):
    i = cuda.grid(1)
    if i < x.size:
        x[i] += 1


@cuda.jit
def times_two(x):
    i = cuda.grid(1)
    if i < x.size:
        x[i] *= 2


@cuda.jit
def spin(x, rounds):
    """Takes a while."""
    v = x[0]
    for k in range(rounds):
        v = v * 0.999999 + 1e-7
    x[0] = v


@cuda.jit
def fails(x):
    if x[cuda.grid(1)] >= 0:
        raise ValueError("not negative")


def test_a_stream_is_in_order():
    stream = cuda.stream()
    device = cuda.to_device(np.zeros(1000), stream=stream)
    for _ in range(10):
        add_one[4, 256, stream](device)
        times_two[4, 256, stream](device)
    out = device.copy_to_host(stream=stream)
    stream.synchronize()
    np.testing.assert_array_equal(out, 2**11 - 2)
    assert stream.query()


def test_launches_on_arrays_of_the_device_return_at_once():
    device = cuda.to_device(np.ones(1))
    spin[1, 1](device, 1)
    cuda.synchronize()
    event = cuda.event()
    start = time.perf_counter()
    spin[1, 1](device, 100_000_000)
    event.record()
    launched = time.perf_counter() - start
    cuda.synchronize()
    assert launched < (time.perf_counter() - start) / 2
    assert event.query()


def test_streams_run_beside_each_other():
    streams = [cuda.stream() for _ in range(3)]
    devices = [cuda.to_device(np.zeros(100), stream=s) for s in streams]
    for k in range(30):
        add_one[1, 128, streams[k % 3]](devices[k % 3])
    cuda.synchronize()
    for device in devices:
        np.testing.assert_array_equal(device.copy_to_host(), 10)


def test_the_default_stream_is_in_order_with_others():
    stream = cuda.stream()
    device = cuda.to_device(np.zeros(10))
    spinning = cuda.to_device(np.ones(1))
    for k in range(5):
        spin[1, 1, stream](spinning, 100_000)
        add_one[1, 32, stream](device)
        times_two[1, 32](device)
    np.testing.assert_array_equal(device.copy_to_host(), 62)


def test_events():
    stream = cuda.stream()
    device = cuda.to_device(np.ones(1))
    start, end, never = cuda.event(), cuda.event(), cuda.event(timing=False)
    assert never.query()
    start.record(stream)
    spin[1, 1, stream](device, 5_000_000)
    end.record(stream)
    end.synchronize()
    assert start.query() and end.query()
    took = cuda.event_elapsed_time(start, end)
    assert 0.5 < took < 60_000 and start.elapsed_time(end) == took
    with pytest.raises(ValueError, match="timing=False"):
        never.elapsed_time(end)
    with pytest.raises(ValueError, match="never recorded"):
        cuda.event().elapsed_time(end)


def test_a_stream_waits_for_an_event_of_another():
    one, other = cuda.stream(), cuda.stream()
    device, slow = cuda.to_device(np.zeros(4)), cuda.to_device(np.ones(1))
    event = cuda.event()
    spin[1, 1, one](slow, 3_000_000)
    add_one[1, 4, one](device)
    event.record(one)
    event.wait(other)
    times_two[1, 4, other](device)
    other.synchronize()
    np.testing.assert_array_equal(device.copy_to_host(), 2)


def test_callbacks():
    stream, seen = cuda.stream(), []
    device = cuda.to_device(np.zeros(4))
    add_one[1, 4, stream](device)
    stream.add_callback(lambda s, status, arg: seen.append((s is stream, status, arg)), "data")
    with stream.auto_synchronize():
        pass
    assert seen == [(True, 0, "data")]

    async def wait():
        add_one[1, 4, stream](device)
        return await stream.async_done()

    assert asyncio.run(wait()) is stream
    stream.add_callback(lambda *a: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        stream.synchronize()
    stream.synchronize()


def test_errors_come_up_at_the_next_synchronisation():
    device = cuda.to_device(np.zeros(8))
    for wait in (cuda.synchronize, cuda.default_stream().synchronize, device.copy_to_host,
                 lambda: add_one[1, 8](np.zeros(8)), lambda: device[0]):
        fails[2, 4](device)
        with pytest.raises(ValueError, match="not negative") as error:
            wait()
        assert "in kernel fails, block (0, 0, 0), thread (0, 0, 0)" in error.value.__notes__
        cuda.synchronize()
    stream = cuda.stream()
    fails[2, 4, stream](device)
    add_one[1, 8, stream](device)
    with pytest.raises(ValueError, match="not negative"):
        stream.synchronize()
    assert device[0] >= 1


def test_numbers_for_streams():
    device = cuda.to_device(np.zeros(8))
    for stream in (0, None, 1, 2, cuda.default_stream(), cuda.per_thread_default_stream(),
                   cuda.legacy_default_stream()):
        add_one[1, 8, stream](device)
    cuda.synchronize()
    np.testing.assert_array_equal(device.copy_to_host(), 7)
    with pytest.raises(TypeError, match="a stream is made by cuda.stream"):
        add_one[1, 8, "s"]


def test_threads_launch_at_the_same_time():
    device = cuda.to_device(np.zeros(64))
    hosts = [np.zeros(64) for _ in range(4)]

    def work(host):
        stream = cuda.stream()
        for _ in range(50):
            add_one[2, 32](host)
            add_one[2, 32, stream](device)
        stream.synchronize()

    threads = [threading.Thread(target=work, args=(h,)) for h in hosts]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    for host in hosts:
        np.testing.assert_array_equal(host, 50)
    assert device.copy_to_host().max() <= 200


def child(queue):
    device = cuda.to_device(np.zeros(4))
    add_one[1, 4](device)
    queue.put(device.copy_to_host().sum())


def test_a_forked_child():
    device = cuda.to_device(np.zeros(4))
    add_one[1, 4](device)
    cuda.synchronize()
    context = multiprocessing.get_context("fork")
    queue = context.Queue()
    process = context.Process(target=child, args=(queue,))
    process.start()
    assert queue.get(timeout=60) == 4
    process.join()


INTERRUPTED = """
import os, signal, threading, time
import numpy as np
from whipsnake import cuda

@cuda.jit
def spin(x, n):
    v = x[0]
    for k in range(n):
        v = v * 0.999999 + 1e-7
    x[0] = v

@cuda.jit
def wait_and_spin(x, n):
    t = cuda.threadIdx.x
    if x[t] < 0:
        return
    for k in range(n):
        cuda.syncthreads()
        x[t] += 1

device, host = cuda.to_device(np.ones(64)), np.ones(64)
for kernel, block in ((spin, 1), (wait_and_spin, 64)):
    for x in (host, device):
        threading.Timer(0.3, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
        try:
            kernel[1, block](x, 10**15)
            kernel[1, block](x, 10**15)
            device.copy_to_host()
            print("not interrupted")
        except KeyboardInterrupt:
            start = time.perf_counter()
            cuda.synchronize()
            print(time.perf_counter() - start < 2)
spin[1, 1](device, 10)
cuda.synchronize()
"""


def test_ctrl_c_ends_kernels(tmp_path):
    program = tmp_path / "program.py"
    program.write_text(INTERRUPTED)
    run = subprocess.run([sys.executable, program], capture_output=True, text=True, timeout=60)
    assert (run.stdout, run.returncode) == ("True\n" * 4, 0), run.stderr


def test_many_streams_are_used_again():
    device = cuda.to_device(np.zeros(4))
    for _ in range(300):
        stream = cuda.stream()
        add_one[1, 4, stream](device)
        del stream
    cuda.synchronize()
    np.testing.assert_array_equal(device.copy_to_host(), 300)


# -- devices --------------------------------------------------------------------------------------

def test_the_device(capsys):
    assert cuda.is_available() and len(cuda.gpus) == 1
    device = cuda.get_current_device()
    assert device.WARP_SIZE == 32 and device.MAX_THREADS_PER_BLOCK == 1024
    assert device.MULTIPROCESSOR_COUNT >= 1 and isinstance(device.name, bytes)
    assert device.compute_capability >= (7, 0)
    assert cuda.list_devices()[0] == device
    with cuda.gpus[0] as context:
        assert context.device == device
    free, total = cuda.current_context().get_memory_info()
    assert 0 < free <= total
    assert cuda.select_device(0) is cuda.select_device("cpu") is cuda.current_context()
    with pytest.raises(ValueError, match="there is no device 1"):
        cuda.select_device(1)
    assert cuda.detect()
    assert "SUPPORTED" in capsys.readouterr().out
    cuda.close()
    with cuda.defer_cleanup(), cuda.profiling():
        cuda.profile_start()
        cuda.profile_stop()


def test_what_the_cpu_has_not():
    from whipsnake import errors

    for use in (lambda: cuda.external_stream(5), lambda: cuda.device_array(3).get_ipc_handle(),
                lambda: cuda.declare_device("f", "int32(int32)"), lambda: cuda.RawModule("x")):
        with pytest.raises(errors.UnsupportedError):
            use()
