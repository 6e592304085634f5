package dev.meshguard.handle;

import static org.assertj.core.api.Assertions.assertThat;

import dev.meshguard.event.AllocationDetails;
import dev.meshguard.event.BufferType;
import dev.meshguard.event.HistoryEvent;
import dev.meshguard.event.MemoryRequest;
import dev.meshguard.event.Ownership;
import dev.meshguard.event.Reachability;
import dev.meshguard.tracker.AllocationTracker;
import dev.meshguard.tracker.OriginCapture;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The results of a search for handles, and their preconditions. */
class HandleSearchTests {

    private final FieldSearch search = new FieldSearch();
    private final AtomicInteger collections = new AtomicInteger();
    private final List<Object> cache = new ArrayList<>();

    @Test
    void aHandleThatWasCollectedIsLostWithoutAnotherCollection() {
        MemoryRequest request = search.allocate(new Object());

        search.run(HandleSearch.from(this).collectingBy(clearing(request)));

        assertThat(search.reachabilityOf(request)).isEqualTo(Reachability.lost());
        assertThat(collections).hasValue(1);
    }

    @Test
    void aHandleThatNoRootHoldsIsHeldOnceItHasOutlivedTwoCollections() {
        Object handle = new Object();
        MemoryRequest request = search.allocate(handle);

        search.run(HandleSearch.from(this).collectingBy(this::counted));

        assertThat(search.reachabilityOf(request)).isEqualTo(Reachability.held());
        assertThat(collections).hasValue(2);
        assertThat(handle).isNotNull();
    }

    @Test
    void nothingIsLostWhereCollectionsCannotBeForced() {
        MemoryRequest request = search.allocate(new Object());
        MemoryRequest collectedByChance = search.allocate(new Object());
        collectedByChance.handle().orElseThrow().clear();

        search.run(HandleSearch.from(this).collectingBy(() -> {
            counted();
            return false;
        }));

        assertThat(search.reachabilityOf(request)).isEqualTo(Reachability.unknown());
        assertThat(search.reachabilityOf(collectedByChance)).isEqualTo(Reachability.unknown());
        assertThat(collections).hasValue(GarbageCollection.MAX_COLLECTIONS);
    }

    @Test
    void aPathIsProofEnoughWithoutACollection() {
        Object handle = new Object();
        cache.add(handle);
        MemoryRequest request = search.allocate(handle);

        search.run(HandleSearch.from(this).collectingBy(this::counted));

        assertThat(search.reachabilityOf(request).pathText()).hasValue("HandleSearchTests.cache -> ArrayList[0]");
        assertThat(collections).hasValue(0);
    }

    @Test
    void aHandleThatOutlivedOneCollectionOnlyMayBeGarbage() {
        Object handle = new Object();
        MemoryRequest request = search.allocate(handle);

        search.run(HandleSearch.from().collectingBy(() -> collections.getAndIncrement() == 0));

        assertThat(search.reachabilityOf(request)).isEqualTo(Reachability.unknown());
        assertThat(handle).isNotNull();
    }

    @Test
    void collectsNothingWhenNothingIsOpen() {
        MemoryRequest request = search.allocate(new Object());
        search.tracker()
                .freed(search.tracker().release(request.details()), 0, BufferType.DRAM, 0x1000, Ownership.OWNING);

        search.run(HandleSearch.from(this).collectingBy(this::counted));

        assertThat(collections).hasValue(0);
    }

    @Test
    void saysNothingOfARequestWithoutAHandle() {
        AllocationTracker tracker = search.tracker();
        MemoryRequest request = tracker.request(AllocationDetails.user().onMesh(0));
        tracker.allocated(request, 0, BufferType.DRAM, 0x1000, 64, Ownership.OWNING);

        search.run(HandleSearch.from(this).collectingBy(() -> true));

        assertThat(tracker.history().reachabilityOf(request)).isEmpty();
    }

    @Test
    void tracesEachRequestOnceHoweverManyBuffersItAllocated() {
        Object handle = new Object();
        AllocationTracker tracker = search.tracker();
        MemoryRequest request = search.allocate(handle);
        for (int device = 1; device < 8; device++) {
            tracker.allocated(request, device, BufferType.DRAM, 0x1000, 64, Ownership.OWNING);
        }

        search.run(HandleSearch.from(handle).collectingBy(() -> true));

        assertThat(tracker.history().events())
                .filteredOn(HistoryEvent.HandleTraced.class::isInstance)
                .hasSize(1);
    }

    @Test
    void saysHowFarItWentWhenItWentNoFurther() {
        for (int number = 0; number < Walk.MAX_OBJECTS; number++) {
            cache.add(new Object());
        }
        Object handle = new Object();
        cache.add(handle);
        MemoryRequest request = search.allocate(handle);

        search.run(HandleSearch.from(this).collectingBy(() -> true));

        assertThat(search.reachabilityOf(request).pathText())
                .hasValue("something beyond the 200000 objects that were searched");
    }

    @Test
    void isNotKeptBusyByACollectionThatPretendsToBeLarge() {
        Object handle = new Object();
        MemoryRequest request = search.allocate(handle);

        search.run(HandleSearch.from(Collections.nCopies(Integer.MAX_VALUE, new Object()))
                .collectingBy(() -> true));

        assertThat(search.reachabilityOf(request).state()).isEqualTo(Reachability.State.REACHABLE);
        assertThat(handle).isNotNull();
    }

    @Test
    void thisMachineCollectsWhatNobodyHolds() {
        Object handle = new Object();
        cache.add(handle);
        MemoryRequest held = search.allocate(handle);
        MemoryRequest lost = search.allocate(new Object());

        search.run(HandleSearch.from(this));

        assertThat(search.reachabilityOf(held).pathText()).hasValue("HandleSearchTests.cache -> ArrayList[0]");
        assertThat(search.reachabilityOf(lost)).isEqualTo(Reachability.lost());
    }

    private void readTheJdk(JdkReferences reader) {
        search.tracker().attachment(JdkReferences.class, () -> reader);
    }

    @Test
    void whoHoldsAViewHoldsWhatItShows() {
        Object handle = new Object();
        Object view = new Object();
        cache.add(view);
        MemoryRequest request = search.allocate(handle);
        readTheJdk(new JdkReferences() {
            @Override
            public Optional<Object> viewedBy(Object one) {
                return one == view ? Optional.of(handle) : Optional.empty();
            }
        });

        search.run(HandleSearch.from(this).collectingBy(() -> true));

        assertThat(search.reachabilityOf(request).pathText()).hasValue("HandleSearchTests.cache -> ArrayList[0]");
    }

    @Test
    void threadLocalsAreSearchedForWhatNoRootHolds() {
        Object held = new Object();
        Object ofThread = new Object();
        cache.add(held);
        MemoryRequest heldTwice = search.allocate(held);
        MemoryRequest heldByThread = search.allocate(ofThread);
        readTheJdk(new JdkReferences() {
            @Override
            public Map<String, List<Object>> threadLocals() {
                return Map.of("codec", List.of(held, List.of(ofThread)));
            }
        });

        search.run(HandleSearch.from(this).collectingBy(() -> true));

        assertThat(search.reachabilityOf(heldTwice).pathText()).hasValue("HandleSearchTests.cache -> ArrayList[0]");
        assertThat(search.reachabilityOf(heldByThread).pathText())
                .hasValue("a thread local of thread \"codec\" -> List[0]");
    }

    @Test
    void threadLocalsAreSearchedBeforeWhatTheAllocatingClassesHold() {
        FieldSearch onStacks = new FieldSearch(OriginCapture.ALLOCATIONS);
        Object handle = new Object();
        MemoryRequest request = Huge.allocate(onStacks, handle);
        onStacks.tracker().attachment(JdkReferences.class, () -> new JdkReferences() {
            @Override
            public Map<String, List<Object>> threadLocals() {
                return Map.of("codec", List.of(handle));
            }
        });

        onStacks.run(HandleSearch.from(search).collectingBy(() -> true));

        assertThat(onStacks.reachabilityOf(request).pathText()).hasValue("a thread local of thread \"codec\"");
    }

    /** Code under test that holds more objects than a search visits. */
    private static final class Huge {
        private static final List<Object> OBJECTS =
                Stream.generate(Object::new).limit(Walk.MAX_OBJECTS).toList();

        private static MemoryRequest allocate(FieldSearch onStacks, Object handle) {
            assertThat(OBJECTS).isNotEmpty();
            return onStacks.allocate(handle);
        }
    }

    private boolean counted() {
        collections.incrementAndGet();
        return true;
    }

    private GarbageCollection clearing(MemoryRequest request) {
        return () -> {
            request.handle().orElseThrow().clear();
            return counted();
        };
    }
}
