package dev.meshguard.samples.demo;

import dev.meshguard.event.Phase;
import dev.meshguard.mesh.Ttnn;
import dev.meshguard.mesh.runtime.RuntimePreset;
import dev.meshguard.mesh.shape.MeshShape;
import dev.meshguard.report.VerdictReport;
import dev.meshguard.samples.demo.DemoScenario.LanguageModelTestCase;
import dev.meshguard.samples.demo.DemoScenario.ThirtySixKilobytesTestCase;
import dev.meshguard.samples.demo.DemoScenario.ThreeL1BuffersTestCase;
import dev.meshguard.samples.support.Fixtures;
import dev.meshguard.samples.support.MeshAllocation;
import dev.meshguard.tracker.AllocationTracker;
import dev.meshguard.tracker.Scope;
import dev.meshguard.verdict.LeakCheck;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;

/** Runs three leaking scenarios and a clean one and prints the results of their tests. */
public final class Demo {

    private static final String RULE = "=".repeat(100);

    private final PrintStream out;

    private Demo(PrintStream out) {
        this.out = out;
    }

    /** Prints to standard output; the verdicts are the result, so it always exits with 0. */
    public static void main(String[] arguments) {
        new Demo(new PrintStream(System.out, true, StandardCharsets.UTF_8)).run();
    }

    private void run() {
        out.println(
                "Each block is what a test says after close_mesh_device: first what is left and the sum of all buffers, then, one");
        out.println(
                "number a finding, what, on which of the devices (filled dots), the cause in capitals with its proof, and the line.");
        leaking("36 KB of DRAM on every device (seeds 002 and 003)", ThirtySixKilobytesTestCase.class);
        leaking("Three L1 buffers on device 0 (seed 000)", ThreeL1BuffersTestCase.class);
        leaking("381 buffers of a language model (seed 001, a generated workload)", LanguageModelTestCase.class);
        title("The same mesh test with every step in its place");
        out.println(cleanVerdict());
    }

    private void leaking(String title, Class<?> fixture) {
        title(title);
        out.println(Fixtures.failureOf(fixture).getMessage());
    }

    private void title(String title) {
        out.println();
        out.println(RULE);
        out.println(title);
        out.println(RULE);
    }

    private static String cleanVerdict() {
        AllocationTracker tracker = AllocationTracker.create();
        Ttnn ttnn = Ttnn.builder(tracker).preset(RuntimePreset.OCTOBER_2025).build();
        MeshAllocation steps = new MeshAllocation(ttnn, ttnn.openMeshDevice(MeshShape.of(2, 4)));
        try (Scope test = tracker.phase(Phase.TEST)) {
            steps.run();
        }
        return VerdictReport.of(LeakCheck.create().examine(tracker.history())).text();
    }
}
