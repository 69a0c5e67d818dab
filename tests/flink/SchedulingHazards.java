import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.concurrent.Callable;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.JobManagerOptions;
import org.apache.flink.configuration.TaskManagerOptions;
import org.apache.flink.runtime.entrypoint.StandaloneSessionClusterEntrypoint;
import org.apache.flink.runtime.jobgraph.JobType;
import org.apache.flink.runtime.jobmaster.DefaultSlotPoolServiceSchedulerFactory;
import org.apache.flink.runtime.resourcemanager.WorkerResourceSpec;
import org.apache.flink.runtime.resourcemanager.active.ActiveResourceManagerFactory;
import org.apache.flink.runtime.resourcemanager.slotmanager.SlotManagerConfiguration;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.sink.v2.DiscardingSink;

/** Prints what a release of Flink makes of hazardous settings of scheduling: a name, a tab, what came of it. */
public class SchedulingHazards {
    private static final String EXPONENTIAL =
            "org.apache.flink.runtime.executiongraph.failover.ExponentialDelayRestartBackoffTimeStrategy";
    private static final String OF = "restart-strategy.exponential-delay.";
    private static final String WAIT = "jobmanager.adaptive-scheduler.resource-wait-timeout";

    public static void main(String[] arguments) throws Exception {
        Thread.currentThread().setContextClassLoader(SchedulingHazards.class.getClassLoader());
        report("max below initial", () -> exponential(OF + "initial-backoff", "2 min", OF + "max-backoff", "1 min"));
        report("max equals initial", () -> exponential(OF + "initial-backoff", "1 min", OF + "max-backoff", "1 min"));
        report("multiplier 1", () -> exponential(OF + "backoff-multiplier", "1.0"));
        report("multiplier below 1", () -> exponential(OF + "backoff-multiplier", "0.5"));
        report("jitter above 1", () -> exponential(OF + "jitter-factor", "1.5"));
        report("initial 0", () -> exponential(OF + "initial-backoff", "0 s"));
        report("reset 0", () -> exponential(OF + "reset-backoff-threshold", "0 s"));
        report("attempts 0", () -> exponential(OF + "attempts-before-reset-backoff", "0"));
        report("reset below max", () -> exponential(OF + "reset-backoff-threshold", "10 s", OF + "max-backoff", "1 min"));
        for (String scheduler : new String[] {"Default", "Adaptive", "AdaptiveBatch"}) {
            for (JobType job : JobType.values()) {
                report(scheduler + " for " + job, () -> scheduler(job, "jobmanager.scheduler", scheduler));
            }
        }
        report("reactive beside Default", () -> scheduler(
                JobType.STREAMING, "jobmanager.scheduler", "Default", "scheduler-mode", "reactive"));
        report("reactive session", () -> new StandaloneSessionClusterEntrypoint(of("scheduler-mode", "reactive")) != null);
        report("wait -1", () -> of(WAIT, "-1").get(JobManagerOptions.RESOURCE_WAIT_TIMEOUT));
        report("min above max", () -> slots("slotmanager.number-of-slots.min", "8", "slotmanager.number-of-slots.max", "4"));
        report("min equals max", () -> slots("slotmanager.number-of-slots.min", "4", "slotmanager.number-of-slots.max", "4"));
        report("min between TaskManagers", () -> slots(
                "slotmanager.number-of-slots.min", "5", "slotmanager.number-of-slots.max", "7", "taskmanager.numberOfTaskSlots", "4"));
        report("min cpu above max", () -> slots("slotmanager.min-total-resource.cpu", "8", "slotmanager.max-total-resource.cpu", "4"));
        report("min memory above max", () -> slots(
                "slotmanager.min-total-resource.memory", "8 gb", "slotmanager.max-total-resource.memory", "4 gb"));
        for (String rate : new String[] {"0", "-1", "1"}) {
            report("failure rate " + rate, () -> ActiveResourceManagerFactory.createStartWorkerFailureRater(
                    of("resourcemanager.start-worker.max-failure-rate", rate)).getClass().getSimpleName());
        }
        report("parallelism above maximum", () -> run("parallelism.default", "4", "pipeline.max-parallelism", "2"));
        report("parallelism at maximum", () -> run("parallelism.default", "2", "pipeline.max-parallelism", "2"));
        report("adaptive above maximum", () -> run(
                "parallelism.default", "4", "pipeline.max-parallelism", "2", "jobmanager.scheduler", "adaptive"));
        report("override above maximum", () -> overridden("4"));
        report("override at maximum", () -> overridden("2"));
        report("streaming in AdaptiveBatch", () -> run("jobmanager.scheduler", "AdaptiveBatch"));
        System.exit(0);
    }

    private static Object exponential(String... settings) throws Exception {
        Class<?> strategy = Class.forName(EXPONENTIAL);
        Method create = strategy.getMethod("createFactory", Configuration.class);
        Object factory = create.invoke(null, of(settings));
        Method make = factory.getClass().getMethod("create");
        make.setAccessible(true);
        return make.invoke(factory).getClass().getSimpleName();
    }

    private static Object scheduler(JobType job, String... settings) {
        return DefaultSlotPoolServiceSchedulerFactory.fromConfiguration(of(settings), job, true).getSchedulerType();
    }

    private static Object slots(String... settings) throws Exception {
        Integer slots = of(settings).get(TaskManagerOptions.NUM_TASK_SLOTS);
        WorkerResourceSpec worker = new WorkerResourceSpec.Builder()
                .setCpuCores(1.0).setTaskHeapMemoryMB(1024).setNumSlots(slots).build();
        return SlotManagerConfiguration.fromConfiguration(of(settings), worker).getMaxSlotNum();
    }

    private static Object run(String... settings) throws Exception {
        return job(settings).execute().isJobExecutionResult();
    }

    /** A job with a maximum parallelism of 2, to which the cluster gives another parallelism as the autoscaler would. */
    private static Object overridden(String parallelism) throws Exception {
        String[] own = {"parallelism.default", "1", "pipeline.max-parallelism", "2"};
        String vertex = job(own).getStreamGraph().getJobGraph().getVertices().iterator().next().getID().toString();
        return run(own[0], own[1], own[2], own[3], "pipeline.jobvertex-parallelism-overrides", vertex + ":" + parallelism);
    }

    private static StreamExecutionEnvironment job(String... settings) {
        StreamExecutionEnvironment environment = StreamExecutionEnvironment.createLocalEnvironment(of(settings));
        environment.fromSequence(1, 9).sinkTo(new DiscardingSink<>());
        return environment;
    }

    private static Configuration of(String... settings) {
        Configuration configuration = new Configuration();
        for (int place = 0; place < settings.length; place += 2) {
            configuration.setString(settings[place], settings[place + 1]);
        }
        return configuration;
    }

    private static void report(String name, Callable<Object> what) {
        String came;
        try {
            came = String.valueOf(what.call());
        } catch (Throwable refused) {
            Throwable cause = refused instanceof InvocationTargetException ? refused.getCause() : refused;
            for (; cause.getCause() != null; cause = cause.getCause()) {}
            came = "refused: " + (cause.getMessage() == null ? cause.getClass().getSimpleName() : cause.getMessage());
        }
        System.out.println(name + "\t" + came.replace('\n', ' '));
    }
}
