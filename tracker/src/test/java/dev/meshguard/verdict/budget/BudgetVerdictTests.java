package dev.meshguard.verdict.budget;

import static dev.meshguard.event.BufferType.DRAM;
import static dev.meshguard.event.BufferType.L1;
import static dev.meshguard.tracker.script.HistoryScript.devices;
import static dev.meshguard.tracker.script.HistoryScript.history;
import static dev.meshguard.tracker.script.HistoryScript.historyOf;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

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
import org.junit.jupiter.api.Test;

class BudgetVerdictTests {

    /** 64 bytes, then 64 and a circular buffer of 128, then 128 again. */
    private static AllocationHistory peakInTheMiddle() {
        return historyOf("""
                allocate L1 0x1000 on 0; allocate L1 0x2000 on 0, size 128, circular buffer of program 7;
                free L1 0x1000 on 0
                """);
    }

    @Test
    void whatIsExactlyAllowedIsKept() {
        assertThat(judge(
                                peakInTheMiddle(),
                                BudgetSpec.of(L1).peakBytes(192).liveBytes(128).buffers(2))
                        .isMet())
                .isTrue();
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
    void theEndAndTheNumberOfBuffersAreJudgedByThemselves() {
        assertThat(judge(peakInTheMiddle(), BudgetSpec.of(L1).liveBytes(127).buffers(1))
                        .violations())
                .extracting(BudgetViolation::metric)
                .containsExactly(BudgetMetric.LIVE_BYTES, BudgetMetric.BUFFERS);
    }

    @Test
    void eachDeviceIsJudgedByItselfUnlessOneIsNamed() {
        AllocationHistory history =
                history().allocate(DRAM, devices(0, 2), 0x1000, 64).recorded();

        assertThat(judge(history, BudgetSpec.of(DRAM).peakBytes(64)).isMet()).isTrue();
        assertThat(judge(history, BudgetSpec.of(DRAM).peakBytes(63)).violations())
                .hasSize(3);
        assertThat(judge(history, BudgetSpec.of(DRAM).onDevice(1).peakBytes(63)).violations())
                .hasSize(1);
        assertThat(judge(history, BudgetSpec.of(L1).peakBytes(0)).isMet()).isTrue();
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
    void anAllocatorSaysHowFreeMemoryLies() {
        List<FreeSpace> readings = List.of(new FreeSpace(DRAM, List.of(0, 1), 1_000, 750));

        assertThat(judge(readings, BudgetSpec.of(DRAM).largestFreeBlock(750)).isMet())
                .isTrue();
        assertThat(judge(readings, BudgetSpec.of(DRAM).largestFreeBlock(751)).violations())
                .extracting(BudgetViolation::metric)
                .containsExactly(BudgetMetric.LARGEST_FREE_BLOCK);
    }

    @Test
    void withoutAnAllocatorItCannotBeKnown() {
        List<FreeSpace> ofAnother = List.of(new FreeSpace(DRAM, List.of(0), 1_000, 1_000));

        assertThat(judge(ofAnother, BudgetSpec.of(L1).largestFreeBlock(1)).violations())
                .singleElement()
                .isInstanceOf(BudgetViolation.NotCheckable.class);
        assertThat(judge(ofAnother, BudgetSpec.of(DRAM).onDevice(3).largestFreeBlock(1))
                        .violations())
                .singleElement()
                .isInstanceOf(BudgetViolation.NotCheckable.class);
    }

    @Test
    void rejectsLimitsThatCannotBeKept() {
        assertThatExceptionOfType(IllegalArgumentException.class)
                .isThrownBy(() -> BudgetSpec.of(DRAM).peakBytes(-1))
                .withMessage("A budget has limits of 0 or more: peakBytes = -1 was given");
        assertThatExceptionOfType(IllegalArgumentException.class)
                .isThrownBy(() -> BudgetSpec.of(DRAM).onDevice(-2))
                .withMessage("A budget has limits of 0 or more: device = -2 was given");
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

    private static BudgetVerdict judge(List<FreeSpace> readings, BudgetSpec budget) {
        return BudgetVerdict.of(LeakCheck.create().examine(history().recorded()), List.of(budget), readings);
    }

    /** 64 bytes, freed, and 64 again. */
    private static AllocationHistory twiceTheSame() {
        return historyOf("allocate L1 0x1000 on 0; free L1 0x1000 on 0; allocate L1 0x2000 on 0");
    }

    @Test
    void memoryFreedBeforeIsNoLongerInUse() {
        assertThat(judge(twiceTheSame(), BudgetSpec.of(L1).peakBytes(64).buffers(1))
                        .isMet())
                .isTrue();
    }

    @Test
    void aPeakIsWhereItWasReachedFirst() {
        BudgetVerdict verdict =
                judge(twiceTheSame(), BudgetSpec.of(L1).peakBytes(63).buffers(0));

        assertThat(verdict.isMet()).isFalse();
        assertThat(verdict.violations())
                .hasSize(2)
                .allSatisfy(violation -> assertThat(violation)
                        .isInstanceOfSatisfying(
                                BudgetViolation.Exceeded.class,
                                used -> assertThat(used.event()).isEqualTo(1)));
    }

    @Test
    void anAllocatorSpeaksForItsDevicesOnly() {
        List<FreeSpace> readings = List.of(new FreeSpace(DRAM, List.of(0), 1_000, 1_000));

        assertThat(judge(readings, BudgetSpec.of(DRAM).onDevice(0).largestFreeBlock(1_000))
                        .isMet())
                .isTrue();
        assertThat(judge(readings, BudgetSpec.of(DRAM).onDevice(3).largestFreeBlock(1_000))
                        .violations())
                .singleElement()
                .isInstanceOf(BudgetViolation.NotCheckable.class);
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
    void rejectsEveryNegativeLimit() {
        assertThatExceptionOfType(IllegalArgumentException.class)
                .isThrownBy(() -> BudgetSpec.of(DRAM).liveBytes(-1))
                .withMessage("A budget has limits of 0 or more: liveBytes = -1 was given");
        assertThatExceptionOfType(IllegalArgumentException.class)
                .isThrownBy(() -> BudgetSpec.of(DRAM).buffers(-1))
                .withMessage("A budget has limits of 0 or more: buffers = -1 was given");
        assertThatExceptionOfType(IllegalArgumentException.class)
                .isThrownBy(() -> BudgetSpec.of(DRAM).largestFreeBlock(-1))
                .withMessage("A budget has limits of 0 or more: largestFreeBlock = -1 was given");
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
