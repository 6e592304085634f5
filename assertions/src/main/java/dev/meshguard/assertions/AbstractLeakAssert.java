package dev.meshguard.assertions;

import static dev.meshguard.assertions.error.ShouldBeWithoutAnomalies.shouldBeWithoutAnomalies;
import static dev.meshguard.assertions.error.ShouldHaveAmount.shouldHaveBytes;
import static dev.meshguard.assertions.error.ShouldHaveAmount.shouldHaveCount;
import static dev.meshguard.assertions.error.ShouldHaveCleanVerdict.shouldHaveCleanVerdict;
import static dev.meshguard.assertions.error.ShouldHaveSameUsage.shouldHaveSameUsage;
import static dev.meshguard.assertions.error.ShouldHaveSameUsage.shouldLackNoReports;
import static dev.meshguard.assertions.error.ShouldStayWithinBudget.shouldStayWithinBudget;

import dev.meshguard.assertions.error.ShouldHaveCleanVerdict;
import dev.meshguard.event.BufferType;
import dev.meshguard.event.HistoryEvent;
import dev.meshguard.event.shortage.FreeSpace;
import dev.meshguard.history.AllocationHistory;
import dev.meshguard.history.Anomaly;
import dev.meshguard.history.BufferGeneration;
import dev.meshguard.history.MemorySnapshot;
import dev.meshguard.history.MemorySnapshot.Amount;
import dev.meshguard.history.MemorySnapshot.MemoryKey;
import dev.meshguard.verdict.Cause;
import dev.meshguard.verdict.LeakCheck;
import dev.meshguard.verdict.LeakVerdict;
import dev.meshguard.verdict.Outcome;
import dev.meshguard.verdict.Survivor;
import dev.meshguard.verdict.budget.BudgetSpec;
import dev.meshguard.verdict.budget.BudgetVerdict;
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
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;
import org.assertj.core.api.ListAssert;
import org.assertj.core.error.ErrorMessageFactory;

/**
 * Assertions about any subject with a history: a tracker, a mesh, a history, a verdict.
 *
 * <p>{@link #noLeaks()} checks memory, {@link #hasBalancedReports()} checks the reported counts; they differ if a
 * report is missing or duplicated. Failures of assertions about leaks are {@link LeakAssertionError}s, which carry the
 * verdict.
 *
 * <p>For a tracker or a mesh, every assertion examines the history recorded at the time of its call.
 *
 * @param <SELF> the type of the assert itself
 * @param <ACTUAL> the type of the subject
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public abstract sealed class AbstractLeakAssert<SELF extends AbstractLeakAssert<SELF, ACTUAL>, ACTUAL>
        extends MemoryAssert<SELF, ACTUAL> permits HistoryAssert, HistorySourceAssert, TrackerAssert, VerdictAssert {

    private static final Set<Anomaly.Kind> DOUBLE_FREES = EnumSet.of(
            Anomaly.Kind.DOUBLE_FREE,
            Anomaly.Kind.MISMATCHED_FREE,
            Anomaly.Kind.FREED_BY_ADDRESS,
            Anomaly.Kind.IGNORED_DOUBLE_FREE);

    private ExpectedBuffers expected = ExpectedBuffers.none();

    AbstractLeakAssert(ACTUAL actual, Class<?> selfType, FailureSink sink) {
        super(actual, selfType, sink);
    }

    abstract AllocationHistory history();

    /** Returns the verdict, with more expected buffers than those of the subject itself. */
    LeakVerdict verdict(ExpectedBuffers more) {
        return LeakCheck.create().expecting(more).examine(history());
    }

    // Expected buffers

    /**
     * Adds expected buffers for the assertions that follow.
     *
     * <pre>{@code
     * Expectation weights = Expectation.because("shared by all tests of the class").label("weights").atMost(8);
     *
     * assertThat(tracker).allowing(weights).noLeaks(); // succeeds with 8 remaining buffers of that label
     * assertThat(tracker).allowing(weights).noLeaks(); // fails with 9
     * }</pre>
     */
    public SELF allowing(Expectation... more) {
        return allowing(ExpectedBuffers.of(more));
    }

    /**
     * Adds all expected buffers of a list for the assertions that follow.
     *
     * <pre>{@code
     * assertThat(tracker).allowing(ExpectedBuffers.of(weights, dispatch)).noLeaks(); // succeeds if nothing else remains
     * assertThat(tracker).allowing(ExpectedBuffers.none()).noLeaks(); // fails if anything remains
     * }</pre>
     */
    public SELF allowing(ExpectedBuffers more) {
        expected = expected.and(more);
        return myself;
    }

    // Verdicts

    /**
     * Verifies that all memory was freed before the close of its allocator began.
     *
     * <p>Fails if anything leaked or was freed only afterwards, or if fewer buffers remain than an
     * {@linkplain #allowing(Expectation...) expectation} requires. Also fails if the result is unknown: a mesh is still
     * open, or reports were lost. Wrong reported counts alone do not make it fail; see {@link #hasBalancedReports()}.
     *
     * <pre>{@code
     * ttnn.deallocate(tensor);
     * mesh.disableAndClearProgramCache();
     * ttnn.closeMeshDevice(mesh);
     * assertThat(tracker).noLeaks(); // succeeds
     *
     * ttnn.closeMeshDevice(mesh); // the tensor was not deallocated
     * assertThat(tracker).noLeaks(); // fails: LEAK  8 MiB in 8 DRAM buffers, HELD by KvCacheTest.cache; …
     * }</pre>
     *
     * @throws LeakAssertionError if it was not, or if that is unknown
     */
    public SELF noLeaks() {
        return meets(verdict -> verdict.isLeakFree() && verdict.meetsExpectations());
    }

    /**
     * Verifies that the reports add up: every reported allocation has one matching free, and every free has a matching
     * allocation.
     *
     * <p>Checks the reported counts, not the memory: leaked buffers do not matter.
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
     * @throws LeakAssertionError if they do not, or if that is unknown
     */
    public SELF hasBalancedReports() {
        return meets(LeakVerdict::hasBalancedReports);
    }

    /**
     * Verifies that exactly the expected buffers remain by the reported counts: buffers of lifetime {@code PERSISTENT}
     * and {@linkplain #allowing(Expectation...) expected} ones.
     *
     * <p>The strictest assertion: it fails on leaks, late frees, wrong reported counts, or if the result is unknown. A
     * buffer of lifetime {@code SYSTEM} that remains after a close must be expected, with a reason and within bounds.
     *
     * <pre>{@code
     * Expectation ring = Expectation.because("dispatch keeps its ring").type(BufferType.L1).owner("dispatch").atMost(8);
     *
     * assertThat(tracker).allowing(ring).onlyExpectedSystemBuffers(); // succeeds with 8 such buffers remaining
     * assertThat(tracker).onlyExpectedSystemBuffers(); // fails with any
     * }</pre>
     *
     * @throws LeakAssertionError if anything else remains, or if that is unknown
     */
    public SELF onlyExpectedSystemBuffers() {
        return meets(verdict -> verdict.outcome().compareTo(Outcome.EXPECTED_ONLY) <= 0);
    }

    /**
     * Verifies that nothing was freed twice, even if the runtime ignored the second free.
     *
     * <pre>{@code
     * ttnn.deallocate(tensor);
     * assertThat(tracker).hasNoDoubleFrees(); // succeeds
     *
     * ttnn.deallocate(tensor);
     * assertThat(tracker).hasNoDoubleFrees(); // fails, and names the lines of both frees
     * }</pre>
     *
     * @throws LeakAssertionError if anything was, or if that is unknown because reports are missing
     */
    public SELF hasNoDoubleFrees() {
        LeakVerdict verdict = verdict();
        List<Anomaly> found = verdict.anomalies().stream()
                .filter(anomaly -> DOUBLE_FREES.contains(anomaly.kind()))
                .toList();
        if (!found.isEmpty()) {
            return failed(shouldBeWithoutAnomalies(found, verdict.history()), verdict);
        }
        return lacksNoReports(verdict);
    }

    /**
     * Verifies that the data of no buffer was overwritten, and that no replay of a trace read a buffer after its free.
     *
     * <p>Fails if
     * <ul>
     *   <li>a replay writes to memory that its capture used and that another buffer has by now
     *   <li>a replay reads an input, a kernel binary or the buffer of the trace after its free
     *   <li>two replays that may run at a time write to the same memory
     *   <li>two allocators (of two meshes, or of a mesh and a device of it) held the same memory at a time
     * </ul>
     *
     * <p>None of it is a leak, so {@link #noLeaks()} succeeds, but on hardware the data is lost. An expectation that is
     * {@linkplain dev.meshguard.verdict.expectation.Expectation#overwritten() for overwritten buffers} permits it.
     *
     * <pre>{@code
     * TraceId trace = capture(mesh);
     * Tensor staging = ttnn.empty(shape, DataType.BFLOAT16, mesh); // may lie where the capture had a temporary tensor
     * mesh.replayMeshTrace(0, trace, Blocking.BLOCKING);
     * assertThat(tracker).hasNoOverwrittenBuffers(); // fails, and names the line of the tensor and the trace
     * }</pre>
     *
     * @throws LeakAssertionError if any was, or if that is unknown because reports are missing
     */
    public SELF hasNoOverwrittenBuffers() {
        return meets(verdict -> verdict.unexpectedOverwrites().isEmpty()
                && verdict.missingReports().isEmpty());
    }

    // Amounts

    /**
     * Verifies how many buffers are allocated now, on all devices.
     *
     * <p>Generations are counted, as in {@link #survivors()}. One address counts twice if two allocators reserved it: of
     * two meshes, of a mesh and a device, or of two sub-devices. It also counts twice if a buffer there outlived an
     * earlier open period of the device.
     *
     * <pre>{@code
     * tracker.allocated(0, BufferType.DRAM, 4096, 64);
     * assertThat(tracker).hasLiveBuffers(1); // succeeds
     * assertThat(tracker).hasLiveBuffers(2); // fails
     * }</pre>
     *
     * @throws AssertionError if the number differs, or if it is unknown because reports are missing
     */
    public SELF hasLiveBuffers(long buffers) {
        LeakVerdict verdict = verdict();
        List<BufferGeneration> live = verdict.history().live();
        if (live.size() != buffers) {
            return failed(shouldHaveCount("live buffers on all devices", buffers, live.size(), amounts(live)));
        }
        return lacksNoReports(verdict);
    }

    /**
     * Verifies the maximum number of bytes of one type that were allocated at once on one device.
     *
     * <pre>{@code
     * tracker.allocated(0, BufferType.DRAM, 4096, 64);
     * tracker.freed(0, BufferType.DRAM, 4096);
     * assertThat(tracker).hasPeakBytes(BufferType.DRAM, 0, 64); // succeeds
     * assertThat(tracker).hasPeakBytes(BufferType.DRAM, 0, 0); // fails
     * }</pre>
     *
     * @throws AssertionError if the number differs, or if it is unknown because reports are missing
     */
    public SELF hasPeakBytes(BufferType type, int device, long bytes) {
        LeakVerdict verdict = verdict();
        AllocationHistory history = verdict.history();
        long peak = history.timeline()
                .curve(memory -> memory.device() == device && memory.type() == type)
                .peakBytes();
        if (peak != bytes) {
            return failed(shouldHaveBytes(
                    String.format(Locale.ROOT, "peak bytes of %s on %s", type, HistoryEvent.nameOfDevice(device)),
                    bytes,
                    peak,
                    history.snapshot()));
        }
        return lacksNoReports(verdict);
    }

    // Navigation

    /**
     * Returns an assert for the buffers that are still allocated by the reported counts, oldest first.
     *
     * <pre>{@code
     * assertThat(tracker).survivors().filteredOn(survivor -> survivor.buffer().device() == 3).hasSize(1); // succeeds
     * assertThat(tracker).survivors().isEmpty(); // fails with any remaining buffer, of any cause
     * }</pre>
     */
    public ListAssert<Survivor> survivors() {
        return sink.listAssert(verdict().survivors());
    }

    /**
     * Returns an assert for the buffers that are still allocated by the reported counts for the given cause, oldest
     * first.
     *
     * <pre>{@code
     * assertThat(tracker).survivorsWithCause(Cause.CACHED).hasSize(8); // succeeds with 8 remaining cached binaries
     * assertThat(tracker).survivorsWithCause(Cause.CACHED).isEmpty(); // fails
     * }</pre>
     */
    public ListAssert<Survivor> survivorsWithCause(Cause cause) {
        return sink.listAssert(verdict().survivors(survivor -> survivor.cause() == cause));
    }

    // Budgets and differences

    /**
     * Verifies that memory was used within budgets. A peak includes circular buffers, which lie outside every
     * allocator.
     *
     * <p>Only an open mesh knows the layout of its free memory. For other subjects a budget with
     * {@code largestFreeBlock} fails with a message.
     *
     * <pre>{@code
     * tracker.allocated(0, BufferType.L1, 4096, 64);
     * assertThat(tracker).staysWithin(BudgetSpec.of(BufferType.L1).peakBytes(64)); // succeeds
     * assertThat(tracker).staysWithin(BudgetSpec.of(BufferType.L1).peakBytes(63)); // fails, and names the top consumers
     * }</pre>
     *
     * @throws BudgetAssertionError if it was not, or if that is unknown
     * @throws IllegalArgumentException if a budget has no limit, or none is given
     */
    public SELF staysWithin(BudgetSpec... budgets) {
        rejectWithoutLimit(budgets);
        BudgetVerdict found = BudgetVerdict.of(verdict(), List.of(budgets), freeSpace());
        return found.isMet()
                ? myself
                : failed(shouldStayWithinBudget(found), text -> BudgetAssertionError.of(text, found));
    }

    private static void rejectWithoutLimit(BudgetSpec... budgets) {
        if (budgets.length == 0 || Stream.of(budgets).anyMatch(BudgetSpec::isWithoutLimit)) {
            throw new IllegalArgumentException(
                    "A budget without a limit is always met. Give peakBytes, liveBytes, buffers or largestFreeBlock.");
        }
    }

    /** Returns the free space of the allocators, if the subject knows it. */
    List<FreeSpace> freeSpace() {
        return List.of();
    }

    /**
     * Verifies that memory was used as in another run: each method allocated and left the same amounts, and the peaks
     * are the same. Addresses and line numbers may differ.
     *
     * <pre>{@code
     * assertThat(today).hasSameUsageAs(yesterday); // succeeds if nothing changed
     * assertThat(today).hasSameUsageAs(yesterday); // fails with methods that allocate more, leave more or are missing
     * }</pre>
     *
     * @throws AssertionError if it was not, or if that is unknown because reports of a run are missing
     */
    public SELF hasSameUsageAs(AllocationHistory other) {
        AllocationHistory history = history();
        HistoryDifference difference = HistoryDifference.between(other, history);
        if (!difference.isEmpty()) {
            return failed(shouldHaveSameUsage(difference));
        }
        return Stream.of(other, history)
                .flatMap(run -> LeakCheck.create().examine(run).missingReports().stream())
                .findFirst()
                .map(missing -> failed(shouldLackNoReports(missing)))
                .orElse(myself);
    }

    // Rounds

    /**
     * Returns an assert for the survivors of the marked rounds.
     *
     * <pre>{@code
     * tracker.rounds(4, round -> decode(tokens));
     * assertThat(tracker).accumulation().doesNotGrow(); // succeeds if decode keeps only what it caches in the first round
     * }</pre>
     */
    public AccumulationAssert accumulation() {
        return accumulation(Rounds.MARKED);
    }

    /**
     * Returns an assert for the survivors of the given rounds.
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

    private SELF lacksNoReports(LeakVerdict verdict) {
        return verdict.missingReports().isEmpty() ? myself : failed(shouldHaveCleanVerdict(verdict), verdict);
    }

    private SELF meets(Predicate<LeakVerdict> condition) {
        LeakVerdict verdict = verdict();
        return condition.test(verdict) ? myself : failed(shouldHaveCleanVerdict(verdict), verdict);
    }

    final SELF failed(ErrorMessageFactory message, LeakVerdict verdict) {
        boolean isWhole = message instanceof ShouldHaveCleanVerdict && info.overridingErrorMessage() == null;
        return failed(
                message,
                text -> isWhole ? LeakAssertionError.of(text, verdict) : LeakAssertionError.ofPart(text, verdict));
    }

    /** Fails with an error in AssertJ's format, with description and stack trace, of another class. */
    private SELF failed(ErrorMessageFactory message, Function<String, AssertionError> carrying) {
        AssertionError plain = assertionError(message);
        AssertionError failure = carrying.apply(String.valueOf(plain.getMessage()));
        failure.setStackTrace(plain.getStackTrace());
        return failed(failure);
    }

    private static MemorySnapshot amounts(List<BufferGeneration> live) {
        Map<MemoryKey, Amount> amounts = new HashMap<>();
        for (BufferGeneration buffer : live) {
            amounts.merge(
                    new MemoryKey(buffer.device(), buffer.type(), buffer.lifetime()),
                    new Amount(buffer.size(), 1),
                    (sum, one) -> new Amount(sum.bytes() + one.bytes(), sum.buffers() + one.buffers()));
        }
        return new MemorySnapshot(amounts);
    }
}
