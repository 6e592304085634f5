package dev.meshguard.assertions;

import static dev.meshguard.assertions.error.ShouldBeWithoutAnomalies.shouldBeWithoutAnomalies;
import static dev.meshguard.assertions.error.ShouldDoTheSameOnAllDevices.shouldDoTheSameOnAllDevices;
import static dev.meshguard.assertions.error.ShouldHaveAmount.shouldHaveBytes;
import static dev.meshguard.assertions.error.ShouldHaveAmount.shouldHaveBytesAtMost;
import static dev.meshguard.assertions.error.ShouldHaveAmount.shouldHaveCount;
import static dev.meshguard.assertions.error.ShouldHaveCleanVerdict.shouldHaveCleanVerdict;
import static dev.meshguard.assertions.error.ShouldHaveCleanVerdict.shouldHaveCleanVerdictOnDevice;
import static dev.meshguard.assertions.error.ShouldHaveSameUsage.shouldHaveSameUsage;
import static dev.meshguard.assertions.error.ShouldHaveSameUsage.shouldHaveSameUsageOnAllDevices;
import static dev.meshguard.assertions.error.ShouldStayWithinBudget.shouldStayWithinBudget;

import dev.meshguard.assertions.error.ShouldHaveCleanVerdict;
import dev.meshguard.assertions.internal.DeviceComparison;
import dev.meshguard.event.BufferType;
import dev.meshguard.event.FreeSpace;
import dev.meshguard.tracker.MemorySnapshot;
import dev.meshguard.tracker.MemorySnapshot.Amount;
import dev.meshguard.tracker.MemorySnapshot.MemoryKey;
import dev.meshguard.tracker.history.AllocationHistory;
import dev.meshguard.tracker.history.Anomaly;
import dev.meshguard.tracker.history.BufferGeneration;
import dev.meshguard.tracker.history.CountingPolicy;
import dev.meshguard.verdict.Cause;
import dev.meshguard.verdict.LeakCheck;
import dev.meshguard.verdict.LeakVerdict;
import dev.meshguard.verdict.Outcome;
import dev.meshguard.verdict.Survivor;
import dev.meshguard.verdict.budget.BudgetSpec;
import dev.meshguard.verdict.budget.BudgetVerdict;
import dev.meshguard.verdict.difference.DeviceDifference;
import dev.meshguard.verdict.difference.HistoryDifference;
import dev.meshguard.verdict.expectation.Expectation;
import dev.meshguard.verdict.expectation.ExpectedBuffers;
import dev.meshguard.verdict.growth.Accumulation;
import dev.meshguard.verdict.growth.Rounds;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;
import org.assertj.core.api.ListAssert;
import org.assertj.core.error.ErrorMessageFactory;

/**
 * What can be asserted of everything that has a history: a tracker, a mesh, a history, a verdict.
 *
 * <p>{@link #noLeaks()} speaks of memory, {@link #hasBalancedReports()} of the books that the reports add up to; the two
 * differ wherever a report is missing or doubled. Failures of assertions about leaks are {@link LeakAssertionError}s,
 * which carry the verdict.
 *
 * <p>Of a tracker or a mesh, every assertion looks at what is recorded when it is called.
 *
 * @param <SELF> the type of the assert itself
 * @param <ACTUAL> what is looked at
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public abstract sealed class AbstractLeakAssert<SELF extends AbstractLeakAssert<SELF, ACTUAL>, ACTUAL>
        extends MemoryAssert<SELF, ACTUAL> permits HistoryAssert, MeshAssert, TrackerAssert, VerdictAssert {

    private static final Set<Anomaly.Kind> DOUBLE_FREES =
            EnumSet.of(Anomaly.Kind.DOUBLE_FREE, Anomaly.Kind.IGNORED_DOUBLE_FREE);
    private static final Set<Anomaly.Kind> UNKNOWN_FREES =
            EnumSet.of(Anomaly.Kind.UNKNOWN_FREE, Anomaly.Kind.IGNORED_UNKNOWN_FREE);

    private ExpectedBuffers expected = ExpectedBuffers.none();

    AbstractLeakAssert(ACTUAL actual, Class<?> selfType, FailureSink sink) {
        super(actual, selfType, sink);
    }

    abstract AllocationHistory history();

    /** What the history means, given that more may stay than the subject itself says. */
    LeakVerdict verdict(ExpectedBuffers more) {
        return LeakCheck.create().expecting(more).examine(history());
    }

    // What may stay

    /**
     * Lets buffers stay in the assertions that follow.
     *
     * <pre>{@code
     * Expectation weights = Expectation.because("shared by all tests of the class").label("weights").atMost(8);
     *
     * assertThat(tracker).allowing(weights).noLeaks(); // succeeds with 8 buffers of that label left
     * assertThat(tracker).allowing(weights).noLeaks(); // fails with 9
     * }</pre>
     */
    public SELF allowing(Expectation... more) {
        return allowing(ExpectedBuffers.of(more));
    }

    /**
     * Lets all buffers of an allowlist stay in the assertions that follow.
     *
     * <pre>{@code
     * assertThat(tracker).allowing(ExpectedBuffers.of(weights, dispatch)).noLeaks(); // succeeds if nothing else is left
     * assertThat(tracker).allowing(ExpectedBuffers.none()).noLeaks(); // fails if anything is
     * }</pre>
     */
    public SELF allowing(ExpectedBuffers more) {
        expected = expected.and(more);
        return myself;
    }

    // Verdicts

    /**
     * Verifies that all memory was given back when the close of its allocator began.
     *
     * <p>Fails if anything leaked or was freed only afterwards, and if it cannot be known: a mesh is still open, or reports were lost; and if less is left
     * than was {@linkplain #allowing(Expectation...) promised}. Wrong books alone do not make it fail; see
     * {@link #hasBalancedReports()}.
     *
     * <pre>{@code
     * ttnn.deallocate(tensor);
     * mesh.disableAndClearProgramCache();
     * ttnn.closeMeshDevice(mesh);
     * assertThat(tracker).noLeaks(); // succeeds
     *
     * ttnn.closeMeshDevice(mesh); // the tensor was not deallocated
     * assertThat(tracker).noLeaks(); // fails: LEAK  1 leak · 8 buffers · 8 MiB still allocated after close_mesh_device
     * }</pre>
     *
     * @throws LeakAssertionError if it was not, or if that cannot be known
     */
    public SELF noLeaks() {
        LeakVerdict verdict = verdict();
        if (!verdict.isLeakFree() || !verdict.meetsExpectations()) {
            return failed(shouldHaveCleanVerdict(verdict), verdict);
        }
        return myself;
    }

    /**
     * Verifies that one device gave back all its memory.
     *
     * <p>Fails too if it gave anything back only after close began, and if it cannot be known. What other devices leaked is in the text but does not count.
     *
     * <pre>{@code
     * assertThat(tracker).noLeaksOn(3); // succeeds when only device 0 leaked
     * assertThat(tracker).noLeaksOn(0); // fails when device 0 did
     * }</pre>
     *
     * @throws LeakAssertionError if it did not, or if that cannot be known
     */
    public SELF noLeaksOn(int device) {
        LeakVerdict verdict = verdict();
        List<Survivor> leaked =
                verdict.survivors(survivor -> survivor.buffer().device() == device && isNotFreed(survivor));
        if (!leaked.isEmpty() || !verdict.inconclusiveReasonTexts().isEmpty()) {
            return failed(shouldHaveCleanVerdictOnDevice(verdict, device, leaked), verdict);
        }
        return myself;
    }

    /**
     * Verifies that the reports add up: every report of a buffer was taken back by one free, and every free found a buffer.
     *
     * <p>Speaks of the books, not of the memory: buffers that leaked are not its business.
     *
     * <pre>{@code
     * tracker.allocated(0, BufferType.DRAM, 4096, 64);
     * tracker.freed(0, BufferType.DRAM, 4096);
     * assertThat(tracker).hasBalancedReports(); // succeeds
     *
     * tracker.freed(0, BufferType.DRAM, 4096);
     * assertThat(tracker).hasBalancedReports(); // fails: double free: DRAM 0x1000 (4096) on device 0 (event #3)
     * }</pre>
     *
     * @throws LeakAssertionError if they do not, or if that cannot be known
     */
    public SELF hasBalancedReports() {
        LeakVerdict verdict = verdict();
        if (!verdict.hasBalancedReports()) {
            return failed(shouldHaveCleanVerdict(verdict), verdict);
        }
        return myself;
    }

    /**
     * Verifies that the books hold exactly what may outlive a close: buffers of lifetime {@code PERSISTENT} and what was
     * {@linkplain #allowing(Expectation...) allowed}.
     *
     * <p>The strict one: it fails on leaks, on what was freed late, on wrong books, and if it cannot be known. A buffer of lifetime {@code SYSTEM}
     * that is left after a close has to be allowed, with a reason and within bounds, or it makes this fail.
     *
     * <pre>{@code
     * Expectation ring = Expectation.because("dispatch keeps its ring").type(BufferType.L1).owner("dispatch").atMost(8);
     *
     * assertThat(tracker).allowing(ring).onlyExpectedSystemBuffers(); // succeeds with 8 such buffers left
     * assertThat(tracker).onlyExpectedSystemBuffers(); // fails with any
     * }</pre>
     *
     * @throws LeakAssertionError if they hold anything else, or if that cannot be known
     */
    public SELF onlyExpectedSystemBuffers() {
        LeakVerdict verdict = verdict();
        if (verdict.outcome().compareTo(Outcome.EXPECTED_ONLY) > 0) {
            return failed(shouldHaveCleanVerdict(verdict), verdict);
        }
        return myself;
    }

    /**
     * Verifies that nothing was freed twice, whether the second free was reported or ignored by the runtime.
     *
     * <pre>{@code
     * ttnn.deallocate(tensor);
     * assertThat(tracker).hasNoDoubleFrees(); // succeeds
     *
     * ttnn.deallocate(tensor);
     * assertThat(tracker).hasNoDoubleFrees(); // fails, and says who freed it first and who again
     * }</pre>
     *
     * @throws LeakAssertionError if anything was
     */
    public SELF hasNoDoubleFrees() {
        return hasNoAnomalies("double free", DOUBLE_FREES);
    }

    /**
     * Verifies that nothing was freed that was never allocated, whether such a free was reported or ignored by the runtime.
     *
     * <pre>{@code
     * mesh.deallocateAddress(BufferType.L1, buffer.address());
     * assertThat(tracker).hasNoUnknownFrees(); // succeeds
     *
     * mesh.deallocateAddress(BufferType.L1, buffer.address() + 32);
     * assertThat(tracker).hasNoUnknownFrees(); // fails, and says who freed it
     * }</pre>
     *
     * @throws LeakAssertionError if anything was
     */
    public SELF hasNoUnknownFrees() {
        return hasNoAnomalies("free of an unknown address", UNKNOWN_FREES);
    }

    /**
     * Verifies that no two allocators (of two meshes, or of a mesh and a device of it) held the same memory of a device at a time.
     *
     * <p>A mesh, its submeshes and each device by itself have an allocator each, and all of them reserve the same addresses.
     * Nothing leaks for it, so {@link #noLeaks()} succeeds, but on hardware each overwrites what the other wrote.
     *
     * <pre>{@code
     * assertThat(tracker).hasNoMeshOverlaps(); // succeeds if the tensors of the mesh were freed before those of the submesh came
     * assertThat(tracker).hasNoMeshOverlaps(); // fails if both were there at a time, and says who asked for each
     * }</pre>
     *
     * @throws LeakAssertionError if any did
     */
    public SELF hasNoMeshOverlaps() {
        LeakVerdict verdict = verdict();
        return hasNone("memory held by two allocators at a time", verdict.meshOverlaps(), verdict);
    }

    /**
     * Verifies that every device did the same: took, gave back and still holds as many buffers and bytes of each type.
     *
     * <p>What most devices did is the rule, and who differs from it is named. A device under which the source reports more
     * than it holds ({@link dev.meshguard.event.MeshDescription#busiestDevice()}) has to have done at least as much. The
     * devices are those of all meshes that were opened, or, where no mesh was reported, all that anything was reported for.
     *
     * <pre>{@code
     * ttnn.empty(shape, DataType.BFLOAT16, mesh);
     * assertThat(tracker).sameOnAllDevices(); // succeeds: a tensor lies on every device
     *
     * mesh.allocateOn(3, buffer);
     * assertThat(tracker).sameOnAllDevices(); // fails: device 3 differs
     * }</pre>
     *
     * @throws AssertionError if one did something else
     */
    public SELF sameOnAllDevices() {
        DeviceComparison conduct = DeviceComparison.of(history());
        if (!conduct.isTheSame()) {
            return failed(shouldDoTheSameOnAllDevices(conduct));
        }
        return myself;
    }

    // Amounts

    /**
     * Verifies how many buffers are allocated now, on all devices.
     *
     * <p>Buffers are lives, as in {@link #survivors()}: where two allocators (of two meshes, of a mesh and a device, of two
     * sub-devices) reserved one address, or a device that was opened again left one behind, there are two. The bytes of two
     * allocators add up.
     *
     * <pre>{@code
     * tracker.allocated(0, BufferType.DRAM, 4096, 64);
     * assertThat(tracker).hasLiveBuffers(1); // succeeds
     * assertThat(tracker).hasLiveBuffers(2); // fails
     * }</pre>
     *
     * @throws AssertionError if it is another number
     */
    public SELF hasLiveBuffers(long buffers) {
        AllocationHistory history = history();
        List<BufferGeneration> live = history.live();
        if (live.size() != buffers) {
            return failed(shouldHaveCount("live buffers on all devices", buffers, live.size(), amounts(live)));
        }
        return myself;
    }

    /**
     * Verifies how many bytes of one type are allocated now on one device.
     *
     * <pre>{@code
     * tracker.allocated(0, BufferType.DRAM, 4096, 64);
     * assertThat(tracker).hasLiveBytes(BufferType.DRAM, 0, 64); // succeeds
     * assertThat(tracker).hasLiveBytes(BufferType.DRAM, 1, 64); // fails
     * }</pre>
     *
     * @throws AssertionError if it is another number
     */
    public SELF hasLiveBytes(BufferType type, int device, long bytes) {
        AllocationHistory history = history();
        long live = history.totals(device, type).liveBytes();
        if (live != bytes) {
            return failed(shouldHaveBytes(
                    String.format(Locale.ROOT, "live bytes of %s on device %d", type, device),
                    bytes,
                    live,
                    history.snapshot()));
        }
        return myself;
    }

    /**
     * Verifies the most bytes of one type that were ever allocated at once on one device.
     *
     * <pre>{@code
     * tracker.allocated(0, BufferType.DRAM, 4096, 64);
     * tracker.freed(0, BufferType.DRAM, 4096);
     * assertThat(tracker).hasPeakBytes(BufferType.DRAM, 0, 64); // succeeds
     * assertThat(tracker).hasPeakBytes(BufferType.DRAM, 0, 0); // fails
     * }</pre>
     *
     * @throws AssertionError if it is another number
     */
    public SELF hasPeakBytes(BufferType type, int device, long bytes) {
        AllocationHistory history = history();
        long peak = history.totals(device, type).peakBytes();
        if (peak != bytes) {
            return failed(shouldHaveBytes(peakOf(type, device), bytes, peak, history.snapshot()));
        }
        return myself;
    }

    /**
     * Verifies that there were never more bytes of one type allocated at once on one device.
     *
     * <pre>{@code
     * tracker.allocated(0, BufferType.DRAM, 4096, 64);
     * assertThat(tracker).hasPeakBytesAtMost(BufferType.DRAM, 0, 100); // succeeds
     * assertThat(tracker).hasPeakBytesAtMost(BufferType.DRAM, 0, 63); // fails
     * }</pre>
     *
     * @throws AssertionError if there were
     */
    public SELF hasPeakBytesAtMost(BufferType type, int device, long bytes) {
        AllocationHistory history = history();
        long peak = history.totals(device, type).peakBytes();
        if (peak > bytes) {
            return failed(shouldHaveBytesAtMost(peakOf(type, device), bytes, peak, history.snapshot()));
        }
        return myself;
    }

    // Navigation

    /**
     * Goes on with the buffers that are still in the books, oldest first.
     *
     * <pre>{@code
     * assertThat(tracker).survivors().filteredOn(survivor -> survivor.buffer().device() == 3).hasSize(1); // succeeds
     * assertThat(tracker).survivors().isEmpty(); // fails with any buffer left, whatever its cause
     * }</pre>
     */
    public ListAssert<Survivor> survivors() {
        return sink.listAssert(verdict().survivors());
    }

    /**
     * Goes on with the buffers that are still in the books for the given cause, oldest first.
     *
     * <pre>{@code
     * assertThat(tracker).survivorsWithCause(Cause.CACHED).hasSize(8); // succeeds with 8 cached binaries left
     * assertThat(tracker).survivorsWithCause(Cause.CACHED).isEmpty(); // fails
     * }</pre>
     */
    public ListAssert<Survivor> survivorsWithCause(Cause cause) {
        return sink.listAssert(verdict().survivors(survivor -> survivor.cause() == cause));
    }

    /**
     * Goes on with what the reports add up to under a counting policy.
     *
     * <pre>{@code
     * tracker.allocated(0, BufferType.DRAM, 4096, 64);
     * tracker.allocated(0, BufferType.DRAM, 4096, 64);
     * tracker.freed(0, BufferType.DRAM, 4096);
     * assertThat(tracker).ledger(CountingPolicy.ONCE_PER_ADDRESS).areEmpty(); // succeeds
     * assertThat(tracker).ledger(CountingPolicy.REFERENCE_COUNTED).areEmpty(); // fails: one reference is left
     * }</pre>
     *
     * @throws IllegalStateException if the history cannot be read under the policy
     */
    public LedgerAssert ledger(CountingPolicy policy) {
        return new LedgerAssert(history().ledger(policy), sink);
    }

    // Budgets and differences

    /**
     * Verifies that memory was used within budgets. A peak includes circular buffers, which lie outside every allocator.
     *
     * <p>How free memory lies is known to a mesh that is open and to nothing else: of anything else a budget with
     * {@code largestFreeBlock} or {@code fragmentation} fails and says so.
     *
     * <pre>{@code
     * tracker.allocated(0, BufferType.L1, 4096, 64);
     * assertThat(tracker).staysWithin(MemoryBudget.of(BufferType.L1).peakBytes(64)); // succeeds
     * assertThat(tracker).staysWithin(MemoryBudget.of(BufferType.L1).peakBytes(63)); // fails, and says who held it
     * }</pre>
     *
     * @throws BudgetAssertionError if it was not, or if that cannot be known
     */
    public SELF staysWithin(BudgetSpec... budgets) {
        BudgetVerdict found = BudgetVerdict.of(verdict(), List.of(budgets), allocatorReadings());
        if (!found.isKept()) {
            AssertionError plain = assertionError(shouldStayWithinBudget(found));
            BudgetAssertionError failure = BudgetAssertionError.of(String.valueOf(plain.getMessage()), found);
            failure.setStackTrace(plain.getStackTrace());
            return failed(failure);
        }
        return myself;
    }

    /** Returns how the free memory lies, if there is a mesh to ask. */
    List<FreeSpace> allocatorReadings() {
        return List.of();
    }

    /**
     * Verifies that memory was used as in another run: the same amounts asked for and left by the same methods, and the same
     * peaks. Addresses and line numbers may differ.
     *
     * <pre>{@code
     * assertThat(today).hasSameUsageAs(yesterday); // succeeds if nothing changed
     * assertThat(today).hasSameUsageAs(yesterday); // fails with what asks for more, leaves more or is gone
     * }</pre>
     *
     * @throws AssertionError if it was not
     */
    public SELF hasSameUsageAs(AllocationHistory other) {
        HistoryDifference difference = HistoryDifference.between(other, history());
        return difference.isEmpty() ? myself : failed(shouldHaveSameUsage(difference));
    }

    /**
     * Verifies that every device was used alike: for each line of code that asks for memory, as many buffers and bytes asked for
     * and left on one device as on another.
     *
     * <p>{@link #sameOnAllDevices()} compares sums; this one finds a device that takes from one line what another takes from a second.
     *
     * <pre>{@code
     * for (int device : mesh.deviceIds()) {
     *     mesh.allocateOn(device, weights);
     * }
     * assertThat(tracker).hasSameUsageOnAllDevices(); // succeeds
     *
     * mesh.allocateOn(3, cache);
     * assertThat(tracker).hasSameUsageOnAllDevices(); // fails with the line that asks on device 3 only
     * }</pre>
     *
     * @throws AssertionError if one was used otherwise
     */
    public SELF hasSameUsageOnAllDevices() {
        DeviceDifference difference = DeviceDifference.of(history());
        return difference.isEmpty() ? myself : failed(shouldHaveSameUsageOnAllDevices(difference));
    }

    // Rounds

    /**
     * Goes on with what the marked rounds left behind.
     *
     * <pre>{@code
     * tracker.rounds(4, round -> decode(tokens));
     * assertThat(tracker).accumulation().doesNotGrow(); // succeeds if decode keeps nothing but what it caches in the first round
     * }</pre>
     */
    public AccumulationAssert accumulation() {
        return accumulation(Rounds.MARKED);
    }

    /**
     * Goes on with what the given rounds left behind.
     *
     * <pre>{@code
     * assertThat(historyOfLog).accumulation(Rounds.MESHES).doesNotGrow(); // each opening of a mesh is a round
     * }</pre>
     */
    public AccumulationAssert accumulation(Rounds rounds) {
        return new AccumulationAssert(Accumulation.of(verdict(), rounds), sink);
    }

    // Helpers

    final LeakVerdict verdict() {
        return verdict(expected);
    }

    /** Fails with an error as AssertJ would make it, with description and stack trace, that carries the verdict. */
    final SELF failed(ErrorMessageFactory message, LeakVerdict verdict) {
        AssertionError plain = assertionError(message);
        String text = String.valueOf(plain.getMessage());
        boolean tellsAll = message instanceof ShouldHaveCleanVerdict && info.overridingErrorMessage() == null;
        LeakAssertionError failure =
                tellsAll ? LeakAssertionError.of(text, verdict) : LeakAssertionError.ofPart(text, verdict);
        failure.setStackTrace(plain.getStackTrace());
        return failed(failure);
    }

    private SELF hasNoAnomalies(String words, Set<Anomaly.Kind> kinds) {
        LeakVerdict verdict = verdict();
        List<Anomaly> found = verdict.anomalies().stream()
                .filter(anomaly -> kinds.contains(anomaly.kind()))
                .toList();
        return hasNone(words, found, verdict);
    }

    private SELF hasNone(String words, List<Anomaly> found, LeakVerdict verdict) {
        if (!found.isEmpty()) {
            return failed(shouldBeWithoutAnomalies(words, found, verdict.history()), verdict);
        }
        return myself;
    }

    private static MemorySnapshot amounts(List<BufferGeneration> live) {
        Map<MemoryKey, Amount> amounts = new HashMap<>();
        for (BufferGeneration buffer : live) {
            amounts.merge(
                    new MemoryKey(buffer.device(), buffer.type(), buffer.lifetime()),
                    new Amount(buffer.size(), 1),
                    (sum, one) -> new Amount(sum.bytes() + one.bytes(), sum.buffers() + one.buffers()));
        }
        return MemorySnapshot.of(amounts);
    }

    private static boolean isNotFreed(Survivor survivor) {
        return switch (survivor.status()) {
            case LEAKED, FREED_LATE, UNDECIDED -> true;
            case MISREPORTED, EXPECTED -> false;
        };
    }

    private static String peakOf(BufferType type, int device) {
        return String.format(Locale.ROOT, "peak bytes of %s on device %d", type, device);
    }
}
