package dev.meshguard.verdict;

import static dev.meshguard.event.BufferType.DRAM;
import static dev.meshguard.event.WitnessSnapshot.Moment.CLOSE_BEGUN;
import static dev.meshguard.tracker.script.ExpectedText.expected;
import static dev.meshguard.tracker.script.HistoryScript.device;
import static dev.meshguard.tracker.script.HistoryScript.devices;
import static dev.meshguard.tracker.script.HistoryScript.history;
import static dev.meshguard.tracker.script.HistoryScript.historyOf;
import static dev.meshguard.verdict.Judgement.judged;
import static org.assertj.core.api.Assertions.assertThat;

import dev.meshguard.event.BufferLifetime;
import dev.meshguard.event.IgnoredFreeReason;
import dev.meshguard.event.Ownership;
import dev.meshguard.event.WitnessSnapshot.Moment;
import dev.meshguard.history.AllocationHistory;
import dev.meshguard.tracker.script.HistoryScript;
import dev.meshguard.verdict.expectation.Expectation;
import dev.meshguard.verdict.expectation.ExpectedBuffers;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

/**
 * The allocator of a mesh and those of its devices use the same addresses, so two buffers may survive at one. Neither
 * hides the other, and neither is blamed for it.
 */
class SharedAddressTests {

    @Stories("""
            a leak does not hide behind a persistent buffer
                mesh 0 over 0; allocate DRAM 4096 on 0, of dispatch ring, lifetime PERSISTENT, view;
                allocate DRAM 4096 on 0, owning; witness CLOSE_BEGUN DRAM on 0: 4096; close
                = UNEXPLAINED LEAKED
            the runtime is not blamed for a leak at the address of its buffer
                mesh 0 over 0; allocate DRAM 4096 on 0, of dispatch ring, lifetime SYSTEM, view;
                allocate DRAM 4096 on 0, owning; witness CLOSE_BEGUN DRAM on 0: 4096;
                free DRAM 4096 on 0, of dispatch ring, view; witness BEFORE_WIPE DRAM on 0: 4096; close
                = UNEXPLAINED LEAKED
            a buffer of the runtime alone is still its own
                mesh 0 over 0; allocate DRAM 4096 on 0, of dispatch ring, lifetime SYSTEM, view;
                allocate DRAM 4096 on 0, owning; free DRAM 4096 on 0, owning; close
                = SYSTEM LEAKED
            no witness says that a circular buffer is gone
                mesh 0 over 0; allocate L1 4096 on 0; allocate L1 4096 on 0, circular buffer of program 1;
                free L1 4096 on 0; witness CLOSE_BEGUN L1 on 0; close
                = UNEXPLAINED LEAKED
            a circular buffer is named where the witness says that the buffer at its address is gone
                mesh 0 over 0; allocate L1 4096 on 0; allocate L1 4096 on 0, circular buffer of program 1;
                free L1 4096 on 0; end program 1; witness CLOSE_BEGUN L1 on 0; close
                = CIRCULAR_BUFFER_UNREPORTED MISREPORTED
            """)
    void isJudgedBy(Story story) {
        story.holds();
    }

    @Test
    void aLeakDoesNotHideBehindAnExpectedBuffer() {
        AllocationHistory history = weightsAndCache().closed();

        assertThat(outcome(history, Expectation.because("shared").label("weights")))
                .isEqualTo(Outcome.LEAKED);
        assertThat(outcome(history, Expectation.because("all of it").type(DRAM)))
                .isEqualTo(Outcome.EXPECTED_ONLY);
    }

    @Test
    void aLeakDoesNotHideBehindAnExpectedBufferThatIsGone() {
        AllocationHistory history = weightsAndCache()
                .report("free DRAM 4096 on 0, label weights, view")
                .closed();

        assertThat(outcome(history, Expectation.because("shared").label("weights")))
                .isEqualTo(Outcome.LEAKED);
        assertThat(outcome(history, Expectation.because("shared").size(64))).isEqualTo(Outcome.LEAKED);
        assertThat(outcome(history, Expectation.because("kept").label("cache").size(128)))
                .isEqualTo(Outcome.EXPECTED_ONLY);
    }

    @Test
    void circularBuffersThatShareAnAddressByNatureAreExpectedByTheFirst() {
        AllocationHistory history = historyOf("""
                mesh 0 over 0; allocate L1 4096 on 0, circular buffer of program 1;
                allocate L1 4096 on 0, size 128, circular buffer of program 2; close
                """);

        assertThat(outcome(history, Expectation.because("cached").size(64).owner("1")))
                .isEqualTo(Outcome.EXPECTED_ONLY);
        assertThat(outcome(history, Expectation.because("cached").size(128))).isEqualTo(Outcome.LEAKED);
    }

    @Test
    void whatIsLeftIsNamedAndNotWhatWasFreed() {
        Survivor survivor = judged(
                        weightsAndCache().report("free DRAM 4096 on 0, view").closed())
                .verdict()
                .survivors()
                .get(0);

        assertThat(survivor.buffer().label()).contains("cache");
        assertThat(survivor.buffer().origin().orElseThrow().site())
                .isEqualTo(survivor.buffer()
                        .reports()
                        .get(1)
                        .request()
                        .origin()
                        .orElseThrow()
                        .site());
    }

    @Test
    void whereSeveralAreLeftTheLastIsNamedToo() {
        var history = weightsAndCache().closed();

        assertThat(judged(history)
                        .verdict()
                        .survivors()
                        .get(0)
                        .diagnosis()
                        .evidence()
                        .get(1)
                        .text())
                .isEqualTo(
                        expected(
                                history,
                                "2 reports of that address are open, the last one of {last allocated} (128 B), at dev.example.HistoryTests.story(HistoryTests.java:3)"));
    }

    @Test
    void oneLateReleaseDoesNotExcuseTwoBuffers() {
        judged(lateReleases(1)).hasOnly(Cause.UNEXPLAINED, SurvivorStatus.LEAKED);
    }

    @Test
    void aLateReleaseOfEachMakesBothLate() {
        judged(lateReleases(2)).hasOnly(Cause.LATE, SurvivorStatus.FREED_LATE);
    }

    private static AllocationHistory lateReleases(int count) {
        HistoryScript closed = weightsAndCache()
                .witness(Moment.CLOSE_BEGUN, DRAM, device(0), 4096)
                .close();
        for (int i = 0; i < count; i++) {
            closed.freeIgnored(DRAM, device(0), 4096, IgnoredFreeReason.DEVICE_CLOSED);
        }
        return closed.recorded();
    }

    private static HistoryScript weightsAndCache() {
        return history().report("""
                mesh 0 over 0; allocate DRAM 4096 on 0, label weights, view;
                allocate DRAM 4096 on 0, size 128, label cache, owning
                """);
    }

    private static Outcome outcome(AllocationHistory history, Expectation only) {
        return LeakCheck.create()
                .expecting(ExpectedBuffers.of(only))
                .examine(history)
                .outcome();
    }

    /** Of several requests that one allocator served at an address only the last may hold it. */
    @Nested
    class Reused {

        private static HistoryScript firstOfTheRuntime(Ownership ownership, int mesh, int[] devices) {
            var script = history()
                    .mesh(0, 0, 1)
                    .meshWithoutDevices(1, 0, 1)
                    .allocate(DRAM, devices(0, 1), 0x1000, 64)
                    .lifetime(BufferLifetime.SYSTEM)
                    .nonOwning()
                    .onMesh(0)
                    .allocate(DRAM, devices, 0x1000, 64)
                    .onMesh(mesh);
            return ownership == Ownership.OWNING ? script.owning() : script.nonOwning();
        }

        private static Cause causeOf(HistoryScript script) {
            return judged(script.witness(CLOSE_BEGUN, DRAM, devices(0, 1)).closed())
                    .verdict()
                    .survivors()
                    .get(0)
                    .cause();
        }

        @Test
        void isDueWhenTheLastOneIs() {
            assertThat(causeOf(firstOfTheRuntime(Ownership.NON_OWNING, 0, devices(0, 1))))
                    .isEqualTo(Cause.FREE_UNREPORTED);
        }

        @Test
        void isNotReportedForViewsOrAllocationsOfADevice() {
            assertThat(causeOf(firstOfTheRuntime(Ownership.OWNING, 0, devices(0, 1))))
                    .isNotEqualTo(Cause.FREE_UNREPORTED);
            assertThat(causeOf(firstOfTheRuntime(Ownership.NON_OWNING, 0, device(0))))
                    .isNotEqualTo(Cause.FREE_UNREPORTED);
        }

        @Test
        void isNotReportedForAnEarlierAllocationOfADevice() {
            var script = history().report("""
                    mesh 0 over 0..1; allocate DRAM 0x1000 on 0, lifetime SYSTEM, view, mesh 0;
                    allocate DRAM 0x1000 on 0..1, view, mesh 0
                    """);

            assertThat(causeOf(script)).isNotEqualTo(Cause.FREE_UNREPORTED);
        }

        @Test
        void isNotSaidWhereACircularBufferCameLater() {
            var history = historyOf("""
                    mesh 0 over 0..1; allocate DRAM 0x1000 on 0..1, lifetime SYSTEM, view, mesh 0;
                    allocate DRAM 0x1000 on 0..1, circular buffer of program 7, view, mesh 0;
                    witness CLOSE_BEGUN DRAM on 0..1; close
                    """);

            assertThat(judged(history).verdict().survivors().get(0).diagnosis().evidence())
                    .extracting(Evidence::text)
                    .noneMatch(words -> words.contains("when close began"));
        }
    }
}
