package dev.meshguard.benchmarks;

import dev.meshguard.event.BufferType;
import dev.meshguard.mesh.MeshBuffer;
import dev.meshguard.mesh.MeshDevice;
import dev.meshguard.mesh.MeshDeviceOptions;
import dev.meshguard.mesh.Ttnn;
import dev.meshguard.mesh.buffer.BufferConfig;
import dev.meshguard.mesh.shape.MeshShape;
import java.io.IOException;
import java.util.List;
import java.util.Locale;

/**
 * Measures what a mesh of 32 devices keeps on a heap of 1 GiB while a million buffers are live on it.
 *
 * <p>Each listener runs in a JVM of its own with the serial collector; one that needs more than the heap ends with an
 * error. What is counted is the difference of the used heap after full collections, the handles included: a program that
 * can free its buffers holds them.
 *
 * <pre>{@code java -cp benchmarks/target/benchmarks.jar dev.meshguard.benchmarks.LiveMesh}</pre>
 */
public final class LiveMesh {

    private static final MeshShape GALAXY = MeshShape.of(8, 4);
    private static final int DEVICES = 32;
    private static final int MILLION = 1_000_000;

    /** A page of 32 bytes in every bank, so that the device memory holds a million of them. */
    private static final BufferConfig BUFFER = BufferConfig.of(BufferType.DRAM, 384, 32);

    private LiveMesh() {}

    /** Measures everything, or, given a listener and a number of mesh buffers, that in this JVM. */
    public static void main(String... arguments) throws IOException, InterruptedException {
        if (arguments.length == 2) {
            measure(MeshMemoryBenchmark.Listener.valueOf(arguments[0]), Integer.parseInt(arguments[1]));
            return;
        }
        System.out.println(
                "| listener | mesh buffers | on devices | heap, MiB | bytes per mesh buffer | CPU ns per pair |");
        System.out.println("| --- | --- | --- | --- | --- | --- |");
        inOtherJvm(MeshMemoryBenchmark.Listener.SILENT, MILLION / DEVICES);
        inOtherJvm(MeshMemoryBenchmark.Listener.MESHGUARD, MILLION / DEVICES);
        inOtherJvm(MeshMemoryBenchmark.Listener.SILENT, MILLION);
    }

    private static void inOtherJvm(MeshMemoryBenchmark.Listener listener, int buffers)
            throws IOException, InterruptedException {
        System.out.print(OtherJvm.run(LiveMesh.class, List.of("-XX:+UseSerialGC", "-Xmx1g"), listener, buffers));
    }

    private static void measure(MeshMemoryBenchmark.Listener listener, int buffers) {
        MeshDevice mesh = Ttnn.builder(listener.start())
                .systemMesh(GALAXY)
                .build()
                .openMeshDevice(MeshDeviceOptions.defaults().withMeshShape(GALAXY));
        mesh.allocate(BUFFER).deallocate();
        MeshBuffer[] live = new MeshBuffer[buffers];

        long before = OtherJvm.usedHeap();
        long cpuBefore = OtherJvm.cpuTime();
        for (int buffer = 0; buffer < buffers; buffer++) {
            live[buffer] = mesh.allocate(BUFFER);
        }
        long cpu = OtherJvm.cpuTime() - cpuBefore;
        long kept = OtherJvm.usedHeap() - before;

        cpuBefore = OtherJvm.cpuTime();
        for (MeshBuffer buffer : live) {
            buffer.deallocate();
        }
        cpu += OtherJvm.cpuTime() - cpuBefore;
        System.out.printf(
                Locale.ROOT,
                "| %s | %,d | %,d | %.0f | %.0f | %.0f |%n",
                listener,
                buffers,
                (long) buffers * DEVICES,
                (double) kept / (1 << 20),
                (double) kept / buffers,
                (double) cpu / buffers);
        mesh.close();
    }
}
