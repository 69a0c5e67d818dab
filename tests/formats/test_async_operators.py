"""Async I/O in programs: the arguments of a call, and what its function does."""

from __future__ import annotations

import pytest

from tests.formats.reading import parts, read

HEAD = "import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;\n"


def call(arguments: str, method: str = "unorderedWait", before: str = "") -> dict[str, tuple[object, str]]:
    """Return the attributes of a call in a Java program."""
    text = f"{HEAD}class Job {{ void run(Duration given) {{ {before} AsyncDataStream.{method}(in, {arguments}); }} }}\n"
    (document,) = read("Job.java", text)
    ((name, attributes),) = parts(document, "async-call")
    assert name == method
    return attributes


def values(attributes: dict[str, tuple[object, str]], *names: str) -> list[object]:
    return [attributes[name][0] if name in attributes else "absent" for name in names]


def function(body: str, language: str = "java", base: str = "RichAsyncFunction<A, B>") -> dict[str, tuple[object, str]]:
    """Return the attributes of a class of asynchronous functions with this body."""
    text = {
        "java": f"{HEAD}class Fn extends {base} {{ {body} }}\n",
        "scala": f"{HEAD.replace(';', '')}class Fn extends {base.replace('<', '[').replace('>', ']')} {{ {body} }}\n",
    }[language]
    (document,) = read(f"Fn.{language}", text)
    ((name, attributes),) = parts(document, "async-function")
    assert name == "Fn"
    return attributes


@pytest.mark.parametrize(
    ("arguments", "timeout", "capacity"),
    [
        ("fn, 5, TimeUnit.SECONDS", (5_000, "5, TimeUnit.SECONDS"), 100),
        ("fn, 5, TimeUnit.SECONDS, 40", (5_000, "5, TimeUnit.SECONDS"), 40),
        ("fn, 5, TimeUnit.SECONDS, load()", (5_000, "5, TimeUnit.SECONDS"), None),
        ("fn, 5, TimeUnit.SECONDS, true", (5_000, "5, TimeUnit.SECONDS"), 100),
        ("fn, Duration.ofSeconds(5)", (5_000, "Duration.ofSeconds(5)"), 100),
        ("fn, Duration.ofSeconds(5), 40", (5_000, "Duration.ofSeconds(5)"), 40),
        ("fn, given, 40", (None, "given"), 40),
        ("fn, Duration.parse(text), 40", (None, "Duration.parse(text)"), 40),
        ("fn, load(), TimeUnit.SECONDS, 40", (None, "load(), TimeUnit.SECONDS"), 40),
        ("fn, 5, unit, 40", (None, "5, unit"), 40),
        ("fn, 5", (None, "5"), 100),
        ("fn, 5, TimeUnit.SECONDS, outputQueue", (5_000, "5, TimeUnit.SECONDS"), 100),
        ("fn, 5, TimeUnit.SECONDS, size * 2", (5_000, "5, TimeUnit.SECONDS"), None),
        ('fn, 5, TimeUnit.SECONDS, "40"', (5_000, "5, TimeUnit.SECONDS"), 100),
        ("fn, 5, TimeUnit.SECONDS, 40, 50", (5_000, "5, TimeUnit.SECONDS"), 40),
    ],
)
def test_the_timeout_and_the_capacity_of_a_call(
    arguments: str, timeout: tuple[object, str], capacity: int | None
) -> None:
    attributes = call(arguments)
    assert attributes["timeout"] == timeout
    assert attributes["capacity"][0] == capacity
    assert ("default-capacity" in attributes) == (capacity == 100)


def test_a_call_without_a_timeout_has_none() -> None:
    assert "timeout" not in call("fn")
    assert call("fn")["function"] == (None, "fn")


@pytest.mark.parametrize("owner", ["other", "SyncDataStream"])
def test_calls_of_other_classes_are_none(owner: str) -> None:
    (document,) = read(
        "Job.java", f"{HEAD}class Job {{ void run() {{ {owner}.unorderedWait(in, fn, 5, SECONDS); }} }}\n"
    )
    assert parts(document, "async-call") == []


@pytest.mark.parametrize(
    ("strategy", "retries", "delay"),
    [
        ("new AsyncRetryStrategies.FixedDelayRetryStrategyBuilder(3, 1000L).build()", 3, 1_000),
        ("new AsyncRetryStrategies.FixedDelayRetryStrategyBuilder(n, 1000L).build()", None, 1_000),
        ("new AsyncRetryStrategies.FixedDelayRetryStrategyBuilder(true, 1000L).build()", None, 1_000),
        ("new AsyncRetryStrategies.FixedDelayRetryStrategyBuilder(3, rest).build()", 3, None),
        ("new AsyncRetryStrategies.FixedDelayRetryStrategyBuilder(3).build()", None, None),
        ("AsyncRetryStrategies.fixedDelay(3, 1000)", 3, 1_000),
        ("AsyncRetryStrategies.exponentialBackoff(3, 100, 1000, 2.0)", 3, 233),
        # 100, 200, 400, 500 and 500 ms
        ("new AsyncRetryStrategies.ExponentialBackoffDelayRetryStrategyBuilder(5, 100, 500, 2).build()", 5, 340),
        ("new AsyncRetryStrategies.ExponentialBackoffDelayRetryStrategyBuilder(0, 100, 500, 2).build()", 0, 0),
        ("new AsyncRetryStrategies.ExponentialBackoffDelayRetryStrategyBuilder(5, 100, 500, f).build()", 5, None),
        ("new AsyncRetryStrategies.ExponentialBackoffDelayRetryStrategyBuilder(5, 100, top, 2).build()", 5, None),
        ("new AsyncRetryStrategies.ExponentialBackoffDelayRetryStrategyBuilder(5, low, 500, 2).build()", 5, None),
        ("new AsyncRetryStrategies.ExponentialBackoffDelayRetryStrategyBuilder(n, 100, 500, 2).build()", None, None),
        ("AsyncRetryStrategies.exponentialBackoff(5, 100)", 5, None),
        ("AsyncRetryStrategies.exponentialBackoff(5, 100, 500)", 5, None),
        ("AsyncRetryStrategies.NO_RETRY_STRATEGY", 0, 0),
        ("AsyncRetryStrategies.noRetry()", 0, 0),
        ("AsyncRetryStrategies.linear(3, 1000)", None, None),
        ("load()", None, None),
        ("strategies.get(3, 1000)", None, None),
    ],
)
def test_the_retries_of_a_call(strategy: str, retries: int | None, delay: int | None) -> None:
    attributes = call(f"fn, 10, TimeUnit.SECONDS, 50, {strategy}", "orderedWaitWithRetry")
    assert values(attributes, "retries", "retry-delay", "capacity") == [retries, delay, 50]
    assert "retries" not in call(f"fn, 10, TimeUnit.SECONDS, 50, {strategy}", "orderedWait")


def test_a_retry_strategy_is_not_taken_for_the_capacity() -> None:
    before = "AsyncRetryStrategy<B> again = AsyncRetryStrategies.fixedDelay(3, 1000);"
    for arguments in ("again, 50", "50, again"):
        attributes = call(f"fn, 10, TimeUnit.SECONDS, {arguments}", "orderedWaitWithRetry", before)
        assert values(attributes, "retries", "capacity") == [3, 50]
    attributes = call("fn, 10, TimeUnit.SECONDS, again", "orderedWaitWithRetry", before)
    assert values(attributes, "retries", "capacity", "default-capacity") == [3, 100, True]
    assert values(call("fn, 10, TimeUnit.SECONDS", "orderedWaitWithRetry"), "retries", "retry-delay") == [None, None]


@pytest.mark.parametrize(
    "arguments",
    [
        "in, Fn(), Time.seconds(5), 40",
        "in, Fn(), timeout=Time.seconds(5), capacity=40",
        "in, async_function=Fn(), timeout=Time.seconds(5), capacity=40",
        "data_stream=in, async_function=Fn(), capacity=40, timeout=Time.seconds(5)",
    ],
)
def test_named_arguments_of_python(arguments: str) -> None:
    arguments = arguments.replace("in", "ds", 1)
    text = f"import pyflink\nclass Fn(AsyncFunction):\n    pass\nAsyncDataStream.unordered_wait({arguments})\n"
    (document,) = read("job.py", text)
    ((_, attributes),) = parts(document, "async-call")
    assert values(attributes, "timeout", "capacity", "function") == [5_000, 40, "Fn"]


def test_named_retries_of_python() -> None:
    strategy = "AsyncRetryStrategy.fixed_delay(3, 1000)"
    for name in ("async_retry_strategy=", ""):
        arguments = f"ds, Fn(), Time.seconds(5), {name}{strategy}, capacity=40"
        if not name:
            arguments = f"ds, Fn(), Time.seconds(5), {strategy}, 40"
        (document,) = read("job.py", f"import pyflink\nAsyncDataStream.ordered_wait_with_retry({arguments})\n")
        ((_, attributes),) = parts(document, "async-call")
        assert values(attributes, "retries", "retry-delay", "capacity") == [3, 1_000, 40]


@pytest.mark.parametrize(
    ("arguments", "name", "threads"),
    [
        ("new Fn(), 5, SECONDS", "Fn", 3),
        ("Fn.create(), 5, SECONDS", "Fn", 3),
        ("Fn.apply(), 5, SECONDS", "Fn", 3),
        ("Fn(), 5, SECONDS", "Fn", 3),
        ("Fn.other(), 5, SECONDS", "other", "absent"),
        ("jobs.Fn(), 5, SECONDS", "Fn", 3),
        ("new Elsewhere(), 5, SECONDS", "Elsewhere", "absent"),
        ("new Elsewhere() { Pool p = Executors.newFixedThreadPool(4); }, 5, SECONDS", "Elsewhere", 4),
        ("found, 5, SECONDS", "Fn", 3),
        ("unknown, 5, SECONDS", None, "absent"),
        ("(x, out) -> { Pool p = Executors.newFixedThreadPool(4); }, 5, SECONDS", None, 4),
    ],
)
def test_the_function_of_a_call(arguments: str, name: str | None, threads: object) -> None:
    text = (
        f"{HEAD}class Fn extends RichAsyncFunction<A, B> {{ Pool pool = Executors.newFixedThreadPool(3); }}\n"
        f"class Job {{ void run() {{ Fn found = new Fn(); AsyncDataStream.unorderedWait(in, {arguments}); }} }}\n"
    )
    (document,) = read("Job.java", text)
    ((_, attributes),) = parts(document, "async-call")
    assert values(attributes, "function", "threads") == [name, threads]


@pytest.mark.parametrize(
    ("pool", "threads"),
    [
        ("Executors.newFixedThreadPool(25)", 25), ("Executors.newWorkStealingPool(25)", 25),
        ("Executors.newScheduledThreadPool(25)", 25), ("Executors.newWorkStealingPool()", None),
        ("Executors.newFixedThreadPool(load())", None), ("Executors.newFixedThreadPool(true)", None),
        ("Executors.newSingleThreadExecutor()", 1), ("Executors.newCachedThreadPool()", "absent"),
        ("Pools.newFixedThreadPool(25)", "absent"), ("newFixedThreadPool(25)", "absent"),
        ("new ForkJoinPool(25)", 25), ("new ForkJoinPool(25, factory)", 25), ("new ForkJoinPool()", None),
        ("new ThreadPoolExecutor(10)", 10),
        ("new ThreadPoolExecutor(25, 25, 0, SECONDS, new ArrayBlockingQueue(5))", 25),
        # The pool grows beyond its core only if the queue can be full.
        ("new ThreadPoolExecutor(10, 25, 0, SECONDS, new LinkedBlockingQueue<>())", 10),
        ("new ThreadPoolExecutor(10, 25, 0, SECONDS, new LinkedBlockingQueue<>(5))", 25),
        ("new ThreadPoolExecutor(10, 25, 0, SECONDS, queue)", 25), ("new ThreadPoolExecutor(10, 25, 0, SECONDS)", 25),
        ("new ThreadPoolExecutor(n, n, 0, SECONDS, queue)", None),
    ],
)  # fmt: skip
def test_the_threads_of_a_function(pool: str, threads: object) -> None:
    attributes = function(f"Pool pool; void open() {{ pool = {pool}; }}")
    assert values(attributes, "threads") == [threads]
    assert ("threads-shared" in attributes) == ("threads" in attributes)


def test_two_pools_are_none_and_one_of_python_is_one() -> None:
    assert "threads" not in function("Pool a = Executors.newFixedThreadPool(2); Pool b = new ForkJoinPool(2);")
    for arguments in ("25", "max_workers=25"):
        opens = f"    def open(self, c):\n        self.pool = ThreadPoolExecutor({arguments})\n"
        text = f"import pyflink\nclass Fn(AsyncFunction):\n{opens}"
        (document,) = read("job.py", text)
        assert parts(document, "async-function")[0][1]["threads"][0] == 25


@pytest.mark.parametrize(
    ("language", "body", "shared"),
    [
        ("java", "static Pool pool = Executors.newFixedThreadPool(5);", True),
        ("java", "Pool pool = Executors.newFixedThreadPool(5);", False),
        ("java", "static Pool pool; void open() { pool = Executors.newFixedThreadPool(5); }", True),
        ("java", "static Pool other; Pool pool; void open() { pool = Executors.newFixedThreadPool(5); }", False),
        ("java", "static Pool pool; static { pool = Executors.newFixedThreadPool(5); }", True),
        ("java", "void open() { Pool pool = Executors.newFixedThreadPool(5); }", False),
        ("java", "void open() { use(Executors.newFixedThreadPool(5)); }", False),
        ("java", "void open() { elsewhere.pool = Executors.newFixedThreadPool(5); }", False),
        ("scala", "val pool = Executors.newFixedThreadPool(5)", False),
        ("scala", "object Shared { val pool = Executors.newFixedThreadPool(5) }", True),
        ("scala", "use(Executors.newFixedThreadPool(5))", False),
    ],
)
def test_whether_subtasks_share_a_pool(language: str, body: str, shared: bool) -> None:
    attributes = function(body, language)
    assert values(attributes, "threads", "threads-shared") == [5, shared]


@pytest.mark.parametrize(
    ("body", "request_timeout", "connect_timeout"),
    [
        ("client.readTimeout(5, SECONDS);", 5_000, "absent"),
        ("client.readTimeout(Duration.ofSeconds(5)).connectTimeout(2, SECONDS);", 5_000, 2_000),
        ("client.connectTimeout(2, SECONDS);", "absent", "absent"),
        ("client.callTimeout(5, SECONDS).readTimeout(9, SECONDS).connectTimeout(2, SECONDS);", 5_000, "absent"),
        ("client.setSocketTimeout(5000);", 5_000, "absent"),
        ("client.readTimeout(5, unit);", None, "absent"),
        ("client.timeout(Duration.ofSeconds(5));", 5_000, "absent"),
        ("client.timeout(5);", "absent", "absent"),
        ("statement.setQueryTimeout(5);", 5_000, "absent"),
        ("statement.setQueryTimeout(Duration.ofSeconds(5));", 5_000, "absent"),
        ("statement.setQueryTimeout(load());", None, "absent"),
        ("a.readTimeout(5, SECONDS); b.readTimeout(5, SECONDS);", 5_000, "absent"),
        ("a.readTimeout(5, SECONDS); b.readTimeout(9, SECONDS);", None, "absent"),
        ("client.setConnectionRequestTimeout(5000);", "absent", "absent"),
        ("client.readTimeout();", "absent", "absent"),
        ("readTimeout(5, SECONDS);", "absent", "absent"),
    ],
)
def test_the_timeout_of_the_client(body: str, request_timeout: object, connect_timeout: object) -> None:
    attributes = function(f"void open() {{ {body} }}")
    assert values(attributes, "request-timeout", "connect-timeout") == [request_timeout, connect_timeout]


@pytest.mark.parametrize(
    ("statement", "blocking"),
    [
        ("Thread.sleep(5);", "Thread.sleep"), ("TimeUnit.SECONDS.sleep(5);", "absent"),
        ("TimeUnit.sleep(5);", "TimeUnit.sleep"),
        ("Await.result(f, t);", "Await.result"), ("Await.cancel(f);", "absent"), ("Thread().sleep(5);", "absent"),
        ("db.executeQuery(sql);", "db.executeQuery"), ("executeQuery(sql);", "absent"),
        ("http.newCall(request).execute();", "execute"), ("http.newCall(request).execute(1);", "absent"),
        ("http.call(request).execute();", "absent"), ("http.newCall.execute();", "absent"),
        ("http.sendAsync(r).get();", "get"), ("http.sendAsync(r).thenApply(f).get(5, SECONDS);", "get"),
        ("http.sendAsync(r).get(5);", "absent"), ("http.send(r).get();", "absent"), ("cache.get();", "absent"),
        ("http.sendAsync(r).join();", "join"), ("http.sendAsync(r).isDone();", "absent"),
        ("Future<B> f = load(); f.get();", "f.get"), ("Future<B> f = load(); f.get(1);", "absent"),
        ("Other f = load(); f.get();", "absent"), ("var f = http.sendAsync(r); f.get();", "f.get"),
        ("if (late) { Thread.sleep(5); }", "Thread.sleep"),
        ("pool.submit(() -> { Thread.sleep(5); });", "absent"), ("Runnable r = () -> { Thread.sleep(5); };", "absent"),
        ("new Thread() { public void run() { Thread.sleep(5); } };", "absent"),
        ("pool.submit(http.sendAsync(r).get());", "absent"), ("http.sendAsync(r).get().thenAccept(f);", "get"),
        ("run(http.sendAsync(r).get());", "get"),
    ],
)  # fmt: skip
def test_a_call_that_blocks_the_task(statement: str, blocking: str) -> None:
    attributes = function(f"public void asyncInvoke(A a, ResultFuture<B> out) {{ {statement} }}")
    assert values(attributes, "blocking") == [blocking]
    assert "blocking" not in function(f"public void open() {{ {statement} }}")
    threads = "Pool pool = Executors.newFixedThreadPool(3);"
    assert "blocking" not in function(f"{threads} public void asyncInvoke(A a, ResultFuture<B> out) {{ {statement} }}")


def test_a_lambda_that_blocks() -> None:
    assert call("(a, out) -> { Thread.sleep(5); }, 5, TimeUnit.SECONDS")["blocking"][0] == "Thread.sleep"


@pytest.mark.parametrize(
    ("base", "statement", "state"),
    [
        ("RichAsyncFunction<A, B>", "getRuntimeContext().getState(d);", "getState"),
        ("RichAsyncFunction<A, B>", "getRuntimeContext().getIntCounter(d);", "getIntCounter"),
        ("RichAsyncFunction<A, B>", "getRuntimeContext().getMetricGroup();", "absent"),
        ("RichAsyncFunction<A, B>", "other.getState(d);", "absent"),
        ("RichAsyncFunction<A, B>", "getState(d);", "absent"),
        ("AsyncFunction<A, B>", "getRuntimeContext().getState(d);", "absent"),
    ],
)
def test_state_that_the_context_refuses(base: str, statement: str, state: str) -> None:
    assert values(function(f"void open() {{ {statement} }}", base=base), "state") == [state]


def test_what_a_function_overrides() -> None:
    plain = function("public void asyncInvoke(A a, ResultFuture<B> out) { }")
    assert values(plain, "timeout-handled", "fails-exceptionally") == [False, False]
    handled = function("public void timeout(A a, ResultFuture<B> out) { out.completeExceptionally(late); }")
    assert handled["timeout-handled"] == (True, "timeout")
    assert handled["fails-exceptionally"] == (True, "completeExceptionally")


def test_classes_that_are_no_asynchronous_functions_are_none() -> None:
    (document,) = read("Fn.java", f"{HEAD}class Fn extends RichMapFunction<A, B> {{ }} class Other {{ }}\n")
    assert parts(document, "async-function") == []
    assert function("", base="org.apache.flink.AsyncFunction<A, B>")["timeout-handled"] == (False, "Fn")


@pytest.mark.parametrize(
    ("pool", "threads"),
    [
        ("Executors.newFixedThreadPool(4)", 4), ("Executors.newSingleThreadExecutor()", 1),
        ("Executors.newVirtualThreadPerTaskExecutor()", "absent"), ("Executors.callable(4)", "absent"),
        ("Pools.newFixedThreadPool(4)", "absent"),
    ],
)  # fmt: skip
def test_the_threads_of_a_pool(pool: str, threads: object) -> None:
    attributes = function(f"public void open(Configuration c) {{ this.pool = {pool}; }}")
    assert values(attributes, "threads") == [threads]


@pytest.mark.parametrize(
    ("body", "is_shared"),
    [
        ("private val pool = Executors.newFixedThreadPool(4)", False),
        ("companion object { private val pool = Executors.newFixedThreadPool(4) }", True),
    ],
)
def test_a_pool_of_the_class_is_shared_in_kotlin(body: str, is_shared: bool) -> None:
    text = f"{HEAD.replace(';', '')}class Fn : RichAsyncFunction<A, B>() {{\n{body}\n}}\n"
    (document,) = read("Fn.kt", text)
    ((_, attributes),) = parts(document, "async-function")
    assert attributes["threads-shared"][0] == is_shared
