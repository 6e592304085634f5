package dev.meshguard.verdict.budget;

import static dev.meshguard.event.BufferType.DRAM;
import static dev.meshguard.event.BufferType.L1;
import static dev.meshguard.tracker.script.HistoryScript.historyOf;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import dev.meshguard.event.AllocationDetails;
import dev.meshguard.event.MemoryRequest;
import dev.meshguard.event.Origin;
import dev.meshguard.event.Ownership;
import dev.meshguard.event.shortage.FreeSpace;
import dev.meshguard.history.AllocationHistory;
import dev.meshguard.tracker.AllocationContext;
import dev.meshguard.tracker.AllocationTracker;
import dev.meshguard.tracker.Scope;
import dev.meshguard.verdict.DeviceMemory;
import dev.meshguard.verdict.LeakCheck;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class BudgetVerdictTests {

    /** 64 bytes, then 64 and a circular buffer of 128, then 128 again. */
    private static AllocationHistory peakInTheMiddle() {
        return historyOf("""
                allocate L1 0x1000 on 0; allocate L1 0x2000 on 0, size 128, circular buffer of program 7;
                free L1 0x1000 on 0
                """);
    }

    static Stream<Arguments> budgets() {
        String peak = "allocate L1 0x1000 on 0; allocate L1 0x2000 on 0, size 128; free L1 0x1000 on 0";
        String twice = "allocate L1 0x1000 on 0; free L1 0x1000 on 0; allocate L1 0x2000 on 0";
        String devices = "allocate L1 0x1000 on 0..2";
        String atOneAddress = "mesh 0 over 0; allocate L1 0x1000 on 0, owning, allocator DEVICE;"
                + " allocate L1 0x1000 on 0, size 128, owning, allocator MESH";
        BudgetSpec budget = BudgetSpec.of(L1);
        return Stream.of(
                arguments(peak, budget.peakBytes(192).liveBytes(128).buffers(2), ""),
                arguments(peak, budget.peakBytes(191), "PEAK_BYTES of device 0 at 2"),
                arguments(
                        peak,
                        budget.liveBytes(127).buffers(1),
                        "LIVE_BYTES of device 0 at 3, BUFFERS of device 0 at 2"),
                arguments(twice, budget.peakBytes(64).buffers(1), ""),
                arguments(
                        twice,
                        budget.peakBytes(63).buffers(0),
                        "PEAK_BYTES of device 0 at 1, BUFFERS of device 0 at 1"),
                arguments(atOneAddress, budget.peakBytes(191), "PEAK_BYTES of device 0 at 4"),
                arguments(devices, budget.peakBytes(64), ""),
                arguments(devices, budget.onDevice(1).peakBytes(63), "PEAK_BYTES of device 1 at 2"),
                arguments(
                        devices,
                        budget.peakBytes(63),
                        "PEAK_BYTES of device 0 at 1, PEAK_BYTES of device 1 at 2, PEAK_BYTES of device 2 at 3"),
                arguments(devices, BudgetSpec.of(DRAM).peakBytes(0), ""),
                arguments(devices, budget.largestFreeBlock(750), ""),
                arguments(devices, budget.largestFreeBlock(751), "LARGEST_FREE_BLOCK"),
                arguments("", budget.onDevice(1).largestFreeBlock(750), ""),
                arguments("", budget.onDevice(3).largestFreeBlock(1), "LARGEST_FREE_BLOCK cannot be checked"),
                arguments(devices, budget.onDevice(3).largestFreeBlock(1), "LARGEST_FREE_BLOCK cannot be checked"),
                arguments(devices, BudgetSpec.of(DRAM).largestFreeBlock(1), "LARGEST_FREE_BLOCK cannot be checked"));
    }

    /** An allocator has 1,000 bytes of L1 free on devices 0 and 1, and 750 of them in one block. */
    @ParameterizedTest
    @MethodSource("budgets")
    void isViolatedWhereAMemoryOfADeviceIsAboveALimit(String history, BudgetSpec budget, String violations) {
        List<FreeSpace> readings = List.of(new FreeSpace(L1, List.of(0, 1), 1_000, 750));

        BudgetVerdict verdict =
                BudgetVerdict.of(LeakCheck.create().examine(historyOf(history)), List.of(budget), readings);

        assertThat(verdict.violations().stream()
                        .map(BudgetVerdictTests::described)
                        .collect(Collectors.joining(", ")))
                .isEqualTo(violations);
        assertThat(verdict.isMet()).isEqualTo(violations.isEmpty());
    }

    private static String described(BudgetViolation violation) {
        if (violation instanceof BudgetViolation.Exceeded exceeded) {
            return violation.metric() + " of device " + exceeded.memory().device() + " at " + exceeded.event();
        }
        return violation.metric() + (violation instanceof BudgetViolation.NotCheckable ? " cannot be checked" : "");
    }

    static Stream<Arguments> negativeLimits() {
        BudgetSpec budget = BudgetSpec.of(DRAM);
        return Stream.of(
                arguments("peakBytes", (ThrowingCallable) () -> budget.peakBytes(-1)),
                arguments("liveBytes", (ThrowingCallable) () -> budget.liveBytes(-1)),
                arguments("buffers", (ThrowingCallable) () -> budget.buffers(-1)),
                arguments("largestFreeBlock", (ThrowingCallable) () -> budget.largestFreeBlock(-1)),
                arguments("device", (ThrowingCallable) () -> budget.onDevice(-1)));
    }

    @ParameterizedTest
    @MethodSource("negativeLimits")
    void rejectsANegativeLimit(String name, ThrowingCallable limit) {
        assertThatExceptionOfType(IllegalArgumentException.class)
                .isThrownBy(limit)
                .withMessage("A budget has limits of 0 or more: " + name + " = -1 was given");
    }

    @Test
    void aPeakIncludesCircularBuffersAndSaysWhoHeldIt() {
        assertThat(judge(peakInTheMiddle(), BudgetSpec.of(L1).peakBytes(191)).violations())
                .singleElement()
                .isInstanceOfSatisfying(BudgetViolation.Exceeded.class, violation -> {
                    assertThat(violation.metric()).isEqualTo(BudgetMetric.PEAK_BYTES);
                    assertThat(violation.memory()).isEqualTo(new DeviceMemory(0, L1));
                    assertThat(violation.allowed()).isEqualTo(191);
                    assertThat(violation.found()).isEqualTo(192);
                    assertThat(violation.event()).isEqualTo(2);
                    assertThat(violation.circularBytes()).isEqualTo(128);
                    assertThat(violation.topConsumers()).singleElement().satisfies(holder -> {
                        assertThat(holder.buffers()).isEqualTo(2);
                        assertThat(holder.bytes()).isEqualTo(192);
                        assertThat(holder.origin()).isPresent();
                    });
                });
    }

    @Test
    void memoryFreedWithoutAReportIsNotCounted() {
        AllocationHistory history = historyOf("""
                mesh 0 over 0; allocate DRAM 0x1000 on 0, owning; witness CLOSE_BEGUN DRAM on 0; close
                """);

        BudgetVerdict verdict = judge(history, BudgetSpec.of(DRAM).peakBytes(0).liveBytes(0));

        assertThat(verdict.isMet()).isTrue();
        assertThat(verdict.excludedBuffers()).isEqualTo(1);
    }

    @Test
    void aBudgetSaysItsLimits() {
        assertThat(BudgetSpec.of(L1).peakBytes(2_048).liveBytes(0).buffers(1).onDevice(3))
                .hasToString(
                        "L1 of device 3: peak at most 2 KiB (2048 B), at the end at most 0 B, at most 1 buffer at once");
        assertThat(BudgetSpec.of(DRAM).largestFreeBlock(64))
                .hasToString("DRAM of each device: largest free block at least 64 B");
        assertThat(BudgetSpec.of(DRAM)).hasToString("DRAM of each device: no limit");
    }

    private static BudgetVerdict judge(AllocationHistory history, BudgetSpec budget) {
        return BudgetVerdict.of(LeakCheck.create().examine(history), List.of(budget), List.of());
    }

    @Test
    void anOriginWithoutFramesIsNone() {
        AllocationTracker tracker = AllocationTracker.create();
        MemoryRequest request = MemoryRequest.restored(AllocationDetails.user(), Optional.of(new Origin(List.of())));
        tracker.allocated(request, 0, L1, 0x1000, 64, Ownership.OWNING);

        assertThat(judge(tracker.history(), BudgetSpec.of(L1).peakBytes(63)).violations())
                .singleElement()
                .isInstanceOfSatisfying(
                        BudgetViolation.Exceeded.class,
                        used -> assertThat(used.topConsumers())
                                .extracting(TopConsumer::origin)
                                .containsExactly(Optional.empty()));
    }

    @Test
    void aBudgetKnowsWhetherItHasLimitsAndNeedsAnAllocator() {
        BudgetSpec none = BudgetSpec.of(DRAM);

        assertThat(List.of(none.peakBytes(0), none.liveBytes(0), none.buffers(0)))
                .noneMatch(BudgetSpec::needsAllocator)
                .noneMatch(BudgetSpec::isWithoutLimit);
        assertThat(none.largestFreeBlock(0).needsAllocator()).isTrue();
        assertThat(none.largestFreeBlock(0).isWithoutLimit()).isFalse();
        assertThat(none.isWithoutLimit()).isTrue();
        assertThat(none.needsAllocator()).isFalse();
    }

    @Test
    void theEndOfAPartOfAHistoryIsItsLastEvent() {
        AllocationTracker tracker = AllocationTracker.create();
        tracker.rounds(20, round -> {});
        AllocationContext context = tracker.context("test");
        try (Scope current = context.makeCurrent()) {
            tracker.allocated(0, DRAM, 0x1000, 64);
        }

        assertThat(judge(tracker.history().partOf(context), BudgetSpec.of(DRAM).liveBytes(10))
                        .violations())
                .singleElement()
                .isInstanceOfSatisfying(
                        BudgetViolation.Exceeded.class,
                        violation -> assertThat(violation.metric()).isEqualTo(BudgetMetric.LIVE_BYTES));
    }
}
