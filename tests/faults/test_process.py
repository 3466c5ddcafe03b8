"""Threads, forks, signals, deep recursion: each in a process of its own, so that a crash or a
deadlock is a failed test and no more."""

import os
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from leaks import SANITIZED
from support import PLAIN

ROOT = Path(__file__).parents[2]

if PLAIN:
    pytest.skip("about compiled code", allow_module_level=True)

HEADER = """
import os, signal, sys, threading, time
import numpy as np
from whipsnake import njit

@njit
def total(a):
    s = 0.0
    for x in a:
        s += x
    return s

@njit(nogil=True)
def busy(n):
    s = 0
    for i in range(n):
        s ^= i * i
    return s

@njit
def down(n):
    if n == 0:
        return 0
    return down(n - 1) + 1

@njit
def forever(n):
    return forever(n + 1) + 1

def in_threads(count, body):
    failures = []
    def run(k):
        try:
            body(k)
        except BaseException as e:
            failures.append(repr(e))
    threads = [threading.Thread(target=run, args=(k,)) for k in range(count)]
    for t in threads: t.start()
    for t in threads: t.join()
    assert not failures, failures[:3]

def new_function(k):
    "A function that nobody has compiled yet."
    @njit
    def f(a, n):
        s = a.copy()
        for i in range(n):
            s[i % s.size] += k
        return s
    return f
"""


def run(tmp_path, program, timeout=120, **environment):
    """The program in a file (its source must be found) in a child; its output."""
    path = tmp_path / "program.py"
    path.write_text(HEADER + textwrap.dedent(program))
    python_path = os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")]))
    done = subprocess.run([sys.executable, str(path)], capture_output=True, text=True,
                          timeout=timeout,
                          env=os.environ | {"PYTHONPATH": python_path} | environment)
    assert done.returncode == 0, f"exit {done.returncode}\n{done.stdout}{done.stderr}"
    return done.stdout.strip()


# -- threads ------------------------------------------------------------------------------------

def test_many_threads_call_and_compile_at_once(tmp_path):
    run(tmp_path, """
        def body(k):
            own = new_function(k)
            for round in range(20):
                dtype = ("f8", "f4", "i8", "i4", "c16")[(k + round) % 5]
                a = np.arange(1, 50).astype(dtype)
                assert total(a[:: 1 + round % 3]) == a[:: 1 + round % 3].sum()
                assert own(a, 49)[3] == a[3] + k
                assert busy(1000) == busy.py_func(1000)
                if round % 7 == 3:
                    own._forget()
        in_threads(12, body)
    """)


def test_the_same_function_for_the_first_time_in_all_threads(tmp_path):
    run(tmp_path, """
        for k in range(5):
            f, start = new_function(k), threading.Barrier(8)
            def body(thread):
                start.wait()
                a = np.zeros(10)
                assert f(a, 10)[0] == k
            in_threads(8, body)
            assert len(f.signatures) == 1, f.signatures
    """)


def test_threads_come_and_go(tmp_path):
    run(tmp_path, """
        from whipsnake import _core
        def body(k):
            a = np.arange(10.0)
            for _ in range(5):
                new(a, 5)
                try:
                    down(-1) if k % 10 == 0 else total(a)
                except RecursionError:
                    pass
        new = new_function(3)
        for _ in range(15):
            in_threads(20, body)
        made, freed = _core.memory_stats()
        assert made == freed, (made, freed)
    """)


def test_an_exception_leaves_a_thread(tmp_path):
    run(tmp_path, """
        @njit(nogil=True)
        def fail(a, i):
            b = a.copy()
            if i > 3:
                raise ValueError("text", i, b[0])
            return b[i + 100]

        def body(k):
            for i in range(300):
                try:
                    fail(np.arange(4.0), i % 8)
                except ValueError as e:
                    assert e.args == ("text", i % 8, 0.0)
                except IndexError:
                    assert i % 8 <= 3
                else:
                    raise AssertionError
        in_threads(8, body)
    """)


def test_other_threads_write_what_is_checked(tmp_path):
    """Subscripts, divisors and conditions change while loops check and use them: an exception or a
    wrong sum, never an access outside of an array."""
    assert run(tmp_path, """
        @njit(nogil=True)
        def gather(x, index, use, divisor):
            s = 0
            for i in range(len(index)):
                s += x[index[i]]
            for i in range(len(index)):
                if use[i]:
                    s += x[index[i] * 2 - index[i]]
            t = 0.0
            for i in range(len(index)):
                t += x[index[i]] / divisor[i]
            return s + t

        @njit(nogil=True)
        def scatter(x, index, use, divisor):
            for i in range(len(index)):
                x[index[i]] += 1
            for i in range(len(index)):
                if use[i]:
                    x[i] = x[index[i]] // divisor[i]
            return 0.0

        x, n = np.ones(1000, np.int64), 20_000
        index, use, divisor = np.zeros(n, np.int64), np.zeros(n, np.bool_), np.ones(n, np.int64)
        gather(x, index, use, divisor), scatter(x, index, use, divisor)
        good, far = np.arange(n) % 1000, np.full(n, 1 << 45)
        end = time.monotonic() + 3
        def write(k):
            rng = np.random.default_rng(k)
            while time.monotonic() < end:
                at = rng.integers(n)
                for _ in range(50):
                    index[at:] = far[at:]
                    use[:] = True
                    divisor[at] = 0
                    index[:] = good
                    use[:] = False
                    divisor[:] = 1
        outcomes = set()
        def read(k):
            while time.monotonic() < end:
                for f in gather, scatter:
                    try:
                        f(x, index, use, divisor)
                        outcomes.add("result")
                    except (IndexError, ZeroDivisionError) as e:
                        outcomes.add(type(e).__name__)
        in_threads(4, lambda k: (write if k % 2 else read)(k))
        assert outcomes <= {"result", "IndexError", "ZeroDivisionError"}
        print("IndexError" in outcomes)
    """) == "True"


@pytest.mark.parametrize("round", range(8))
def test_the_process_ends_while_compiled_code_runs(tmp_path, round):
    assert run(tmp_path, """
        busy(10)
        for _ in range(4):
            threading.Thread(target=busy, args=(1 << 62,), daemon=True).start()
        time.sleep(0.1)
        print("end")
    """) == "end"


def test_a_function_dies_while_it_runs(tmp_path):
    run(tmp_path, """
        import gc
        def body(k):
            f = njit(nogil=True)(busy.py_func)
            f(10)
            holder = [f]
            del f
            t = threading.Thread(target=lambda: holder.pop()(20_000_000))
            t.start()
            while holder: time.sleep(0.001)
            gc.collect()
            t.join()
        in_threads(3, body)
    """)


# -- fork ---------------------------------------------------------------------------------------

@pytest.mark.skipif(SANITIZED, reason="its allocator may be locked by a thread that a fork loses")
def test_forks_while_other_threads_compile(tmp_path):
    run(tmp_path, """
        stop = False
        def work():
            k = 0
            while not stop:
                k += 1
                new_function(k)(np.zeros(5), 5)
                busy(100_000)
        total(np.arange(3.0))
        threads = [threading.Thread(target=work) for _ in range(2)]
        for t in threads: t.start()
        time.sleep(0.2)
        for k in range(25):
            pid = os.fork()
            if pid == 0:
                signal.alarm(40)
                ok = total(np.arange(4.0)) == 6 and new_function(7)(np.zeros(3), 3)[0] == 7
                t = threading.Thread(target=busy, args=(1000,))
                t.start(); t.join()
                os._exit(0 if ok else 1)
            _, status = os.waitpid(pid, 0)
            assert status == 0, (k, status)
        stop = True
        for t in threads: t.join()
    """, timeout=200)


def test_a_fork_while_another_thread_compiles_that_very_function(tmp_path):
    run(tmp_path, """
        from whipsnake.extending import overload
        compiling, main = threading.Event(), os.getpid()
        def helper(x):
            return x
        @overload(helper)
        def ol_helper(x):
            if os.getpid() == main:
                compiling.set()
                time.sleep(1)
            return lambda x: x * 3
        f = njit(lambda x: helper(x) + 1)
        result = []
        t = threading.Thread(target=lambda: result.append(f(2)))
        t.start()
        compiling.wait()
        pid = os.fork()
        if pid == 0:
            signal.alarm(40)
            os._exit(0 if f(3) == 10 else 1)
        assert os.waitpid(pid, 0)[1] == 0
        t.join()
        assert result == [7]
    """)


def test_children_of_children(tmp_path):
    run(tmp_path, """
        def descend(depth):
            assert new_function(depth)(np.zeros(3), 3)[1] == depth
            if depth == 5:
                return 0
            pid = os.fork()
            if pid == 0:
                os._exit(descend(depth + 1))
            return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
        assert descend(0) == 0
        assert total(np.arange(3.0)) == 3
    """)


def test_a_pool_of_processes(tmp_path):
    run(tmp_path, """
        import multiprocessing
        def work(k):
            return total(np.arange(float(k))), len(new_function(k)(np.zeros(4), 4))
        total(np.arange(3.0))
        with multiprocessing.get_context("fork").Pool(3) as pool:
            assert pool.map(work, range(9)) == [(k * (k - 1) / 2, 4) for k in range(9)]
    """)


# -- signals ------------------------------------------------------------------------------------

def test_a_thousand_signals(tmp_path):
    """Several that come while a compile does not look are one for Python: but the handler runs
    after each, soon. (In processor time: it does not matter who else uses the machine.)"""
    run(tmp_path, """
        import bisect
        sent, handled = [], []
        def handler(number, frame):
            handled.append(time.process_time())
            total(np.arange(3.0))  # compiled code inside the handler
        total(np.arange(3.0))
        signal.signal(signal.SIGUSR1, handler)
        stop = threading.Event()
        def send():
            for _ in range(1000):
                sent.append(time.process_time())
                os.kill(os.getpid(), signal.SIGUSR1)
                time.sleep(0.0005)
            stop.set()
        threading.Thread(target=send).start()
        k = 0
        while not stop.is_set():
            k += 1
            assert new_function(k)(np.zeros(4), 4)[0] == k
            assert busy(3000) == busy.py_func(3000)
        time.sleep(0.01)
        assert handled[-1] >= sent[-1]
        late = max(handled[bisect.bisect_left(handled, t)] - t for t in sent)
        assert late < 0.5, late
    """)


def test_ctrl_c_between_calls(tmp_path):
    assert run(tmp_path, """
        total(np.arange(3.0))
        threading.Timer(0.3, lambda: signal.raise_signal(signal.SIGINT)).start()
        start = time.monotonic()
        try:
            while time.monotonic() < start + 20:
                total(np.arange(3.0))
        except KeyboardInterrupt:
            print("stopped", total(np.arange(4.0)))
    """) == "stopped 6.0"


def test_ctrl_c_while_compiling(tmp_path):
    run(tmp_path, """
        stopped, dropped = 0, []
        sys.unraisablehook = lambda error: dropped.append(error.exc_type)
        for k in range(40):
            f = new_function(k)
            timer = threading.Timer(k / 1000, os.kill, (os.getpid(), signal.SIGINT))
            try:
                timer.start()
                f(np.zeros(3), 3)
                timer.join()
                time.sleep(0.01)
            except KeyboardInterrupt:
                stopped += 1
            assert f(np.zeros(3), 3)[2] == k
        # Python itself reports and drops one that comes in some callback of its own.
        assert stopped + dropped.count(KeyboardInterrupt) == 40, (stopped, dropped)
    """)


# Loops that would run for years, by how they get their polls. They may run on for 0.2 s after the
# signal: of processor time, so that it does not matter who else uses the machine.
ENDLESS = """
    def send():
        global sent
        signal.signal(signal.SIGPROF, signal.default_int_handler)
        signal.setitimer(signal.ITIMER_PROF, 0.3)
        sent = time.process_time() + 0.3

    def send_from_outside():
        "As a terminal does: such a signal wakes the main thread. The loops run by then."
        global sent
        begin, clock = time.process_time(), ~os.getpid() << 3 | 2  # clock_getcpuclockid(3)
        told, tell = os.pipe()
        if os.fork() == 0:
            while time.clock_gettime(clock) < begin + 0.3:
                time.sleep(0.01)
            os.write(tell, str(time.clock_gettime(clock)).encode())
            os.kill(os.getppid(), signal.SIGINT)
            os._exit(0)
        sent = lambda: float(os.read(told, 99))

    a = np.zeros(4)

    @njit(nogil={nogil})
    def endless(a):
        i = 0
        while a[0] == 0:
            i += 1
            a[1] = i
        return i

    @njit(nogil={nogil})
    def outer(a):
        b = a.copy()
        return endless(a) + b[0]

    @njit(nogil={nogil})
    def empty(a):
        while True:
            pass

    @njit(nogil={nogil})
    def counted(a):
        s = 0.0
        for i in range(1 << 60):
            s += a[i & 3]
        return s

    @njit(nogil={nogil})
    def nest(a):
        s = 0
        for i in range(1 << 40):
            for j in range(100):
                for k in range(i):
                    s ^= i * j + k
        return s

    @njit(nogil={nogil})
    def short(a):
        s = 0
        for i in range(1 << 50):
            for j in range(a.size):
                s ^= i * j
        return s

    @njit(nogil={nogil})
    def checked(a):
        s = 0.0
        for i in range(1 << 60):
            s += 1 / (a[i % 4] + 1)
        return s

    @njit(nogil={nogil})
    def recursive(a, n=90):
        return 1 if n < 2 else recursive(a, n - 1) + recursive(a, n - 2)

    @njit(nogil={nogil})
    def wrong_index(a):
        i = 0
        while True:
            try:
                a[i + 4] += 1
            except IndexError:
                i += 1

    @njit(nogil={nogil})
    def slow_copy(a, n=1 << 60):
        for i in range(n):
            a[(i & 3) - 4 if n > 5 else i] += 1

    many = np.broadcast_to(np.ones(1), 1 << 50)
    many_complex = np.broadcast_to(np.ones(2, np.complex64), (1 << 50, 2))[:, 0]

    @njit(nogil={nogil})
    def sum_of_many(a):
        return a[0] + many.sum()

    @njit(nogil={nogil})
    def sum_of_many_complex(a):
        return many_complex.sum()

    f = {function}
    from whipsnake import typeof
    f.compile((typeof(a),))
    try:
        {call}
    except KeyboardInterrupt:
        late = time.process_time() - (sent() if callable(sent) else sent)
        print("stopped", late if late > {most} else "soon")
"""
FORMS = ["endless", "outer", "empty", "counted", "nest", "short", "checked", "recursive",
         "wrong_index", "slow_copy", "sum_of_many", "sum_of_many_complex"]
JOINED = """threading.Thread(target=f, args=(a,)).start()
        send_from_outside()
        threading.enumerate()[-1].join()"""
POOL = """import concurrent.futures as futures
        with futures.ThreadPoolExecutor(2) as pool:
            jobs = [pool.submit(f, a) for _ in range(2)]
            send_from_outside()
            jobs[0].result()"""


def stopped(tmp_path, function, nogil=False, call="send(); f(a)", most=0.2, **environment):
    """What the program prints; it is ended if it does not end."""
    program = ENDLESS.format(function=function, nogil=nogil, call=call, most=most)
    try:
        return run(tmp_path, program, timeout=30, **environment)
    except subprocess.TimeoutExpired:
        pytest.fail("it runs on")


@pytest.mark.parametrize("nogil", [False, True])
@pytest.mark.parametrize("function", FORMS)
def test_ctrl_c_stops_an_endless_loop(tmp_path, function, nogil):
    assert stopped(tmp_path, function, nogil) == "stopped soon"


@pytest.mark.parametrize("function", ["endless", "nest", "recursive"])
def test_ctrl_c_stops_the_interpreter(tmp_path, function):
    assert stopped(tmp_path, function, WHIPSNAKE_DISABLE_JIT="ir") == "stopped soon"


@pytest.mark.parametrize("nogil", [False, True])
@pytest.mark.parametrize("function", ["endless", "counted", "recursive"])
def test_ctrl_c_stops_other_threads_that_are_waited_for(tmp_path, function, nogil):
    """An executor waits for its threads before it lets the exception through. On a busy machine the
    main thread may get a processor late, while the others run: once in three times it does not."""
    outcomes = []
    while "stopped soon" not in outcomes and len(outcomes) < 3:
        outcomes.append(stopped(tmp_path, function, nogil, POOL, most=0.5))
    assert outcomes[-1] == "stopped soon", outcomes


def test_ctrl_c_ends_a_process_that_waits_for_a_thread(tmp_path):
    """The main thread has ended by the exception; the interpreter waits for the other."""
    program = ENDLESS.format(function="endless", nogil=True, call=JOINED, most=1)
    program += """
        print("main", flush=True)
        raise
"""
    with pytest.raises(AssertionError) as e:
        run(tmp_path, program, timeout=30)
    assert "main" in str(e.value) and str(e.value).count("KeyboardInterrupt") >= 2, e.value


def test_other_threads_run_on_while_the_main_one_does(tmp_path):
    """Ctrl-C is for the main thread, which handles it and does something else."""
    assert run(tmp_path, """
        @njit(nogil=True)
        def until(a):
            while a[0] == 0:
                a[1] += 1
            return a[1]
        a = np.ones(2)
        until(a)
        a[0] = 0
        results = []
        t = threading.Thread(target=lambda: results.append(until(a)))
        t.start()
        try:
            signal.raise_signal(signal.SIGINT)
        except KeyboardInterrupt:
            pass
        time.sleep(0.5)
        assert t.is_alive()
        a[0] = 1
        t.join()
        print(results[0] > 0)
    """) == "True"


SIGNALS = """
    calls = []
    a = np.zeros(200_000)

    @njit
    def wait(a):
        n = 0
        while a[0] == 0:
            n += 1
        return n

    @njit
    def count(a, n):
        for k in range(n):
            for i in range(a.size):
                a[i] = k
        return n

    @njit
    def caught(a):
        kept = a.copy()
        try:
            while True:
                kept[1] += 1
        except KeyboardInterrupt:
            a[2] = kept[1]
        finally:
            a[3] = 7
        return len(kept)

    a[0] = 1
    wait(a)
    a[0] = 0
    def send(number, delay=0.2):
        if os.fork() == 0:
            time.sleep(delay)
            os.kill(os.getppid(), number)
            os._exit(0)
"""


def test_a_handler_that_returns(tmp_path):
    """The loop goes on, and sees what the handler has done."""
    assert run(tmp_path, SIGNALS + """
    def handler(number, frame):
        calls.append(frame.f_code.co_name)
        if len(calls) == 2:
            a[0] = 1
    signal.signal(signal.SIGUSR1, handler)
    signal.signal(signal.SIGALRM, handler)
    signal.setitimer(signal.ITIMER_REAL, 0.1)
    send(signal.SIGUSR1, 0.3)
    print(wait(a) > 0, calls)
    """) == "True ['<module>', '<module>']"


def test_a_handler_that_raises(tmp_path):
    assert run(tmp_path, SIGNALS + """
    class Timeout(Exception): pass
    def handler(number, frame):
        raise Timeout("too long", number == signal.SIGALRM)
    signal.signal(signal.SIGALRM, handler)
    for function, args in [(wait, (a,)), (count, (a, 1 << 50))]:
        signal.setitimer(signal.ITIMER_REAL, 0.1)
        try:
            function(*args)
        except Timeout as e:
            print(e.args, e.__traceback__.tb_next.tb_frame.f_code.co_name)
    """) == (
        "('too long', True) wait\n('too long', True) count")


def test_arrays_stay_as_they_were(tmp_path):
    """Everything up to one iteration is written, and nothing after it: vector code or not."""
    assert run(tmp_path, SIGNALS + """
    count(a, 3)
    a[:] = 0
    for _ in range(5):
        send(signal.SIGINT, 0.1)
        try:
            count(a, 1 << 40)
        except KeyboardInterrupt:
            pass
        steps = np.flatnonzero(np.diff(a))
        assert len(steps) <= 1 and set(np.diff(a)[steps]) <= {-1.0}, (steps, a)
    print(a[0] > 0)
    """) == "True"


def test_compiled_code_catches_the_exception(tmp_path):
    assert run(tmp_path, SIGNALS + """
    from whipsnake import _core, typeof
    caught.compile((typeof(a),))
    for _ in range(3):
        send(signal.SIGINT)
        assert caught(a) == a.size
        assert a[2] > 0 and a[3] == 7
        a[2:] = 0
    made, freed = _core.memory_stats()
    print(made - freed)
    """) == "0"


def test_nothing_leaks_when_a_loop_is_stopped(tmp_path):
    assert run(tmp_path, """
        from whipsnake import _core
        @njit
        def inner(a, n):
            b = a.copy()
            for i in range(n):
                b[i % b.size] += a[0]
            return b
        @njit
        def outer(a):
            s, text = 0.0, str(a.size)
            while True:
                c = inner(a, 50_000)
                s += c[3] + len(text + str(s))
        a = np.ones(10)
        inner(a, 3)
        from whipsnake import typeof
        outer.compile((typeof(a),))
        signal.signal(signal.SIGALRM, signal.default_int_handler)
        for _ in range(10):
            signal.setitimer(signal.ITIMER_REAL, 0.05)
            try:
                outer(a)
            except KeyboardInterrupt as e:
                assert e.__traceback__.tb_next.tb_frame.f_code.co_name == "outer"
        made, freed = _core.memory_stats()
        print(made - freed)
    """) == "0"


def test_ctrl_c_stops_a_kernel(tmp_path):
    assert run(tmp_path, """
        from whipsnake import cuda
        @cuda.jit
        def spin(a, n):
            i = cuda.grid(1)
            for k in range(n):
                a[i] += k ^ i
            cuda.syncthreads()
            a[i] += 1
        a = np.zeros(256)
        spin[4, 64](a, 2)
        if os.fork() == 0:
            time.sleep(0.3)
            os.kill(os.getppid(), signal.SIGINT)
            os._exit(0)
        try:
            spin[4, 64](a, 1 << 50)
        except KeyboardInterrupt:
            print("stopped")
    """, timeout=30) == "stopped"


# -- the stack ----------------------------------------------------------------------------------

def test_deep_recursion_raises(tmp_path):
    run(tmp_path, """
        def expect(f, *args):
            try:
                f(*args)
            except RecursionError as e:
                depth, tb = 0, e.__traceback__
                while tb: depth, tb = depth + 1, tb.tb_next
                assert depth < 100, depth
            else:
                raise AssertionError("no RecursionError")

        @njit
        def even(n, a):
            return odd(n + 1, a.copy())

        @njit
        def odd(n, a):
            return even(n + 1, a[1:]) + a.size

        @njit
        def wide(n, t):
            return wide(n + t[0], (t[1], t[2], t[3], t[4], t[5], t[6], t[7], t[0])) + t[0]

        for _ in range(20):
            expect(forever, 0)
        expect(wide, 1, (1,) * 8)
        assert down(1000) == 1000
        threading.stack_size(256 * 1024)
        in_threads(3, lambda k: expect(forever, 0))
        threading.stack_size(64 * 1024 * 1024)
        in_threads(2, lambda k: (expect(forever, 0), down(50_000)))
    """)


def test_mutual_recursion_without_an_end(tmp_path):
    run(tmp_path, """
        @njit
        def ping(n):
            if n < 0:
                return 0
            return pong(n + 1) + 1

        @njit
        def pong(n):
            return ping(n + 1) + 1

        for _ in range(10):
            try:
                ping(0)
            except RecursionError:
                continue
            raise AssertionError
        assert ping(-1) == 0
    """)


def test_recursion_through_python(tmp_path):
    """print calls Python, which calls compiled code again."""
    run(tmp_path, """
        class Out:
            def write(self, text):
                if text.strip():
                    say(int(text) + 1)
            def flush(self): pass

        @njit
        def say(n):
            print(n)
            return n

        out, sys.stdout = sys.stdout, Out()
        try:
            say(0)
        except RecursionError:
            pass
        else:
            raise AssertionError
        finally:
            sys.stdout = out
        assert total(np.arange(3.0)) == 3
    """)


def test_a_small_stack_limit(tmp_path):
    """The limit of the main thread is the one that the process was given."""
    run(tmp_path, """
        import resource
        if len(sys.argv) == 1:
            soft, hard = resource.getrlimit(resource.RLIMIT_STACK)
            resource.setrlimit(resource.RLIMIT_STACK, (1 << 20, hard))
            os.execv(sys.executable, [sys.executable, __file__, "again"])
        for _ in range(5):
            try:
                forever(0)
            except RecursionError:
                continue
            raise AssertionError
    """)
