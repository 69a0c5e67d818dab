import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.FileOutputStream;
import java.io.PrintStream;
import java.lang.reflect.Constructor;
import java.lang.reflect.Executable;
import java.lang.reflect.Field;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import org.apache.flink.api.common.functions.ReduceFunction;
import org.apache.flink.api.java.functions.KeySelector;
import org.apache.flink.configuration.ConfigOption;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Asks one release of Flink what it makes of configurations, by the code that a process of it runs with them.
 *
 * <p>Arguments: a file of questions, a file for the answers, and how many questions that wait for something may wait at
 * a time; without the last, one question follows the other. A question is a line of tab-separated fields: its
 * name, the probe, and key=value pairs in Base64. An answer is a line with the name, the milliseconds it took, and what
 * the release answers:
 * "+" and what it builds, "!" and the exception with which it refuses, "~" if it waits for another system, or "-" if it
 * has no such code. The classes of Flink are found by reflection, since one compiled program serves all releases.
 */
public final class Oracle {
    /** How long an answer may take on a busy machine, and how long a thread waits for ZooKeeper until it is sure. */
    private static final int SECONDS = 300;
    private static final int FOR_ZOOKEEPER = 3;

    /** How long an answer may be. */
    private static final int LONGEST = 40_000;

    /** The probes that mostly wait, so that several of them are asked at a time. */
    private static final List<String> WAITING =
            Arrays.asList("batch", "exchange", "high availability", "program", "run", "SQL run");

    static final ClassLoader LOADER = Oracle.class.getClassLoader();
    static final Logger LOGGER = LoggerFactory.getLogger(Oracle.class);
    static final String RUNTIME = "org.apache.flink.runtime.";
    private static final String ENVIRONMENT = "org.apache.flink.streaming.api.environment.StreamExecutionEnvironment";

    private static Map<String, ConfigOption<?>> options;

    interface Probe {
        Object ask(Configuration settings) throws Exception;
    }

    /** The release has none of the code that a probe runs. */
    static final class NotThere extends Exception {
        NotThere(String what) {
            super(what);
        }
    }

    private static final Map<String, Probe> PROBES = new TreeMap<>();

    static {
        PROBES.put("options", Oracle::options);
        PROBES.put("taskmanager memory", Oracle::taskManagerMemory);
        PROBES.put("jobmanager memory", Oracle::jobManagerMemory);
        PROBES.put("restart strategy", Oracle::restartStrategy);
        PROBES.put("state backend", Oracle::stateBackend);
        PROBES.put("high availability", Oracle::highAvailability);
        PROBES.put("RocksDB", Oracle::rocksDb);
        PROBES.put("internal TLS", settings ->
                call(RUNTIME + "net.SSLUtils", "createInternalServerSSLEngineFactory", settings));
        PROBES.put("REST endpoint", Oracle::restEndpoint);
        PROBES.put("Kerberos", settings -> create(RUNTIME + "security.SecurityConfiguration", settings));
        PROBES.put("heartbeats", settings ->
                call(RUNTIME + "heartbeat.HeartbeatServices", "fromConfiguration", settings));
        PROBES.put("network", Oracle::network);
        PROBES.put("slots", Oracle::slots);
        PROBES.put("job", Oracle::job);
        PROBES.put("run", Oracle::run);
        PROBES.put("batch", Oracle::batch);
        PROBES.put("SQL", SqlProbes::planned);
        PROBES.put("SQL plan", SqlProbes::plan);
        PROBES.put("SQL job", SqlProbes::job);
        PROBES.put("SQL run", SqlProbes::run);
        PROBES.put("REST client", settings ->
                call("org.apache.flink.client.program.rest.RestClusterClientConfiguration", "fromConfiguration", settings));
        PROBES.put("port range", settings -> ports(settings.toMap().get("ports")));
        PROBES.put("cleanup", settings -> on(
                constant(RUNTIME + "dispatcher.cleanup.CleanupRetryStrategyFactory", "INSTANCE"),
                "createRetryStrategy", settings));
        PROBES.put("failover", settings -> call(
                RUNTIME + "executiongraph.failover" + (isThere(RUNTIME + "executiongraph.failover.flip1.FailoverStrategyFactoryLoader") ? ".flip1" : "")
                        + ".FailoverStrategyFactoryLoader", "loadFailoverStrategyFactory", settings));
        PROBES.put("slow tasks", settings ->
                create(RUNTIME + "scheduler.slowtaskdetector.ExecutionTimeBasedSlowTaskDetector", settings));
        PROBES.put("JobManager", Parts::jobManager);
        PROBES.put("TaskManager", Parts::taskManager);
        PROBES.put("JobManager process", Processes::jobManager);
        PROBES.put("TaskManager process", Processes::taskManager);
        PROBES.put("history server", Processes::historyServer);
        PROBES.put("Kubernetes", Processes::kubernetes);
        PROBES.put("checkpoint storage", ServiceProbes::checkpointStorage);
        PROBES.put("reporters", ServiceProbes::reporters);
        PROBES.put("reporter", ServiceProbes::reporter);
        PROBES.put("file system", ServiceProbes::fileSystem);
        PROBES.put("query", TableProbes::query);
        PROBES.put("parallelism of SQL", TableProbes::parallelism);
        PROBES.put("exchange", Oracle::exchange);
        PROBES.put("Kubernetes leader election", ServiceProbes::leaderElection);
        PROBES.put("SQL gateway", ServiceProbes::sessions);
        PROBES.put("log files", FileProbes::logFiles);
        PROBES.put("sizes of memory", Oracle::sizes);
        PROBES.put("checkpoints", StateProbes::checkpoints);
        PROBES.put("barriers", StateProbes::barriers);
        PROBES.put("restore", StateProbes::restore);
        PROBES.put("retained checkpoints", StateProbes::retained);
        PROBES.put("serializer", StateProbes::serializer);
        PROBES.put("changelog", StateProbes::changelog);
        PROBES.put("managed memory", StateProbes::managedMemory);
        PROBES.put("state in RocksDB", StateProbes::rocksDb);
        PROBES.put("cache of RocksDB", StateProbes::rocksDbCache);
        PROBES.put("write buffers", StateProbes::writeBuffers);
        PROBES.put("local recovery", Parts::localRecovery);
        PROBES.put("slot", settings -> "managed " + on(Parts.slot(settings), "getManagedMemory"));
        PROBES.put("JAR directory", PlaceProbes::blobs);
        PROBES.put("JAR cache", PlaceProbes::blobCache);
        PROBES.put("upload directory", PlaceProbes::uploads);
        PROBES.put("working directory", PlaceProbes::working);
        PROBES.put("temporary directories", PlaceProbes::temporary);
        PROBES.put("RPC ports", PlaceProbes::rpcPorts);
        PROBES.put("bucket", PlaceProbes::bucket);
        PROBES.put("latency of state", ServiceProbes::stateLatency);
        PROBES.put("REST TLS", ServiceProbes::restTls);
        PROBES.put("Kubernetes ports", ServiceProbes::kubernetesPorts);
        PROBES.put("Kubernetes JobManager", ServiceProbes::kubernetesJobManager);
        PROBES.put("Kubernetes client", ServiceProbes::kubernetesClient);
        PROBES.put("executor", ServiceProbes::executor);
        PROBES.put("Python memory", ServiceProbes::pythonMemory);
        PROBES.put("metric scopes", SettingProbes::scopes);
        PROBES.put("latency markers", SettingProbes::latency);
        PROBES.put("failure enrichers", SettingProbes::enrichers);
        PROBES.put("failed calls", SettingProbes::failedCalls);
        PROBES.put("failure rate", SettingProbes::restarts);
        PROBES.put("logins", SettingProbes::logins);
        PROBES.put("delegation tokens", SettingProbes::tokens);
        PROBES.put("parent-first classes", SettingProbes::parentFirst);
        PROBES.put("starts of workers", SettingProbes::workerStarts);
        PROBES.put("Kubernetes limits", SettingProbes::kubernetesLimits);
        PROBES.put("flink-conf.yaml", settings -> FileProbes.configuration("flink-conf.yaml", settings));
        PROBES.put("config.yaml", settings -> FileProbes.configuration("config.yaml", settings));
        PROBES.put("log4j", FileProbes::log4j);
        PROBES.put("flink command", FileProbes::command);
        PROBES.put("program", FileProbes::program);
    }

    public static void main(String[] arguments) throws Exception {
        PrintStream answers = new PrintStream(new FileOutputStream(arguments[1]), true, "UTF-8");
        // What jobs and programs print.
        System.setOut(new PrintStream(new ByteArrayOutputStream(), true, "UTF-8"));
        List<String[]> together = new ArrayList<>();
        List<String[]> alone = new ArrayList<>();
        for (String line : Files.readAllLines(Paths.get(arguments[0]), StandardCharsets.UTF_8)) {
            String[] fields = line.split("\t");
            (arguments.length > 2 && WAITING.contains(fields[1]) ? together : alone).add(fields);
        }
        if (!together.isEmpty()) {
            ExecutorService several = threads(Integer.parseInt(arguments[2]));
            List<Future<?>> asked = new ArrayList<>();
            for (String[] fields : together) {
                asked.add(several.submit(() -> ask(fields, answers)));
            }
            for (Future<?> one : asked) {
                one.get();
            }
        }
        for (String[] fields : alone) {
            ask(fields, answers);
        }
        Runtime.getRuntime().halt(0);
    }

    private static void ask(String[] fields, PrintStream answers) {
        Configuration settings = new Configuration();
        for (String pair : Arrays.asList(fields).subList(2, fields.length)) {
            String[] parts = pair.split("=");
            settings.setString(decoded(parts[0]), decoded(parts[1]));
        }
        long start = System.nanoTime();
        FutureTask<String> asked = new FutureTask<>(() -> answer(fields[1], settings));
        Thread asking = new Thread(asked);
        asking.setDaemon(true);
        asking.start();
        String found;
        try {
            boolean mayWait = fields[1].equals("high availability")
                    || settings.containsKey("high-availability.zookeeper.quorum");
            found = mayWait
                    ? answerOrWaiting(asking, asked) : asked.get(SECONDS, TimeUnit.SECONDS);
        } catch (TimeoutException late) {
            asked.cancel(true);
            found = "~";
        } catch (InterruptedException | ExecutionException failed) {
            throw new IllegalStateException(failed);
        }
        long taken = (System.nanoTime() - start) / 1_000_000;
        answers.println(fields[0] + "\t" + taken + "\t" + found);
    }

    /** The answer of a thread, unless it does nothing but wait; on a busy machine one that works may be slow. */
    private static String answerOrWaiting(Thread asking, Future<String> asked)
            throws InterruptedException, ExecutionException, TimeoutException {
        int waiting = 0;
        while (waiting < FOR_ZOOKEEPER * 10) {
            try {
                return asked.get(100, TimeUnit.MILLISECONDS);
            } catch (TimeoutException late) {
                Thread.State state = asking.getState();
                waiting = state == Thread.State.WAITING || state == Thread.State.TIMED_WAITING ? waiting + 1 : 0;
            }
        }
        throw new TimeoutException();
    }

    private static ExecutorService threads(int number) {
        return Executors.newFixedThreadPool(number, task -> {
            Thread made = new Thread(task);
            made.setDaemon(true);
            return made;
        });
    }

    private static String answer(String name, Configuration settings) {
        try {
            return "+" + shown(PROBES.get(name).ask(settings));
        } catch (NotThere missing) {
            return "-" + missing.getMessage();
        } catch (Throwable refused) {
            return "!" + described(refused);
        }
    }

    /** What was built, in a line: of an object that has no text of its own, its class. */
    private static String shown(Object built) {
        String text = built == null ? "nothing" : String.valueOf(built);
        boolean isPlain = built != null && text.startsWith(built.getClass().getName() + "@");
        return oneLine(isPlain ? built.getClass().getSimpleName() : text);
    }

    private static String described(Throwable thrown) {
        Throwable outer = thrown;
        while ((outer instanceof InvocationTargetException || outer instanceof ExceptionInInitializerError)
                && outer.getCause() != null) {
            outer = outer.getCause();
        }
        Throwable root = outer;
        while (root.getCause() != null && root.getCause() != root) {
            root = root.getCause();
        }
        String text = outer.getClass().getSimpleName() + ": " + outer.getMessage();
        return oneLine(root == outer ? text : text + " <- " + root.getClass().getSimpleName() + ": " + root.getMessage());
    }

    private static String oneLine(String text) {
        String line = text.replaceAll("\\s+", " ").trim();
        return line.length() > LONGEST ? line.substring(0, LONGEST) : line;
    }

    private static String decoded(String code) {
        return new String(Base64.getUrlDecoder().decode(code.substring(1)), StandardCharsets.UTF_8);
    }

    // -- probes

    /** Reads each option that is set, as its own type. */
    private static Object options(Configuration settings) throws Exception {
        if (options == null) {
            options = declared();
        }
        List<String> read = new ArrayList<>();
        for (String key : new TreeMap<>(settings.toMap()).keySet()) {
            ConfigOption<?> option = options.get(key);
            if (option == null) {
                throw new NotThere("no option " + key);
            }
            read.add(key + "=" + on(settings, "get", option));
        }
        return String.join(" ", read);
    }

    private static Map<String, ConfigOption<?>> declared() throws Exception {
        Map<String, ConfigOption<?>> found = new LinkedHashMap<>();
        for (String path : System.getProperty("java.class.path").split(File.pathSeparator)) {
            if (!new File(path).getName().startsWith("flink-") || !path.endsWith(".jar")) {
                continue;
            }
            try (JarFile jar = new JarFile(path)) {
                for (JarEntry entry : java.util.Collections.list(jar.entries())) {
                    String name = entry.getName();
                    if (name.startsWith("org/apache/flink/") && name.matches(".*(Options|Option|Descriptor)\\.class")) {
                        add(name.replace('/', '.').replace(".class", ""), found);
                    }
                }
            }
        }
        return found;
    }

    private static void add(String name, Map<String, ConfigOption<?>> found) {
        try {
            for (Field field : Class.forName(name, true, LOADER).getDeclaredFields()) {
                if (Modifier.isStatic(field.getModifiers()) && ConfigOption.class.isAssignableFrom(field.getType())) {
                    field.setAccessible(true);
                    ConfigOption<?> option = (ConfigOption<?>) field.get(null);
                    if (option != null) {
                        found.putIfAbsent(option.key(), option);
                    }
                }
            }
        } catch (Throwable ignored) {
            // a class of an optional library
        }
    }

    private static Object taskManagerMemory(Configuration settings) throws Exception {
        String utils = RUNTIME + "clusterframework.TaskExecutorProcessUtils";
        Object total = option("TaskManagerOptions", "TOTAL_FLINK_MEMORY");
        Object mapped = settings;
        try {
            mapped = call(utils, "getConfigurationMapLegacyTaskManagerHeapSizeToConfigOption", settings, total);
        } catch (NotThere since2) {
            // 2.0 no longer reads taskmanager.heap.size
        }
        return call(utils, "processSpecFromConfig", mapped);
    }

    /** The sizes of a TaskManager's memory that the JVM or state runs out of. */
    private static Object sizes(Configuration settings) throws Exception {
        Object memory = taskManagerMemory(settings);
        StringBuilder shown = new StringBuilder();
        for (String part : new String[] {"TaskHeap", "JvmMetaspace", "ManagedMemory"}) {
            long bytes = (Long) on(on(memory, "get" + part + "Size"), "getBytes");
            shown.append(part).append(' ').append(bytes >> 20).append(" MB, ");
        }
        return shown;
    }

    private static Object jobManagerMemory(Configuration settings) throws Exception {
        Object heap = option("JobManagerOptions", "JVM_HEAP_MEMORY");
        String utils = RUNTIME + "jobmanager.JobManagerProcessUtils";
        try {
            return call(utils, "processSpecFromConfigWithNewOptionToInterpretLegacyHeap", settings, heap);
        } catch (NotThere since2) {
            return call(utils, "processSpecFromConfig", settings);
        }
    }

    /** The strategy, and what it does after each of three failures. */
    private static Object restartStrategy(Configuration settings) throws Exception {
        String jitter = "restart-strategy.exponential-delay.jitter-factor";
        Map<String, String> given = settings.toMap();
        boolean isDefault = !given.containsKey("restart-strategy") && !given.containsKey("restart-strategy.type");
        if (!given.containsKey(jitter)) {
            settings.setString(jitter, "0");
        }
        String package_ = RUNTIME + "executiongraph.failover.flip1.";
        if (!isThere(package_ + "RestartBackoffTimeStrategyFactoryLoader")) {
            package_ = RUNTIME + "executiongraph.failover.";
        }
        List<Object> arguments = new ArrayList<>(Arrays.asList(settings, settings, true));
        if (isThere("org.apache.flink.api.common.restartstrategy.RestartStrategies")) {
            arguments.add(0, call("org.apache.flink.api.common.restartstrategy.RestartStrategies", "fallBackRestart"));
        }
        Object factory = call(
                package_ + "RestartBackoffTimeStrategyFactoryLoader", "createRestartBackoffTimeStrategyFactory",
                arguments.toArray());
        Object strategy = on(factory, "create");
        StringBuilder shown = new StringBuilder(strategy.getClass().getSimpleName());
        // The strategy of those who set none does not read the setting.
        boolean isRandom = given.containsKey(jitter) || (isDefault && shown.indexOf("Exponential") == 0);
        for (int failure = 1; failure <= 3; failure++) {
            on(strategy, "notifyFailure", new RuntimeException("failure"));
            boolean restarts = (Boolean) on(strategy, "canRestart");
            // What is left of a delay when one asks is a little less.
            double seconds = Math.round((Long) on(strategy, "getBackoffTime") / 100.0) / 10.0;
            String delay = isRandom ? "" : " after " + seconds + " s";
            shown.append(restarts ? " restart" + delay : " no restart");
        }
        return shown;
    }

    private static Object stateBackend(Configuration settings) throws Exception {
        String loader = RUNTIME + "state.StateBackendLoader";
        Object made = call(loader, "loadStateBackendFromConfig", settings, LOADER, LOGGER);
        return made == null ? "the default" : made.getClass().getSimpleName();
    }

    /** The backend with RocksDB, configured as each task does it. */
    private static Object rocksDb(Configuration settings) throws Exception {
        Object made = call(RUNTIME + "state.StateBackendLoader", "loadStateBackendFromConfig", settings, LOADER, LOGGER);
        return on(made, "configure", settings, LOADER).getClass().getSimpleName();
    }

    /** The services that every process of a cluster creates when it starts. */
    private static Object highAvailability(Configuration settings) throws Exception {
        String utils = RUNTIME + "highavailability.HighAvailabilityServicesUtils";
        ExecutorService threads = Executors.newFixedThreadPool(2);
        List<Object> given = new ArrayList<>(Arrays.asList(settings, threads));
        if (isThere(utils + "$AddressResolution")) {
            given.add(constant(utils + "$AddressResolution", "NO_ADDRESS_RESOLUTION"));
        }
        return call(utils, "createHighAvailabilityServices", given.toArray()).getClass().getSimpleName();
    }

    private static Object restEndpoint(Configuration settings) throws Exception {
        Object made = call(RUNTIME + "rest.RestServerEndpointConfiguration", "fromConfiguration", settings);
        return on(made, "getSslHandlerFactory") == null ? "plain HTTP" : "TLS";
    }

    private static Object network(Configuration settings) throws Exception {
        Object memory = call("org.apache.flink.configuration.MemorySize", "parse", "128mb");
        Object made = call(
                RUNTIME + "taskmanager.NettyShuffleEnvironmentConfiguration", "fromConfiguration", settings, memory,
                false, InetAddress.getLoopbackAddress());
        return on(made, "numNetworkBuffers") + " buffers";
    }

    private static Object slots(Configuration settings) throws Exception {
        Object worker = constant(RUNTIME + "resourcemanager.WorkerResourceSpec", "ZERO");
        Object made = call(
                RUNTIME + "resourcemanager.slotmanager.SlotManagerConfiguration", "fromConfiguration", settings, worker);
        return made.getClass().getSimpleName();
    }

    static Object environmentOf(Configuration settings) throws Exception {
        try {
            return call(ENVIRONMENT, "getExecutionEnvironment", settings);
        } catch (NotThere old) {
            Object made = call(ENVIRONMENT, "createLocalEnvironment");
            on(made, "configure", settings, LOADER);
            return made;
        }
    }

    static Object jobOf(Configuration settings) throws Exception {
        Object job = environmentOf(settings);
        on(on(job, "fromElements", (Object) new Object[] {1, 2}), "print");
        return job;
    }

    /** Runs a job that ends by itself, in a cluster of its own with the configuration. */
    private static Object run(Configuration settings) throws Exception {
        try {
            type(ENVIRONMENT).getMethod("getExecutionEnvironment", Configuration.class);
        } catch (NoSuchMethodException old) {
            throw new NotThere("no cluster that a program gives its configuration");
        }
        on(jobOf(settings), "execute");
        return "the job ends";
    }

    /** Runs a job that sorts what it has. */
    private static Object batch(Configuration settings) throws Exception {
        Object job = environmentOf(settings);
        @SuppressWarnings("unchecked")
        DataStream<Integer> numbers = (DataStream<Integer>) on(job, "fromElements", (Object) new Object[] {1, 2});
        KeySelector<Integer, Integer> key = number -> number;
        ReduceFunction<Integer> sum = (one, other) -> one + other;
        numbers.keyBy(key).reduce(sum).print();
        on(job, "execute");
        return "the job ends";
    }

    /** Runs a job in which all subtasks send to all. */
    private static Object exchange(Configuration settings) throws Exception {
        Object job = environmentOf(settings);
        @SuppressWarnings("unchecked")
        DataStream<Long> numbers = (DataStream<Long>) on(job, "fromSequence", 1L, 100L);
        KeySelector<Long, Long> key = number -> number;
        ReduceFunction<Long> sum = (one, other) -> one + other;
        numbers.keyBy(key).reduce(sum).print();
        on(job, "execute");
        return "the job ends";
    }

    /** What a job that is submitted with the configuration is set to. */
    private static Object job(Configuration settings) throws Exception {
        Object environment = jobOf(settings);
        Object graph = on(on(environment, "getStreamGraph"), "getJobGraph");
        Object checkpoints = on(on(graph, "getCheckpointingSettings"), "getCheckpointCoordinatorConfiguration");
        Object savepoint = on(graph, "getSavepointRestoreSettings");
        String start = (Boolean) on(savepoint, "restoreSavepoint") ? on(savepoint, "getRestorePath") + ", " : "";
        return start + "buffers for " + on(environment, "getBufferTimeout") + " ms, " + checkpoints;
    }

    /** How many ports a range has, by the method that all options with ranges of ports are read with. */
    private static Object ports(String range) throws Exception {
        String owner = isThere("org.apache.flink.util.NetUtils") ? "org.apache.flink.util.NetUtils" : RUNTIME + "net.NetUtils";
        java.util.Iterator<?> ports = (java.util.Iterator<?>) call(owner, "getPortRangeFromString", range);
        int count = 0;
        while (ports.hasNext()) {
            ports.next();
            count++;
        }
        return count + " ports";
    }

    // -- reflection

    static boolean isThere(String name) {
        try {
            Class.forName(name, false, LOADER);
            return true;
        } catch (ClassNotFoundException | NoClassDefFoundError missing) {
            return false;
        }
    }

    static boolean hasMethod(String owner, String name) throws NotThere {
        return Arrays.stream(type(owner).getDeclaredMethods()).anyMatch(method -> method.getName().equals(name));
    }

    static Class<?> type(String name) throws NotThere {
        try {
            return Class.forName(name, true, LOADER);
        } catch (ClassNotFoundException | NoClassDefFoundError missing) {
            throw new NotThere("no class " + name);
        }
    }

    static Object option(String options, String field) throws Exception {
        return constant("org.apache.flink.configuration." + options, field);
    }

    static Object constant(String owner, String name) throws Exception {
        try {
            Field field = type(owner).getDeclaredField(name);
            field.setAccessible(true);
            return field.get(null);
        } catch (NoSuchFieldException missing) {
            throw new NotThere("no field " + owner + "." + name);
        }
    }

    /** Calls a static method with what its parameters take of the given values, in their order. */
    static Object call(String owner, String name, Object... given) throws Exception {
        for (Method method : sorted(type(owner).getDeclaredMethods())) {
            if (method.getName().equals(name) && Modifier.isStatic(method.getModifiers())) {
                Object[] fitting = fitting(method, given);
                if (fitting != null) {
                    method.setAccessible(true);
                    return method.invoke(null, fitting);
                }
            }
        }
        throw new NotThere("no method " + owner + "." + name);
    }

    static Object create(String owner, Object... given) throws Exception {
        for (Constructor<?> constructor : type(owner).getDeclaredConstructors()) {
            Object[] fitting = fitting(constructor, given);
            if (fitting != null && fitting.length == given.length) {
                constructor.setAccessible(true);
                return constructor.newInstance(fitting);
            }
        }
        throw new NotThere("no constructor of " + owner);
    }

    static Object on(Object owner, String name, Object... given) throws Exception {
        for (Class<?> type = owner.getClass(); type != null; type = type.getSuperclass()) {
            List<Method> methods = new ArrayList<>(Arrays.asList(sorted(type.getDeclaredMethods())));
            for (Class<?> face : type.getInterfaces()) {
                methods.addAll(Arrays.asList(face.getDeclaredMethods()));
            }
            for (Method method : methods) {
                Object[] fitting = method.getName().equals(name) ? fitting(method, given) : null;
                if (fitting != null && fitting.length == given.length) {
                    method.setAccessible(true);
                    return method.invoke(owner, fitting);
                }
            }
        }
        for (Method method : owner.getClass().getMethods()) { // a default method of an interface
            Object[] fitting = method.getName().equals(name) ? fitting(method, given) : null;
            if (fitting != null && fitting.length == given.length) {
                method.setAccessible(true);
                return method.invoke(owner, fitting);
            }
        }
        throw new NotThere("no method " + owner.getClass().getName() + "." + name);
    }

    private static Method[] sorted(Method[] methods) {
        Arrays.sort(methods, (one, other) -> Integer.compare(other.getParameterCount(), one.getParameterCount()));
        return methods;
    }

    /** The arguments for a method: each given value in turn where it fits, null where no value is given for an object. */
    static Object[] fitting(Executable method, Object[] given) {
        Class<?>[] types = method.getParameterTypes();
        Object[] found = new Object[types.length];
        int used = 0;
        for (int place = 0; place < types.length; place++) {
            if (isAgain(given, used) && !takes(types[place], given[used])) {
                used++;
            }
            if (used < given.length && takes(types[place], given[used])) {
                found[place] = given[used++];
            } else if (types[place].isPrimitive()) {
                return null;
            }
        }
        return used == given.length || (used == given.length - 1 && isAgain(given, used)) ? found : null;
    }

    /** Whether a value was given twice, which an earlier release wants once. */
    private static boolean isAgain(Object[] given, int place) {
        return place > 0 && place < given.length && given[place] == given[place - 1];
    }

    private static boolean takes(Class<?> type, Object value) {
        if (type.isPrimitive()) {
            return type == boolean.class && value instanceof Boolean
                    || type == int.class && value instanceof Integer
                    || type == long.class && value instanceof Long
                    || type == double.class && value instanceof Double;
        }
        return value != null && type.isInstance(value);
    }
}
