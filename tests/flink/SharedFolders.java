import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import org.apache.flink.api.common.JobID;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.runtime.blob.BlobServer;
import org.apache.flink.runtime.blob.BlobStoreService;
import org.apache.flink.runtime.blob.BlobUtils;
import org.apache.flink.runtime.state.CheckpointStorage;
import org.apache.flink.runtime.state.CheckpointStorageLoader;
import org.apache.flink.runtime.state.hashmap.HashMapStateBackend;
import org.slf4j.LoggerFactory;

/** Prints what becomes of folders that two clusters or jobs have in common: a name, a tab, what came of it. */
public class SharedFolders {
    public static void main(String[] arguments) throws Exception {
        Path folder = Files.createTempDirectory("shared");
        report("blobs of one name", () -> left(folder.resolve("one"), "orders", "orders"));
        report("blobs of two names", () -> left(folder.resolve("two"), "orders", "bills"));
        report("checkpoints with folders", () -> meet(folder, true));
        report("checkpoints without folders", () -> meet(folder, false));
        report("s3 without plugin", () -> new org.apache.flink.core.fs.Path("s3://flink/c").getFileSystem());
        System.exit(0);
    }

    /** The files of blobs that one cluster has left, once another one has cleaned up. */
    private static long left(Path storage, String name, String other) throws Exception {
        Configuration own = highlyAvailable(storage, name);
        BlobStoreService store = BlobUtils.createBlobStoreFromConfig(own);
        BlobServer server = new BlobServer(own, Files.createTempDirectory("blobs").toFile(), store);
        server.start();
        server.putPermanent(new JobID(), new byte[] {1, 2, 3});
        BlobUtils.createBlobStoreFromConfig(highlyAvailable(storage, other)).cleanupAllData();
        try (Stream<Path> files = Files.walk(storage)) {
            return files.filter(Files::isRegularFile).count();
        } finally {
            server.close();
        }
    }

    private static Configuration highlyAvailable(Path storage, String name) {
        return of(
                "high-availability.type", "kubernetes",
                "high-availability.storageDir", storage.toUri().toString(),
                "high-availability.cluster-id", name);
    }

    /** Whether the first checkpoints of two jobs are in one place. */
    private static boolean meet(Path folder, boolean separate) throws Exception {
        Configuration configuration = of(
                "execution.checkpointing.dir", folder.resolve("checkpoints").toUri().toString(),
                "execution.checkpointing.create-subdir", Boolean.toString(separate));
        return place(configuration).equals(place(configuration));
    }

    private static String place(Configuration configuration) throws Exception {
        CheckpointStorage storage = CheckpointStorageLoader.load(
                null, new HashMapStateBackend(), configuration, configuration,
                SharedFolders.class.getClassLoader(), LoggerFactory.getLogger("test"));
        return storage.createCheckpointStorage(new JobID()).initializeLocationForCheckpoint(1).toString()
                .replaceAll(".*checkpointDirectory=([^,]*),.*", "$1");
    }

    private static Configuration of(String... pairs) {
        Configuration configuration = new Configuration();
        for (int place = 0; place < pairs.length; place += 2) {
            configuration.setString(pairs[place], pairs[place + 1]);
        }
        return configuration;
    }

    private static void report(String name, Callable<?> asked) {
        String answer;
        try {
            answer = String.valueOf(asked.call());
        } catch (Throwable failure) {
            answer = "!" + failure.getClass().getSimpleName() + " " + failure.getMessage();
        }
        System.out.println(name + "\t" + answer.replace('\n', ' '));
    }
}
