package dev.meshguard.benchmarks;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryMXBean;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Measures in a JVM of its own, so that one measurement does not change the next. */
public final class OtherJvm {

    private OtherJvm() {}

    /**
     * Runs a class with the class path of this JVM, and returns what it prints.
     *
     * @param options the options of the JVM
     * @param arguments the arguments of the class
     */
    public static String run(Class<?> main, List<String> options, Object... arguments)
            throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of(System.getProperty("java.home") + "/bin/java"));
        command.addAll(options);
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), main.getName()));
        Arrays.stream(arguments).map(String::valueOf).forEach(command::add);
        Process other = new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        String output = new String(other.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        if (other.waitFor() != 0) {
            throw new IllegalStateException(command + " failed: " + output);
        }
        return output;
    }

    /** Returns the bytes of the heap of this JVM that full collections leave. */
    static long usedHeap() {
        MemoryMXBean memory = ManagementFactory.getMemoryMXBean();
        long least = Long.MAX_VALUE;
        for (int i = 0; i < 3; i++) {
            memory.gc();
            least = Math.min(least, memory.getHeapMemoryUsage().getUsed());
        }
        return least;
    }

    /** Returns the nanoseconds of CPU time of the calling thread. */
    static long cpuTime() {
        return ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
    }
}
