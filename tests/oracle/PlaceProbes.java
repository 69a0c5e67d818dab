import java.io.File;
import java.lang.reflect.Field;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.UnknownHostException;
import java.util.Arrays;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.util.FileUtils;

/** Asks in which directories a process keeps its files, where it listens, and what it asks of S3, for {@link Oracle}. */
final class PlaceProbes {
    private static final String ENTRY = Oracle.RUNTIME + "entrypoint.ClusterEntrypointUtils";

    private PlaceProbes() {}

    /** The directory in which the JobManager keeps the JARs of its jobs. */
    static Object blobs(Configuration settings) throws Exception {
        String utils = Oracle.RUNTIME + "blob.BlobUtils";
        File made;
        if (Oracle.hasMethod(utils, "initLocalStorageDirectory")) {
            made = (File) Oracle.call(utils, "initLocalStorageDirectory", settings);
        } else {
            Object place = Oracle.call(
                    Oracle.RUNTIME + "entrypoint.WorkingDirectory", "create",
                    Oracle.call(ENTRY, "generateJobManagerWorkingDirectoryFile", settings, name()));
            Object reference = Oracle.call(
                    "org.apache.flink.util.Reference", "owned", Oracle.on(place, "getBlobStorageDirectory"));
            made = (File) Oracle.on(Oracle.call(utils, "createBlobStorageDirectory", settings, reference), "deref");
        }
        FileUtils.deleteDirectory(made);
        return made.getName().startsWith("blobStore-") ? made.getParent() : made; // a name drawn at random
    }

    /** The directories for temporary files, and those for local copies of state. */
    static Object temporary(Configuration settings) throws Exception {
        String utils = "org.apache.flink.configuration.ConfigurationUtils";
        return "temporary " + Arrays.toString((Object[]) Oracle.call(utils, "parseTempDirectories", settings))
                + " local state " + Arrays.toString((Object[]) Oracle.call(utils, "parseLocalStateDirectories", settings));
    }

    /** The directory of uploaded JARs. */
    static Object uploads(Configuration given) throws Exception {
        Configuration settings = new Configuration(given);
        Processes.provide(settings, "rest.address", "localhost");
        Object made = Oracle.call(Oracle.RUNTIME + "rest.RestServerEndpointConfiguration", "fromConfiguration", settings);
        return Oracle.on(made, "getUploadDir");
    }

    /** The working directory of a TaskManager, in which it looks for local copies of state. */
    static Object working(Configuration settings) throws Exception {
        return Oracle.call(ENTRY, "generateTaskManagerWorkingDirectoryFile", settings, name());
    }

    /** For how long a TaskManager keeps the JARs of jobs that have ended. */
    static Object blobCache(Configuration settings) throws Exception {
        String name = Oracle.RUNTIME + "blob.PermanentBlobCache";
        Object store = Oracle.create(Oracle.RUNTIME + "blob.VoidBlobStore");
        InetSocketAddress server = new InetSocketAddress("localhost", 1);
        Object made;
        try {
            made = Oracle.create(name, settings, new File("cache"), store, server);
        } catch (Oracle.NotThere before115) {
            made = Oracle.create(name, settings, store, server);
        }
        Field interval = made.getClass().getDeclaredField("cleanupInterval");
        interval.setAccessible(true);
        ((AutoCloseable) made).close();
        return "for " + interval.get(made) + " ms";
    }

    /** The ports on which the JobManager of a standalone cluster takes one to listen. */
    static Object rpcPorts(Configuration settings) throws Exception {
        Object process = Oracle.create(Oracle.RUNTIME + "entrypoint.StandaloneSessionClusterEntrypoint", settings);
        return Oracle.on(process, "getRPCPortRange", settings);
    }

    /** Reads from a bucket, up to the name of the host that the client asks for. */
    static Object bucket(Configuration settings) throws Exception {
        ClassLoader plugin = SqlProbes.connectors();
        Thread thread = Thread.currentThread();
        ClassLoader before = thread.getContextClassLoader();
        thread.setContextClassLoader(plugin);
        try {
            Object factory = plugin.loadClass("org.apache.flink.fs.s3hadoop.S3FileSystemFactory").newInstance();
            Oracle.on(factory, "configure", settings);
            Object system = Oracle.on(factory, "create", URI.create("s3://bucket/path"));
            return Oracle.on(system, "exists", Oracle.create("org.apache.flink.core.fs.Path", "s3://bucket/path/file"));
        } catch (ClassNotFoundException absent) {
            throw new Oracle.NotThere("no file system of S3");
        } catch (Exception failed) {
            for (Throwable cause = failed; cause != null; cause = cause.getCause()) {
                if (cause instanceof UnknownHostException) {
                    return "asks " + cause.getMessage();
                }
            }
            throw failed;
        } finally {
            thread.setContextClassLoader(before);
        }
    }

    private static Object name() throws Exception {
        return Oracle.create(Oracle.RUNTIME + "clusterframework.types.ResourceID", "oracle");
    }
}
