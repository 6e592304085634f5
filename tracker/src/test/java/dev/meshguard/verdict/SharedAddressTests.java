package dev.meshguard.verdict;

import static dev.meshguard.event.BufferType.DRAM;
import static dev.meshguard.event.BufferType.L1;
import static dev.meshguard.event.WitnessSnapshot.Moment.CLOSE_BEGUN;
import static dev.meshguard.tracker.script.ExpectedText.expected;
import static dev.meshguard.tracker.script.HistoryScript.device;
import static dev.meshguard.tracker.script.HistoryScript.devices;
import static dev.meshguard.tracker.script.HistoryScript.history;
import static dev.meshguard.tracker.script.HistoryScript.program;
import static dev.meshguard.verdict.Judgement.judged;
import static org.assertj.core.api.Assertions.assertThat;

import dev.meshguard.event.BufferLifetime;
import dev.meshguard.event.IgnoredFreeReason;
import dev.meshguard.event.Owner;
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

    private static final Owner RING = new Owner(Owner.Kind.DISPATCH, "ring");

    @Test
    void aLeakDoesNotHideBehindAPersistentBuffer() {
        judged(meshAndDevice(BufferLifetime.PERSISTENT)
                        .witness(Moment.CLOSE_BEGUN, DRAM, device(0), 4096)
                        .closed())
                .hasOnly(Cause.UNEXPLAINED, SurvivorStatus.LEAKED);
    }

    @Test
    void theRuntimeIsNotBlamedForALeakAtTheAddressOfItsBuffer() {
        judged(meshAndDevice(BufferLifetime.SYSTEM)
                        .witness(Moment.CLOSE_BEGUN, DRAM, device(0), 4096)
                        .free(DRAM, device(0), 4096)
                        .ownedBy(RING)
                        .nonOwning()
                        .witness(Moment.BEFORE_WIPE, DRAM, device(0), 4096)
                        .closed())
                .hasOnly(Cause.UNEXPLAINED, SurvivorStatus.LEAKED);
    }

    @Test
    void aBufferOfTheRuntimeAloneIsStillItsOwn() {
        judged(meshAndDevice(BufferLifetime.SYSTEM)
                        .free(DRAM, device(0), 4096)
                        .owning()
                        .closed())
                .hasOnly(Cause.SYSTEM, SurvivorStatus.LEAKED);
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
                .free(DRAM, device(0), 4096)
                .labelled("weights")
                .nonOwning()
                .closed();

        assertThat(outcome(history, Expectation.because("shared").label("weights")))
                .isEqualTo(Outcome.LEAKED);
        assertThat(outcome(history, Expectation.because("shared").size(64))).isEqualTo(Outcome.LEAKED);
        assertThat(outcome(history, Expectation.because("kept").label("cache").size(128)))
                .isEqualTo(Outcome.EXPECTED_ONLY);
    }

    @Test
    void circularBuffersThatShareAnAddressByNatureAreExpectedByTheFirst() {
        AllocationHistory history = history()
                .mesh(0, 0)
                .allocate(L1, device(0), 4096, 64)
                .circularBufferOf(program(1))
                .allocate(L1, device(0), 4096, 128)
                .circularBufferOf(program(2))
                .closed();

        assertThat(outcome(history, Expectation.because("cached").size(64).owner("1")))
                .isEqualTo(Outcome.EXPECTED_ONLY);
        assertThat(outcome(history, Expectation.because("cached").size(128))).isEqualTo(Outcome.LEAKED);
    }

    @Test
    void whatIsLeftIsNamedAndNotWhatWasFreed() {
        Survivor survivor = judged(weightsAndCache()
                        .free(DRAM, device(0), 4096)
                        .nonOwning()
                        .closed())
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

        String last = judged(history)
                .verdict()
                .survivors()
                .get(0)
                .diagnosis()
                .evidence()
                .get(1)
                .text();

        assertThat(last)
                .startsWith(expected(
                                history,
                                "2 reports of that address are open, the last one of {last allocated} (128 B), at ")
                        + SharedAddressTests.class.getName() + ".weightsAndCache(");
    }

    @Test
    void noWitnessSaysThatACircularBufferIsGone() {
        judged(history()
                        .mesh(0, 0)
                        .allocate(L1, device(0), 4096, 64)
                        .allocate(L1, device(0), 4096, 64)
                        .circularBufferOf(program(1))
                        .free(L1, device(0), 4096)
                        .witness(Moment.CLOSE_BEGUN, L1, device(0))
                        .closed())
                .hasOnly(Cause.UNEXPLAINED, SurvivorStatus.LEAKED);
    }

    @Test
    void aCircularBufferIsNamedWhereTheWitnessSaysThatTheBufferAtItsAddressIsGone() {
        judged(history()
                        .mesh(0, 0)
                        .allocate(L1, device(0), 4096, 64)
                        .allocate(L1, device(0), 4096, 64)
                        .circularBufferOf(program(1))
                        .free(L1, device(0), 4096)
                        .endOf(program(1))
                        .witness(Moment.CLOSE_BEGUN, L1, device(0))
                        .closed())
                .hasOnly(Cause.CIRCULAR_BUFFER_UNREPORTED, SurvivorStatus.MISREPORTED);
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

    private static HistoryScript meshAndDevice(BufferLifetime lifetimeOfFirst) {
        return history()
                .mesh(0, 0)
                .allocate(DRAM, device(0), 4096, 64)
                .ownedBy(RING)
                .lifetime(lifetimeOfFirst)
                .nonOwning()
                .allocate(DRAM, device(0), 4096, 64)
                .owning();
    }

    private static HistoryScript weightsAndCache() {
        return history()
                .mesh(0, 0)
                .allocate(DRAM, device(0), 4096, 64)
                .labelled("weights")
                .nonOwning()
                .allocate(DRAM, device(0), 4096, 128)
                .labelled("cache")
                .owning();
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
            var script = history()
                    .mesh(0, 0, 1)
                    .allocate(DRAM, device(0), 0x1000, 64)
                    .lifetime(BufferLifetime.SYSTEM)
                    .nonOwning()
                    .onMesh(0)
                    .allocate(DRAM, devices(0, 1), 0x1000, 64)
                    .nonOwning()
                    .onMesh(0);

            assertThat(causeOf(script)).isNotEqualTo(Cause.FREE_UNREPORTED);
        }

        @Test
        void isNotSaidWhereACircularBufferCameLater() {
            var history = history()
                    .mesh(0, 0, 1)
                    .allocate(DRAM, devices(0, 1), 0x1000, 64)
                    .lifetime(BufferLifetime.SYSTEM)
                    .nonOwning()
                    .onMesh(0)
                    .allocate(DRAM, devices(0, 1), 0x1000, 64)
                    .circularBufferOf(program(7))
                    .nonOwning()
                    .onMesh(0)
                    .witness(CLOSE_BEGUN, DRAM, devices(0, 1))
                    .closed();

            assertThat(judged(history).verdict().survivors().get(0).diagnosis().evidence())
                    .extracting(Evidence::text)
                    .noneMatch(words -> words.contains("when close began"));
        }
    }
}
