package dev.meshguard.benchmarks;

import dev.meshguard.benchmarks.recorder.Contender;
import dev.meshguard.benchmarks.recorder.Lane;
import dev.meshguard.benchmarks.recorder.Recorder;
import java.io.IOException;
import java.util.List;
import java.util.Locale;

/**
 * Measures what MeshGuard keeps on the heap for each of a million live buffers.
 *
 * <p>Each runs in a JVM of its own with the serial collector, whose full collection leaves nothing but what is
 * reachable. What is counted is the difference of the used heap after full collections before and after, without the
 * handles and addresses that belong to the measurement. Buffers are spread over eight devices and asked for at a
 * hundred places, at depth 60.
 *
 * <pre>{@code java -cp benchmarks/target/benchmarks.jar dev.meshguard.benchmarks.LiveMemory}</pre>
 */
public final class LiveMemory {

    private static final int DEPTH = 60;
    /** The main method, the measurement, the one that goes to the depth, and the lane's. */
    private static final int FRAMES_ABOVE = 4;

    private static final int BUFFERS = 1_000_000;
    private static final int DEVICES = 8;
    private static final int ADDRESSES = 100;

    private LiveMemory() {}

    /** Measures MeshGuard without origins and with them, or, given a contender, that one in this JVM. */
    public static void main(String... arguments) throws IOException, InterruptedException {
        if (arguments.length == 1) {
            measure(Contender.valueOf(arguments[0]));
            return;
        }
        System.out.println("| contender | live buffers | bytes per live buffer | CPU ns per allocation |");
        System.out.println("| --- | --- | --- | --- |");
        for (Contender contender : List.of(Contender.MESHGUARD, Contender.MESHGUARD_ORIGIN)) {
            System.out.print(OtherJvm.run(LiveMemory.class, List.of("-XX:+UseSerialGC", "-Xmx12g"), contender));
        }
    }

    private static void measure(Contender contender) {
        warmUp(contender);
        Recorder recorder = contender.start();
        Lane[] lanes = new Lane[DEVICES];
        int perDevice = BUFFERS / DEVICES;
        for (int device = 0; device < DEVICES; device++) {
            lanes[device] = recorder.lane(device, perDevice);
        }

        long before = OtherJvm.usedHeap();
        long cpuBefore = OtherJvm.cpuTime();
        for (int buffer = 0; buffer < perDevice; buffer++) {
            for (int device = 0; device < DEVICES; device++) {
                at(1 + buffer % ADDRESSES, lanes[device], buffer);
            }
        }
        long cpu = OtherJvm.cpuTime() - cpuBefore;
        long kept = OtherJvm.usedHeap() - before;

        System.out.printf(
                Locale.ROOT,
                "| %s | %,d | %.1f | %.0f |%n",
                contender,
                BUFFERS,
                (double) kept / BUFFERS,
                (double) cpu / BUFFERS);
        for (Lane lane : lanes) {
            lane.free(0);
        }
    }

    /** So that neither classes nor pools made at first use are counted. */
    private static void warmUp(Contender contender) {
        Lane lane = contender.start().lane(0, 1_000);
        for (int buffer = 0; buffer < 1_000; buffer++) {
            at(1 + buffer % ADDRESSES, lane, buffer);
        }
        for (int buffer = 0; buffer < 1_000; buffer++) {
            lane.free(buffer);
        }
    }

    /** Asks for the buffer at a depth, by a way of its own for each place. */
    private static void at(int place, Lane lane, int buffer) {
        down(DEPTH - FRAMES_ABOVE, place, lane, buffer);
    }

    private static void down(int more, int place, Lane lane, int buffer) {
        if (more == 0) {
            lane.allocate(buffer);
        } else if (more < Integer.SIZE && (place >> more & 1) == 1) {
            otherWayDown(more, place, lane, buffer);
        } else {
            down(more - 1, place, lane, buffer);
        }
    }

    private static void otherWayDown(int more, int place, Lane lane, int buffer) {
        down(more - 1, place, lane, buffer);
    }
}
