package dev.meshguard.assertions;

import static dev.meshguard.assertions.Failures.textOf;
import static dev.meshguard.assertions.LeakAssertions.assertThat;
import static dev.meshguard.tracker.script.ExpectedText.expected;

import dev.meshguard.event.AllocationDetails;
import dev.meshguard.event.BufferType;
import dev.meshguard.event.IgnoredFreeReason;
import dev.meshguard.event.MemoryRequest;
import dev.meshguard.event.Ownership;
import dev.meshguard.tracker.AllocationTracker;
import dev.meshguard.tracker.Lease;
import dev.meshguard.tracker.OriginCapture;
import dev.meshguard.tracker.OriginFilter;
import org.assertj.core.api.Assertions;
import org.junit.jupiter.api.Test;

class FreeAssertionsTests {

    private final AllocationTracker tracker = AllocationTracker.builder()
            .originCapture(OriginCapture.ALLOCATIONS_AND_FREES)
            .build();

    @Test
    void oneFreeIsNoDoubleFree() {
        allocate();
        free();

        assertThat(tracker).hasNoDoubleFrees();
    }

    @Test
    void aDoubleFreeNamesWhoFreedFirstAndWhoAgain() {
        allocate();
        free();
        freeAgain();

        Assertions.assertThat(textOf(() -> assertThat(tracker).hasNoDoubleFrees()))
                .isEqualTo(expected(tracker.history(), """
                Expecting no double free but found 1:
                1. DRAM 0x1000 (4096) on devices 0, 1: double free ({freed 3})
                   at dev.meshguard.assertions.FreeAssertionsTests.freeAgain(FreeAssertionsTests.java:NN)
                   the buffer that was there, 64 B, was allocated at {allocated 1}
                   at dev.meshguard.assertions.FreeAssertionsTests.allocate(FreeAssertionsTests.java:NN)
                   and freed before, at {freed 1}
                   at dev.meshguard.assertions.FreeAssertionsTests.free(FreeAssertionsTests.java:NN)"""));
    }

    @Test
    void aDoubleFreeOfMemoryWithoutADeviceNamesItsNumber() {
        Lease lease = tracker.lease(AllocationDetails.user(), OriginFilter.none(), BufferType.SYSTEM_MEMORY, 64);
        lease.freed();
        lease.freed();

        Assertions.assertThat(textOf(() -> assertThat(tracker).hasNoDoubleFrees()))
                .startsWith(expected(tracker.history(), """
                        Expecting no double free but found 1:
                        1. SYSTEM_MEMORY number 1 of no device: double free ({freed 2})
                        """));
    }

    @Test
    void aSecondFreeThatTheRuntimeIgnoredIsADoubleFreeToo() {
        tracker.allocated(0, BufferType.DRAM, 4096, 64);
        tracker.freed(0, BufferType.DRAM, 4096);
        tracker.freeIgnored(
                tracker.release(AllocationDetails.user()), 0, BufferType.DRAM, 4096, IgnoredFreeReason.ALREADY_FREED);

        assertThat(tracker).hasBalancedReports();
        Assertions.assertThat(textOf(() -> assertThat(tracker).hasNoDoubleFrees()))
                .startsWith(expected(tracker.history(), """
                        Expecting no double free but found 1:
                        1. DRAM 0x1000 (4096) on device 0: second free, ignored by the runtime ({free ignored})
                        """));
    }

    @Test
    void aFreeOfABufferThatWasFreedByAddressIsADoubleFreeToo() {
        tracker.allocated(0, BufferType.DRAM, 4096, 64);
        MemoryRequest byAddress = tracker.releaseByAddress(AllocationDetails.user());
        tracker.freed(byAddress, 0, BufferType.DRAM, 4096, Ownership.OWNING);
        tracker.allocated(0, BufferType.DRAM, 4096, 64);
        tracker.freeIgnored(byAddress, 0, BufferType.DRAM, 4096, IgnoredFreeReason.FREED_BY_ADDRESS);

        Assertions.assertThat(textOf(() -> assertThat(tracker).hasNoDoubleFrees()))
                .startsWith(expected(tracker.history(), """
                        Expecting no double free but found 1:
                        1. DRAM 0x1000 (4096) on device 0: memory freed by address under its buffer ({free ignored})
                        """))
                .contains("and freed before");
    }

    @Test
    void whereFreesHaveNoOriginTheTextSaysHowToGetIt() {
        AllocationTracker plain = AllocationTracker.create();
        plain.allocated(0, BufferType.DRAM, 4096, 64);
        plain.freed(0, BufferType.DRAM, 4096);
        plain.freed(0, BufferType.DRAM, 4096);

        Assertions.assertThat(textOf(() -> assertThat(plain).hasNoDoubleFrees()))
                .endsWith(expected(plain.history(), """
                           and freed before, at {freed 1}
                           at an unknown place (no origin was captured)
                        To see who freed first, record with OriginCapture.ALLOCATIONS_AND_FREES."""));
    }

    @Test
    void whereTheFirstFreeCameFromTheCollectorNobodyIsNamed() {
        AllocationTracker plain = AllocationTracker.create();
        plain.allocated(0, BufferType.DRAM, 4096, 64);
        plain.freed(
                plain.release(AllocationDetails.user().ofCollectedHandle()),
                0,
                BufferType.DRAM,
                4096,
                Ownership.OWNING);
        plain.freed(0, BufferType.DRAM, 4096);

        Assertions.assertThat(textOf(() -> assertThat(plain).hasNoDoubleFrees()))
                .endsWith(expected(
                        plain.history(), "\n   and freed before, at {freed 1}, when its handle was collected"));
    }

    @Test
    void anUnknownFreeIsNoDoubleFree() {
        free();

        assertThat(tracker).hasNoDoubleFrees();
    }

    @Test
    void anIgnoredSecondFreeOfABufferThatWasNeverReportedNamesWhoFreed() {
        tracker.freeIgnored(
                tracker.release(AllocationDetails.user()), 0, BufferType.DRAM, 4096, IgnoredFreeReason.ALREADY_FREED);

        Assertions.assertThat(textOf(() -> assertThat(tracker).hasNoDoubleFrees()))
                .startsWith("Expecting no double free but found 1:\n1. DRAM 0x1000 (4096) on device 0: second free")
                .contains("\n   at dev.meshguard.assertions.FreeAssertionsTests.anIgnoredSecondFreeOfABuffer")
                .endsWith("\n   no buffer was ever reported there");
    }

    @Test
    void moreThanFiveAreCut() {
        for (int address = 1; address <= 7; address++) {
            tracker.allocated(0, BufferType.DRAM, address, 1);
            tracker.freed(0, BufferType.DRAM, address);
            tracker.freed(0, BufferType.DRAM, address);
        }

        Assertions.assertThat(textOf(() -> assertThat(tracker).hasNoDoubleFrees()))
                .startsWith("Expecting no double free but found 7:\n1. DRAM 0x1 (1) on device 0")
                .contains("\n… and 2 more");
    }

    @Test
    void aFailureAboutFreesDoesNotDescribeTheWholeVerdict() {
        allocate();
        free();
        freeAgain();

        Assertions.assertThat(Failures.leakOf(() -> assertThat(tracker).hasNoDoubleFrees())
                        .isComplete())
                .isFalse();
    }

    private void allocate() {
        MemoryRequest request = tracker.request(AllocationDetails.user());
        tracker.allocated(request, 0, BufferType.DRAM, 4096, 64, Ownership.UNKNOWN);
        tracker.allocated(request, 1, BufferType.DRAM, 4096, 64, Ownership.UNKNOWN);
    }

    private void free() {
        freeWith(tracker.release(AllocationDetails.user()));
    }

    private void freeAgain() {
        freeWith(tracker.release(AllocationDetails.user()));
    }

    private void freeWith(MemoryRequest release) {
        tracker.freed(release, 0, BufferType.DRAM, 4096, Ownership.UNKNOWN);
        tracker.freed(release, 1, BufferType.DRAM, 4096, Ownership.UNKNOWN);
    }
}
