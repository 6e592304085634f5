package dev.meshguard.netty;

import dev.meshguard.junit.testkit.DetectorComparison;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.util.LeakPresenceDetector;
import io.netty.util.ResourceLeakDetector;
import io.netty.util.ResourceLeakDetectorFactory;
import java.io.IOException;
import java.lang.ref.PhantomReference;
import java.lang.ref.ReferenceQueue;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The detectors that Netty brings. Netty has one in a Java machine, so that each gets a machine of its own. */
enum NettyDetector {
    /** The detector of Netty at its highest level. */
    PARANOID {
        @Override
        Stream<String> options() {
            return Stream.of("-Dio.netty.leakDetection.level=PARANOID");
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
        List<String> reports() {
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
        Stream<String> options() {
            return Stream.of(
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

    /** The names of Netty's classes begin with it. */
    static final String LIBRARY = "io.netty.";

    private static final int MAX_COLLECTIONS = 60;

    private static final Queue<String> RECORDS = new ConcurrentLinkedQueue<>();

    /** Returns the options of the Java machine. */
    abstract Stream<String> options();

    /** Prepares the Java machine. */
    abstract void begin();

    /** Returns a text with frames for each leak that is reported after a program. */
    abstract List<String> reports();

    /** Returns what the detector says of each program, which all run in a Java machine of their own. */
    Map<String, String> answers() throws IOException {
        return DetectorComparison.answersOf(
                NettyDetector.class,
                Stream.concat(options(), Stream.of("-Xmx64m", "-Ddetector=" + name()))
                        .toArray(String[]::new));
    }

    public static void main(String[] arguments) {
        NettyDetector detector = NettyDetector.valueOf(System.getProperty("detector"));
        detector.begin();
        DetectorComparison.print(BufferProgramTestCase.class, LIBRARY, detector::answer);
    }

    private List<String> answer(DetectorComparison.Program program) {
        List<String> answer = program.run();
        List<String> reports = reports();
        if (!reports.isEmpty()) {
            answer.add((reports.size() == 1 ? "leak" : reports.size() + " leaks")
                    + (reports.stream().allMatch(program::isCalledFirst) ? ", line" : ""));
        }
        return answer;
    }

    private static String framesOf(Throwable creation) {
        return Arrays.stream(creation.getStackTrace())
                .map(StackTraceElement::toString)
                .collect(Collectors.joining("\n"));
    }

    private static void collect() {
        ReferenceQueue<Object> collected = new ReferenceQueue<>();
        PhantomReference<Object> garbage = new PhantomReference<>(new Object(), collected);
        try {
            for (int attempts = 0; attempts < MAX_COLLECTIONS; attempts++) {
                System.gc();
                if (collected.remove(1_000) != null) {
                    return;
                }
            }
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
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
