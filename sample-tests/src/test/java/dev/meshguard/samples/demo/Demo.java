package dev.meshguard.samples.demo;

import dev.meshguard.event.Phase;
import dev.meshguard.mesh.Ttnn;
import dev.meshguard.mesh.runtime.RuntimePreset;
import dev.meshguard.mesh.shape.MeshShape;
import dev.meshguard.page.RunPage;
import dev.meshguard.page.SuiteFolder;
import dev.meshguard.report.VerdictReport;
import dev.meshguard.samples.demo.DemoScenario.LanguageModelTestCase;
import dev.meshguard.samples.demo.DemoScenario.ThirtySixKilobytesTestCase;
import dev.meshguard.samples.demo.DemoScenario.ThreeL1BuffersTestCase;
import dev.meshguard.samples.support.Fixtures;
import dev.meshguard.samples.support.MeshAllocation;
import dev.meshguard.tracker.AllocationTracker;
import dev.meshguard.tracker.Scope;
import dev.meshguard.verdict.LeakCheck;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Map;

/** Runs three scenarios that fail and one that passes, prints the results of their tests, and writes their pages. */
public final class Demo {

    private final PrintStream out;
    private final Path pages;

    Demo(PrintStream out, Path pages) {
        this.out = out;
        this.pages = pages;
    }

    /** Prints to standard output; the verdicts are the result, so it always exits with 0. */
    public static void main(String[] arguments) throws IOException {
        Path here = Path.of("").toAbsolutePath();
        Path pages = Path.of(System.getProperty("demo.pages", "target/pages")).toAbsolutePath();
        new Demo(
                        new PrintStream(System.out, true, StandardCharsets.UTF_8),
                        pages.startsWith(here) ? here.relativize(pages) : pages)
                .run();
    }

    void run() throws IOException {
        failing(
                "1. A test frees all its tensors. Each device still holds 36 KiB: the binaries of two cached programs.",
                ThirtySixKilobytesTestCase.class);
        failing(
                "2. A runtime forgets to report some frees. Three buffers look leaked, and no memory is missing.",
                ThreeL1BuffersTestCase.class);
        failing(
                "3. A field still holds a language model when its mesh closes. Its weights and caches are never freed.",
                LanguageModelTestCase.class);
        passing("4. The test of scenario 1, which now clears the program cache. Nothing remains.");
        out.println("pages   " + pages.resolve("index.html"));
    }

    private void failing(String introduction, Class<?> fixture) {
        introduce(introduction);
        print(String.valueOf(Fixtures.failureOf(
                        fixture, Map.of("meshguard.page", "failures", "meshguard.page.folder", pages.toString()))
                .getMessage()));
        out.println();
    }

    private void passing(String introduction) throws IOException {
        introduce(introduction);
        SuiteFolder folder = SuiteFolder.at(pages);
        String name = SuiteFolder.nameOf("every-step", "every-step");
        VerdictReport report = clean().shownAt(folder.pageOf(name).toString());
        folder.add(name, RunPage.of("every step in its place", report));
        folder.writeIndex();
        print(report.text());
        out.println();
    }

    private void introduce(String introduction) {
        out.println("== " + introduction);
    }

    /** Only the demo runs these tests, so the line that runs one again would not help. */
    private void print(String text) {
        text.lines()
                .filter(line -> !line.isBlank() && !line.startsWith("rerun "))
                .forEach(out::println);
    }

    private static VerdictReport clean() {
        AllocationTracker tracker = AllocationTracker.create();
        Ttnn ttnn = Ttnn.builder(tracker).preset(RuntimePreset.OCTOBER_2025).build();
        MeshAllocation steps = new MeshAllocation(ttnn, ttnn.openMeshDevice(MeshShape.of(2, 4)));
        try (Scope test = tracker.phase(Phase.TEST)) {
            steps.run();
        }
        return VerdictReport.of(LeakCheck.create().examine(tracker.history()));
    }
}
