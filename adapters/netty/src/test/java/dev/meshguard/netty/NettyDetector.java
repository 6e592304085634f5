package dev.meshguard.netty;

import io.netty.buffer.PooledByteBufAllocator;
import io.netty.util.IllegalReferenceCountException;
import io.netty.util.LeakPresenceDetector;
import io.netty.util.ResourceLeakDetector;
import io.netty.util.ResourceLeakDetectorFactory;
import java.lang.ref.PhantomReference;
import java.lang.ref.ReferenceQueue;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.Collectors;

/** The detectors that Netty brings. Netty has one in a Java machine, so that each gets a machine of its own. */
enum NettyDetector {
    /** The detector of Netty at its highest level. */
    PARANOID {
        @Override
        List<String> options() {
            return List.of("-Dio.netty.leakDetection.level=PARANOID");
        }

        @Override
        void begin() {
            ResourceLeakDetectorFactory.setResourceLeakDetectorFactory(new ResourceLeakDetectorFactory() {
                @Override
                public <T> ResourceLeakDetector<T> newResourceLeakDetector(
                        Class<T> resource, int samplingInterval, long maxActive) {
                    return new Collecting<>(resource, samplingInterval);
                }
            });
        }

        /** It reports what the collector has found, when the next buffer is allocated. */
        @Override
        List<String> reports() throws InterruptedException {
            // What one collection has found is enqueued before what the next one finds.
            collect();
            collect();
            PooledByteBufAllocator.DEFAULT.directBuffer(1).release();
            List<String> reports = List.copyOf(RECORDS);
            RECORDS.clear();
            return reports;
        }
    },
    /** The detector of Netty that counts, with the stacks that it can keep. */
    PRESENCE {
        @Override
        List<String> options() {
            return List.of(
                    "-Dio.netty.customResourceLeakDetector=io.netty.util.LeakPresenceDetector",
                    "-Dio.netty.util.LeakPresenceDetector.trackCreationStack=true");
        }

        @Override
        void begin() {}

        @Override
        List<String> reports() {
            try {
                LeakPresenceDetector.check();
                return List.of();
            } catch (IllegalStateException leak) {
                return Arrays.stream(leak.getSuppressed())
                        .map(NettyDetector::framesOf)
                        .toList();
            }
        }
    };

    private static final int MAX_COLLECTIONS = 60;

    private static final Queue<String> RECORDS = new ConcurrentLinkedQueue<>();

    /** Returns the options of the Java machine. */
    abstract List<String> options();

    /** Prepares the Java machine. */
    abstract void begin();

    /** Returns a text with frames for each leak that is reported after a program. */
    abstract List<String> reports() throws InterruptedException;

    /** Returns what the detector says of each program, which all run in a Java machine of their own. */
    Map<BufferProgram, String> answers() throws Exception {
        List<String> command = new ArrayList<>(
                List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString()));
        command.addAll(List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xmx64m"));
        command.addAll(options());
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), NettyDetector.class.getName(), name()));
        Process process = new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        Map<BufferProgram, String> answers = new EnumMap<>(BufferProgram.class);
        try (var lines = process.inputReader(StandardCharsets.UTF_8)) {
            lines.lines()
                    .map(line -> line.split("\t"))
                    .forEach(one -> answers.put(BufferProgram.valueOf(one[0]), one[1]));
        }
        if (process.waitFor() != 0) {
            throw new IllegalStateException("The programs failed under " + this + ": " + answers);
        }
        return answers;
    }

    public static void main(String[] arguments) throws Exception {
        NettyDetector detector = NettyDetector.valueOf(arguments[0]);
        detector.begin();
        List<Object> kept = new ArrayList<>();
        for (BufferProgram program : BufferProgram.values()) {
            List<String> answer = new ArrayList<>();
            try {
                program.run(kept);
            } catch (IllegalReferenceCountException thrown) {
                answer.add(thrown.getClass().getSimpleName());
            }
            List<String> reports = detector.reports();
            if (!reports.isEmpty()) {
                answer.add((reports.size() == 1 ? "leak" : reports.size() + " leaks")
                        + (reports.stream().allMatch(program::isCalledFirst) ? ", line" : ""));
            }
            System.out.println(program.name() + "\t" + (answer.isEmpty() ? "nothing" : String.join("; ", answer)));
        }
    }

    private static String framesOf(Throwable creation) {
        return Arrays.stream(creation.getStackTrace())
                .map(StackTraceElement::toString)
                .collect(Collectors.joining("\n"));
    }

    private static void collect() throws InterruptedException {
        ReferenceQueue<Object> collected = new ReferenceQueue<>();
        PhantomReference<Object> garbage = new PhantomReference<>(new Object(), collected);
        for (int attempts = 0; attempts < MAX_COLLECTIONS; attempts++) {
            System.gc();
            if (collected.remove(1_000) != null) {
                return;
            }
        }
        throw new IllegalStateException("No collection finds garbage: " + garbage);
    }

    /** Collects the reports instead of logging them. */
    private static final class Collecting<T> extends ResourceLeakDetector<T> {

        Collecting(Class<T> resource, int samplingInterval) {
            super(resource, samplingInterval);
        }

        @Override
        protected boolean needReport() {
            return true;
        }

        @Override
        protected void reportTracedLeak(String resourceType, String records) {
            RECORDS.add(records.substring(records.indexOf("Created at:")));
        }

        @Override
        protected void reportUntracedLeak(String resourceType) {
            RECORDS.add(resourceType);
        }
    }
}
