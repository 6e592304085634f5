package dev.meshguard.junit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.InstanceOfAssertFactories.STRING;

import dev.meshguard.assertions.LeakAssertionError;
import dev.meshguard.assertions.LeakAssertions;
import dev.meshguard.event.BufferType;
import dev.meshguard.junit.internal.ConfigurationKey;
import dev.meshguard.junit.mesh.FailEachAllocation;
import dev.meshguard.junit.summary.SummaryListener;
import dev.meshguard.junit.template.RepeatUntilStable;
import dev.meshguard.junit.testkit.Buffers;
import dev.meshguard.junit.testkit.LaunchedRun;
import dev.meshguard.mesh.MeshBuffer;
import dev.meshguard.mesh.MeshDevice;
import dev.meshguard.mesh.Ttnn;
import dev.meshguard.server.AllocationServer;
import dev.meshguard.server.process.TrackedProcesses;
import dev.meshguard.tracker.AllocationTracker;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.ServiceLoader;
import java.util.concurrent.CountDownLatch;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Disabled;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.condition.DisabledIfEnvironmentVariable;
import org.junit.jupiter.api.io.TempDir;
import org.junit.platform.engine.reporting.ReportEntry;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.opentest4j.TestAbortedException;

/**
 * A run prints a summary at its end, once, in the terminal.
 *
 * <p>Nothing is printed if nothing was tracked. A summary belongs to one run: launchers, plans and threads do not mix.
 */
class SummaryTests {

    private static final String KNOWN = """
                        MeshGuard  1 test tracked · 8 buffers · 1 with known leaks only
                           peak of a device  DRAM 4 KiB (4096 B) in TypicalTestCase$Leak#leaks
                           known leaks       1 leak · 8 buffers · 32 KiB (32768 B)""";

    /** Shown in {@code docs/baseline.md}. */
    private static final String UNJUDGED = """
               whole run         The run 7 is not judged yet: 1 expectation waits for RunVerifier over target/findings \
            (docs/baseline.md)""";

    /** Shown in {@code docs/reports.md}. */
    private static final String LEAKS = """
            MeshGuard  4 tests tracked · 40 buffers · 3 failed
               peak of a device  DRAM 8 KiB (8192 B) in SummaryTests$LeakTestCase#leaksTwo
               leaks             HELD  1 leak · 8 buffers · 32 KiB (32768 B)
                                 LOST  3 leaks · 24 buffers · 96 KiB (98304 B)
               rerun             mvn test -Dtest='SummaryTests$FailedTestCase#failsAndLeaks'
                                 mvn test -Dtest='SummaryTests$LeakTestCase#leaks'
                                 mvn test -Dtest='SummaryTests$LeakTestCase#leaksTwo'""";

    @TempDir
    private Path folder;

    @Test
    void aForgottenAnnotationIsThatOfTheType() {
        assertThat(printed(Map.of(), ForgottenTestCase.class, ForgottenProcessesTestCase.class))
                .containsExactly("""
                        MeshGuard  Depend on meshguard-junit, and annotate with @TrackAllocations:
                           dev.meshguard.junit.SummaryTests$ForgottenProcessesTestCase asks for an AllocationTracker
                           dev.meshguard.junit.SummaryTests$ForgottenTestCase asks for a MeshDevice
                        MeshGuard  Depend on meshguard-junit, and annotate with @WatchedProcesses:
                           dev.meshguard.junit.SummaryTests$ForgottenProcessesTestCase asks for a TrackedProcesses
                           dev.meshguard.junit.SummaryTests$ForgottenProcessesTestCase asks for an AllocationServer""");
    }

    static class ForgottenProcessesTestCase {
        @Test
        void asksForPrograms(TrackedProcesses processes) {}

        @Test
        void asksForAServer(AllocationServer server) {}

        @Test
        void asksForATracker(AllocationTracker tracker) {}
    }

    static class ForgottenTestCase {
        @Test
        void asks(MeshDevice mesh) {}

        @Test
        void asksToo(MeshDevice mesh) {}
    }

    @Test
    void leaksAreAddedUpByCauseAndEachFailureIsReproducible() {
        assertThat(printed(Map.of(), TypicalTestCase.Clean.class, LeakTestCase.class, FailedTestCase.class))
                .containsExactly(LEAKS);
    }

    @Test
    void thePagesShowWhatIsPrintedAndItsParameter() throws IOException {
        Path page = Path.of("..", "..", "docs", "reports.md");

        assertThat(Files.readString(page)).contains("```\n" + LEAKS + "\n```").contains(ConfigurationKey.SUMMARY.key());
        assertThat(Files.readString(page.resolveSibling("baseline.md"))).contains("```\n" + UNJUDGED + "\n```");
    }

    @Test
    void countsFailuresThatNoSingleVerdictHas() {
        assertThat(printed(Map.of("meshguard.summary", "failures"), SeveralTestCase.class))
                .singleElement(STRING)
                .startsWith("MeshGuard  6 tests tracked · ")
                .contains(" buffers · 5 failed\n")
                .contains(
                        " leaks             5 checks failed for something else: budgets, growth, missing or overwritten buffers, wrong"
                                + " reports, doubts\n")
                .contains("""
                        rerun             mvn test -Dtest='SummaryTests$SeveralTestCase#allocatesNothing'
                                             mvn test -Dtest='SummaryTests$SeveralTestCase#failsNoAllocation'
                                             mvn test -Dtest='SummaryTests$SeveralTestCase#frees'
                                             mvn test -Dtest='SummaryTests$SeveralTestCase#grows'
                                             mvn test -Dtest='SummaryTests$SeveralTestCase#retriesForEver'""");
    }

    @TrackAllocations
    static class SeveralTestCase {
        @Test
        @ExpectBuffers(exactly = 8, because = "the cache keeps it")
        void allocatesNothing() {}

        @RepeatedTest(2)
        @ExpectBuffers(exactly = 8, because = "the cache keeps it")
        void frees(MeshDevice mesh) {
            Buffers.take(mesh).deallocate();
        }

        @RepeatUntilStable(atMost = 4)
        void grows(MeshDevice mesh) {
            Buffers.take(mesh);
        }

        @FailEachAllocation
        void failsNoAllocation(MeshDevice mesh) {}

        @FailEachAllocation(limit = 1)
        void retriesForEver(MeshDevice mesh) {
            while (true) {
                Buffers.take(mesh).deallocate();
            }
        }
    }

    @Test
    void reportsAnAbortedTestSeparately() {
        assertThat(printed(Map.of(), AbortedTestCase.class)).containsExactly("""
                        MeshGuard  4 tests tracked · 24 buffers · 3 aborted with findings
                           peak of a device  DRAM 4 KiB (4096 B) in SummaryTests$AbortedTestCase#aborts
                           leaks             LOST  1 leak · 8 buffers · 32 KiB (32768 B)
                                             UNEXPLAINED  1 leak · 8 buffers · 32 KiB (32768 B)""");
    }

    @Test
    void whatTheBaselineKnowsIsNoFailure() throws IOException {
        Path baseline = Files.writeString(folder.resolve("known.txt"), TypicalTestCase.KNOWN_LEAK);

        assertThat(printed(Map.of("meshguard.baseline", baseline.toString()), TypicalTestCase.Leak.class))
                .containsExactly(KNOWN);
    }

    @Test
    @DisabledIfEnvironmentVariable(
            named = "CI",
            matches = ".*",
            disabledReason = "where CI is set, no baseline is changed")
    void whatTheRunItselfAcceptsIsNoFailure() {
        Path baseline = folder.resolve("known.txt");

        assertThat(printed(
                        Map.of("meshguard.baseline", baseline.toString(), "meshguard.baseline.update", "accept"),
                        TypicalTestCase.Leak.class))
                .containsExactly(KNOWN);
        assertThat(baseline)
                .content()
                .endsWith(TypicalTestCase.KNOWN_LEAK + "   dev.meshguard.junit.TypicalTestCase$Leak#leaks\n");
    }

    @Test
    void expectationsThatMatchedNothingAreListed() throws IOException {
        Path file = Files.writeString(
                folder.resolve("expected.txt"),
                "DRAM label \"weights\" because \"it is shared\"\n"
                        + IntStream.rangeClosed(1, 7)
                                .mapToObj(number -> "TRACE label \"t" + number + "\" because \"traces stay\"\n")
                                .reduce("", String::concat));

        assertThat(printed(Map.of("meshguard.expected-buffers", file.toString()), TypicalTestCase.Weights.class))
                .map(text -> text.replace(folder.toString(), "folder"))
                .containsExactly("""
                        MeshGuard  1 test tracked · 8 buffers · all checks held
                           peak of a device  DRAM 4 KiB (4096 B) in TypicalTestCase$Weights#keeps
                           never matched     7 of 8 expectations, in what was run
                                             TRACE, label "t1", because "traces stay" at folder/expected.txt:2
                                             TRACE, label "t2", because "traces stay" at folder/expected.txt:3
                                             TRACE, label "t3", because "traces stay" at folder/expected.txt:4
                                             TRACE, label "t4", because "traces stay" at folder/expected.txt:5
                                             TRACE, label "t5", because "traces stay" at folder/expected.txt:6
                                             … and 2 more""");
    }

    @Test
    void namesWhatIsLeftToJudgeOfTheWholeRun() throws IOException {
        Path file = Files.writeString(folder.resolve("expected.txt"), "TRACE label \"t1\" because \"traces stay\"\n");
        Map<String, String> run = Map.of(
                "meshguard.expected-buffers", file.toString(),
                "meshguard.run", "7",
                "meshguard.findings", folder.resolve("findings").toString());

        assertThat(printed(run, TypicalTestCase.Clean.class))
                .map(text -> text.replace(folder.toString(), "target"))
                .singleElement(STRING)
                .endsWith("\n" + UNJUDGED);
    }

    @Test
    void namesMeshesOnTrackersThatNobodyChecked() {
        assertThat(printed(Map.of(), OwnTrackerTestCase.class, UntrackedMeshTestCase.class))
                .singleElement(STRING)
                .containsPattern(
                        "   note              Tracked tests opened 2 meshes on trackers that nobody checked, the first at"
                                + " dev\\.meshguard\\.junit\\.SummaryTests\\$OwnTrackerTestCase\\.prepare\\(SummaryTests\\.java:\\d+\\)\\."
                                + " Open it with the Ttnn or the AllocationTracker of the test \\(docs/lifecycle\\.md\\)\\.");
    }

    @Test
    void namesAMeshOnAnotherTrackerAlsoIfNothingElseWasTracked() {
        assertThat(printed(Map.of(), OnlyOwnTrackerTestCase.class))
                .singleElement(STRING)
                .startsWith(
                        "MeshGuard  0 tests tracked · 0 buffers\n   nothing seen      1 test allocated nothing that was seen\n"
                                + "   note              Tracked tests opened 1 mesh on trackers that nobody checked, ");
    }

    static class UntrackedMeshTestCase {
        @Test
        void opensIts() {
            Ttnn.create(AllocationTracker.create()).openMeshDevice();
        }
    }

    @TrackAllocations
    static class OnlyOwnTrackerTestCase extends UntrackedMeshTestCase {}

    @TrackAllocations
    static class OwnTrackerTestCase {
        @BeforeAll
        static void prepare() {
            Ttnn.create(AllocationTracker.create()).openMeshDevice();
        }

        @Test
        void opensIts(MeshDevice ofTest) {
            Ttnn.create(AllocationTracker.create()).openMeshDevice();
        }

        @Test
        void assertsOnIts(AllocationTracker ofTest) {
            AllocationTracker own = AllocationTracker.create();
            Ttnn.create(own).openMeshDevice().close();
            LeakAssertions.assertThat(own).noLeaks();
            Ttnn.create(ofTest).openMeshDevice();
        }
    }

    @Test
    void saysHowManyTestsAllocatedNothingThatWasSeen() {
        assertThat(printed(Map.of(), UnseenTestCase.class, UnseenSharedTestCase.class))
                .singleElement(STRING)
                .endsWith("\n   nothing seen      4 tests allocated nothing that was seen");
        assertThat(printed(Map.of(), TypicalTestCase.Clean.class))
                .singleElement(STRING)
                .doesNotContain("nothing that was seen");
    }

    @Test
    void saysThatNothingWasSeenAlsoIfNothingWasChecked() {
        assertThat(printed(Map.of(), UntrackedTestCase.class, AnnotatedOnlyTestCase.class))
                .containsExactly("""
                        MeshGuard  0 tests tracked · 0 buffers
                           nothing seen      1 test allocated nothing that was seen""");
    }

    @TrackAllocations
    static class UnseenTestCase {
        @Test
        void allocatesElsewhere(MeshDevice mesh) {}

        @Test
        void frees(MeshDevice mesh) {
            Buffers.take(mesh).deallocate();
        }

        @TestFactory
        Stream<DynamicTest> factory(MeshDevice mesh) {
            return Stream.of(
                    DynamicTest.dynamicTest("allocates elsewhere", () -> {}),
                    DynamicTest.dynamicTest("frees", () -> Buffers.take(mesh).deallocate()));
        }

        @Test
        void aborts(MeshDevice mesh) {
            throw new TestAbortedException("before it allocates");
        }

        @Test
        @Disabled("for now")
        void isDisabled(MeshDevice mesh) {}
    }

    @TrackAllocations(lifetime = TrackingLifetime.CLASS, accounting = Accounting.EACH_TEST)
    static class UnseenSharedTestCase {
        @Test
        void allocatesElsewhere(MeshDevice mesh) {}

        @Test
        void frees(MeshDevice mesh) {
            Buffers.take(mesh).deallocate();
        }

        @Test
        void allocatesElsewhereToo(MeshDevice mesh) {}
    }

    @Test
    void namesAMisspeltSystemPropertyOnce() {
        System.setProperty("meshguard.chek", "none");
        try {
            assertThat(printed(Map.of(), TypicalTestCase.Clean.class, LeakTestCase.class))
                    .singleElement(STRING)
                    .endsWith(
                            "\n   note              The system property meshguard.chek is not read: there is no such parameter."
                                    + " Did you mean meshguard.check?");
        } finally {
            System.clearProperty("meshguard.chek");
        }
    }

    @Test
    void aTestThatSaidItItselfCountsAsFailed() {
        assertThat(headlines(printed(Map.of(), TypicalTestCase.Asserted.class)))
                .containsExactly("MeshGuard  1 test tracked · 1 buffer · 1 failed");
    }

    @Test
    void whatTestsShareIsCountedOnce() {
        assertThat(printed(Map.of(), SharedTestCase.class, UnownedMemoryTestCase.class))
                .containsExactly("""
                        MeshGuard  3 tests, 1 class and threads of no test tracked · 25 buffers · 3 failed
                           peak of a device  DRAM 8 KiB (8192 B) in SummaryTests$SharedTestCase
                                             SYSTEM_MEMORY 64 B in the whole run
                           leaks             LOST  2 leaks · 16 buffers · 64 KiB (65536 B)
                                             UNEXPLAINED  1 leak · 1 buffer · 64 B
                           rerun             mvn test
                                             mvn test -Dtest='SummaryTests$SharedTestCase#leaks'
                                             mvn test -Dtest='SummaryTests$SharedTestCase'
                           nothing seen      1 test allocated nothing that was seen""");
    }

    @Test
    void theLauncherFindsTheListenerOnce() {
        assertThat(ServiceLoader.load(TestExecutionListener.class))
                .filteredOn(SummaryListener.class::isInstance)
                .hasSize(1);
    }

    @Test
    void runsOfOneLauncherDoNotMixAlsoAtTheSameTime() throws InterruptedException {
        LaunchedRun launcher = LaunchedRun.launcher(new Meeting());
        Thread one = new Thread(() -> launcher.run(TypicalTestCase.Clean.class));
        Thread other = new Thread(() -> launcher.run(LeakTestCase.class));

        one.start();
        other.start();
        one.join();
        other.join();
        launcher.run(UntrackedTestCase.class);
        launcher.run(TypicalTestCase.Leak.class);

        assertThat(headlines(launcher.printed()))
                .containsExactlyInAnyOrder(
                        "MeshGuard  1 test tracked · 8 buffers · all checks held",
                        "MeshGuard  2 tests tracked · 24 buffers · 2 failed",
                        "MeshGuard  1 test tracked · 8 buffers · 1 failed");
    }

    @Test
    void failuresOnlyIsSilentAboutARunWithoutAny() {
        Map<String, String> failures = Map.of("meshguard.summary", "failures");

        assertThat(printed(failures, TypicalTestCase.Clean.class)).isEmpty();
        assertThat(headlines(printed(failures, LeakTestCase.class)))
                .containsExactly("MeshGuard  2 tests tracked · 24 buffers · 2 failed");
    }

    @Test
    void offIsSilent() {
        assertThat(printed(Map.of("meshguard.summary", "off"), LeakTestCase.class, ForgottenTestCase.class))
                .isEmpty();
    }

    /** Delays the end of each run until two have published their numbers. */
    private static final class Meeting implements TestExecutionListener {
        private final CountDownLatch published = new CountDownLatch(2);

        @Override
        public void reportingEntryPublished(TestIdentifier engine, ReportEntry entry) {
            if (entry.getKeyValuePairs().containsKey("meshguard.summary")) {
                published.countDown();
                try {
                    published.await();
                } catch (InterruptedException interrupted) {
                    throw new IllegalStateException(interrupted);
                }
            }
        }
    }

    private static List<String> printed(Map<String, String> parameters, Class<?>... testClasses) {
        return LaunchedRun.launcher().run(parameters, testClasses).printed();
    }

    private static List<String> headlines(List<String> printed) {
        return printed.stream()
                .map(text -> text.lines().findFirst().orElseThrow())
                .toList();
    }

    static class UntrackedTestCase {
        @Test
        void tracksNothing() {}
    }

    @TrackAllocations
    static class AnnotatedOnlyTestCase extends UntrackedTestCase {}

    @TrackAllocations
    static class LeakTestCase {
        private final List<MeshBuffer> kept = new ArrayList<>();

        @Test
        void leaks(MeshDevice mesh) {
            Buffers.take(mesh);
        }

        @Test
        void leaksTwo(MeshDevice mesh) {
            kept.add(Buffers.take(mesh));
            Buffers.take(mesh);
        }
    }

    @TrackAllocations
    static class FailedTestCase {
        @Test
        void failsAndLeaks(MeshDevice mesh) {
            Buffers.take(mesh);
            throw new IllegalStateException("the test itself");
        }
    }

    @TrackAllocations(lifetime = TrackingLifetime.CLASS, accounting = Accounting.EACH_TEST)
    static class SharedTestCase {
        @BeforeAll
        static void loads(MeshDevice mesh) {
            Buffers.take(mesh);
        }

        @Test
        void leaks(MeshDevice mesh) {
            Buffers.take(mesh);
        }

        @Test
        void frees(MeshDevice mesh) {
            Buffers.take(mesh).deallocate();
        }
    }

    static class AbortedTestCase extends TypicalTestCase.Aborted {
        @Test
        void abortsAndFrees(MeshDevice mesh) {
            Buffers.take(mesh).deallocate();
            throw new TestAbortedException("no hardware");
        }

        @Test
        void abortsAfterAWrongReport(AllocationTracker tracker) {
            tracker.freed(0, BufferType.DRAM, 64);
            throw new TestAbortedException("no hardware");
        }

        @Test
        void abortsForItsLeak(MeshDevice mesh, AllocationTracker tracker) {
            Buffers.take(mesh);
            mesh.close();
            try {
                LeakAssertions.assertThat(tracker).noLeaks();
            } catch (LeakAssertionError leak) {
                throw new TestAbortedException("known to leak here", leak);
            }
        }
    }
}
