package dev.meshguard.tracker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.tuple;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import dev.meshguard.event.AllocationDetails;
import dev.meshguard.event.BufferType;
import dev.meshguard.event.HistoryEvent;
import dev.meshguard.event.MemoryRequest;
import dev.meshguard.event.MeshDescription;
import dev.meshguard.event.Owner;
import dev.meshguard.event.Ownership;
import dev.meshguard.event.Phase;
import dev.meshguard.history.AllocationHistory;
import dev.meshguard.history.Anomaly;
import dev.meshguard.history.BufferGeneration;
import dev.meshguard.verdict.Stories;
import dev.meshguard.verdict.Story;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Each context of a shared tracker is responsible for its own allocations only. */
class AllocationContextTests {

    private final AllocationTracker tracker = AllocationTracker.create();

    @Stories("""
            allocations of a thread count to its context
                for one; allocate DRAM 0x1000 on 0; for other; allocate DRAM 0x2000 on 0; for all
                part of one
                = live buffers 1000
                part of other
                = live buffers 2000
            attributes allocations without origins too
                without origins; for one; allocate DRAM 0x1000 on 0; for all
                part of one
                = live buffers 1000
            a part misses no report where its mesh is closed with memory of others
                mesh 0 over 0; allocate DRAM 0x1000 on 0; for one; allocate DRAM 0x2000 on 0; for all; closing;
                witness CLOSE_BEGUN DRAM on 0: 0x1000 0x2000; close without devices
                part of one
                = LEAKED, conclusive
            memory that a part leaves is leaked, though the mesh is open
                mesh 0 over 0; for one; allocate DRAM 0x1000 on 0; for all
                = INCONCLUSIVE
                part of one
                = LEAKED
            what the mesh keeps for everybody is nobody's
                mesh 0 over 0; for one; cached program add; allocate DRAM 0x1000 on 0, owning, of program add;
                allocate DRAM 0x2000 on 0, owning, of program dispatch, lifetime SYSTEM; for all
                part of one
                = no causes
            a view belongs to the context of its memory
                allocate DRAM 0x1000 on 0, owning; for one; allocate DRAM 0x1000 on 0, size 16, view, pointer;
                allocate DRAM 0x1020 on 0, size 16, view, pointer; allocate DRAM 0x2000 on 0;
                allocate DRAM 0x2020 on 0, size 16, view, pointer; for all
                part of one
                = live buffers 2000 2020
            a part has the free that may be of its own buffer or of an earlier one
                mesh 0 over 0; allocate DRAM 0x1000 on 0, owning, mesh 0[ | , allocator MESH]; for one;
                allocate DRAM 0x1000 on 0, owning, mesh 0[ | , allocator MESH];
                free DRAM 0x1000 on 0, owning, mesh 0[ | , allocator MESH]; for all
                part of one
                = reasons REPORTS_FIT_BOTH
            a part has the later reservation of its memory as evidence only
                mesh 0 over 0; for one; allocate DRAM 0x1000 on 0, owning, mesh 0, allocator MESH; for other;
                allocate DRAM 0x1000 on 0, owning, mesh 0, allocator MESH; for all
                part of one
                = MISREPORTED, live buffers 1000
                part of other
                = LEAKED
            a part of bare reports is undecided where another context reported the address too
                without origins; for one; allocate DRAM 0x1000 on 0; for other; allocate DRAM 0x1000 on 0; for all
                part of [one | other]
                = INCONCLUSIVE
            """)
    void isJudgedBy(Story story) {
        story.holds();
    }

    @Test
    void whatAnotherThreadTakesCountsToNobodyThoughThereIsOneContext() throws Exception {
        AllocationContext only = current("only");

        onAnotherThread(() -> take(0x1000));

        assertThat(addresses(only)).isEmpty();
    }

    @Test
    void aFunctionFindsTheContextOfAThreadWithoutOne() throws Exception {
        AtomicReference<AllocationContext> found = new AtomicReference<>();
        AllocationTracker asking = AllocationTracker.builder()
                .contextOfThread(() -> Optional.ofNullable(found.get()))
                .build();
        AllocationContext one = asking.context("one");
        AllocationContext other = asking.context("other");
        found.set(other);
        try (Scope here = one.makeCurrent()) {
            asking.allocated(0, BufferType.DRAM, 0x1000, 64);
        }
        onAnotherThread(() -> asking.allocated(0, BufferType.DRAM, 0x2000, 64));

        assertThat(asking.history().partOf(one).live())
                .extracting(BufferGeneration::address)
                .containsExactly(0x1000L);
        assertThat(asking.history().partOf(other).live())
                .extracting(BufferGeneration::address)
                .containsExactly(0x2000L);
    }

    /** The function may read the stack of the thread. */
    @ParameterizedTest
    @EnumSource(names = "DEFAULT", mode = EnumSource.Mode.EXCLUDE)
    void aFunctionIsNotAskedForAFreeUnlessThatFreesNothing(OriginCapture origins) {
        AtomicInteger calls = new AtomicInteger();
        AtomicReference<AllocationContext> found = new AtomicReference<>();
        AllocationTracker asking = AllocationTracker.builder()
                .originCapture(origins)
                .contextOfThread(() -> {
                    calls.incrementAndGet();
                    return Optional.of(found.get());
                })
                .build();
        AllocationContext one = asking.context("one");
        found.set(one);
        asking.allocated(0, BufferType.DRAM, 0x1000, 64);
        asking.freed(0, BufferType.DRAM, 0x1000);
        assertThat(calls).hasValue(1);

        asking.freed(0, BufferType.DRAM, 0x1000);

        assertThat(calls).hasValue(2);
        assertThat(asking.history().partOf(one).anomalies())
                .extracting(Anomaly::address)
                .containsExactly(0x1000L);
        assertThat(one.mayHaveSurvivors()).isTrue();
    }

    @Test
    void whoFreesDoesNotMatter() {
        AllocationContext one = current("one");
        take(0x1000);
        AllocationContext other = current("other");
        tracker.freed(0, BufferType.DRAM, 0x1000);

        assertThat(tracker.history().partOf(one).live()).isEmpty();
        assertThat(tracker.history().partOf(other).anomalies()).isEmpty();
        assertThat(one.hasAllocated()).isTrue();
        assertThat(one.mayHaveSurvivors()).isFalse();
        assertThat(other.hasAllocated()).isFalse();
    }

    @Test
    void aFreeOfNothingCountsToWhoCalledForIt() {
        take(0x1000);
        tracker.freed(0, BufferType.DRAM, 0x1000);
        AllocationContext one = current("one");
        tracker.freed(0, BufferType.DRAM, 0x5000);

        assertThat(tracker.history().partOf(one).anomalies())
                .extracting(Anomaly::kind, Anomaly::address)
                .containsExactly(tuple(Anomaly.Kind.UNKNOWN_FREE, 0x5000L));
        assertThat(one.mayHaveSurvivors()).isTrue();
    }

    @Test
    void aFreeOfNothingThatIsReportedWithTheRequestOfAnAllocationLeavesItsMemoryWhereItIs() {
        AllocationContext one = tracker.context("one");
        AllocationContext other = tracker.context("other");
        MemoryRequest request;
        try (Scope here = one.makeCurrent()) {
            request = tracker.request(AllocationDetails.user());
            tracker.allocated(request, 0, BufferType.DRAM, 0x1000, 64, Ownership.UNKNOWN);
        }

        try (Scope here = other.makeCurrent()) {
            tracker.freed(request, 0, BufferType.DRAM, 0x5000, Ownership.UNKNOWN);
        }

        assertThat(addresses(one)).containsExactly(0x1000L);
        assertThat(addresses(other)).isEmpty();
        assertThat(other.mayHaveSurvivors()).isFalse();
    }

    @ParameterizedTest
    @MethodSource
    void mayHaveSurvivorsAfterAFreeThatDoesNotFit(AllocationDetails buffer, AllocationDetails release) {
        AllocationContext one = current("one");
        tracker.allocated(tracker.request(buffer), 0, BufferType.L1, 0x1000, 64, Ownership.UNKNOWN);
        tracker.freed(tracker.release(release), 0, BufferType.L1, 0x1000, Ownership.UNKNOWN);

        assertThat(tracker.history().partOf(one).live()).hasSize(1);
        assertThat(one.mayHaveSurvivors()).isTrue();
        assertThat(tracker.liveBytes()).isEqualTo(64);
    }

    static Stream<Arguments> mayHaveSurvivorsAfterAFreeThatDoesNotFit() {
        AllocationDetails user = AllocationDetails.user();
        AllocationDetails ofProgram = user.ownedBy(Owner.program("1"));
        return Stream.of(
                arguments(ofProgram, user.ownedBy(Owner.program("2"))),
                arguments(user, AllocationDetails.circularBuffer(Owner.program("1"))),
                arguments(AllocationDetails.circularBuffer(Owner.program("1")), user),
                arguments(user.withExtent(64), user.withExtent(32)),
                arguments(user, user.asView()));
    }

    @Test
    void aPartKeepsNumbersAndThePhaseItBeganIn() {
        take(0x1000);
        tracker.phase("warm-up");
        AllocationContext one = current("one");
        take(0x2000);
        tracker.phase("decode");

        AllocationHistory part = tracker.history().partOf(one);

        assertThat(part.events()).map(HistoryEvent::number).containsExactly(2L, 3L, 4L);
        assertThat(part.generations()).map(BufferGeneration::allocatedIn).containsExactly(new Phase("warm-up"));
    }

    @Test
    void aPartIsInOrderWhereTheMeshWasOpenedAfterThePhaseItBeganIn() {
        tracker.phase("warm-up");
        openMesh();
        AllocationContext one = current("one");
        take(0x1000);

        AllocationHistory part = tracker.history().partOf(one);

        assertThat(part.events()).map(HistoryEvent::number).containsExactly(1L, 2L, 3L, 4L);
    }

    @Test
    void rejectsABlankName() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> tracker.context(" "))
                .withMessage("A context needs a name: the name given is blank");
    }

    /** Returns a new context of the calling thread. */
    private AllocationContext current(String name) {
        AllocationContext context = tracker.context(name);
        context.makeCurrent();
        return context;
    }

    private List<Long> addresses(AllocationContext tenant) {
        return tracker.history().partOf(tenant).live().stream()
                .map(BufferGeneration::address)
                .toList();
    }

    private void take(long address) {
        tracker.allocated(0, BufferType.DRAM, address, 64);
    }

    private void openMesh() {
        tracker.meshOpened(MeshDescription.of(0, "1x1 mesh", List.of(0)));
        tracker.deviceOpened(0);
    }

    private static void onAnotherThread(Runnable code) throws Exception {
        FutureTask<Void> task = new FutureTask<>(code, null);
        Thread thread = new Thread(task);
        thread.start();
        task.get();
    }
}
