package dev.meshguard.netty;

import dev.meshguard.event.AllocationDetails;
import dev.meshguard.event.BufferType;
import dev.meshguard.junit.TestThreads;
import dev.meshguard.tracker.AllocationTracker;
import dev.meshguard.tracker.Lease;
import dev.meshguard.tracker.OriginFilter;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.CompositeByteBuf;
import io.netty.util.ResourceLeakTracker;
import java.lang.ref.WeakReference;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;

/** The buffers that are reported to one tracker. Safe for use by several threads. */
final class ReportedBuffers {

    /** Skips what allocates and counts for all others. */
    static final OriginFilter LIBRARY = skipping(
            "io.netty.buffer.",
            "io.netty.util.",
            "io.netty.channel.unix.",
            "io.netty.channel.DefaultMaxMessagesRecvByteBufAllocator",
            "io.netty.channel.epoll.EpollRecvByteAllocatorHandle",
            "io.netty.channel.kqueue.KQueueRecvByteAllocatorHandle");

    /** On an event loop often no code of the user runs: then it is the line of Netty that reads or that decodes. */
    static final OriginFilter CALLERS = skipping("io.netty.").orElse(LIBRARY);

    private static final int MAX_STACKS_OF_RELEASES = 4096;

    private static final AllocationDetails DETAILS = AllocationDetails.user().fromSource(NettySource.ID);

    private final AllocationTracker tracker;
    private final Set<AllocatedBuffer> allocated = ConcurrentHashMap.newKeySet();
    /** Counts from before a buffer is reported until after its free is. */
    private final AtomicInteger unreleased = new AtomicInteger();

    /** A few milliseconds of a test that releases without end. */
    private final AtomicInteger stacksOfReleases = new AtomicInteger(MAX_STACKS_OF_RELEASES);

    private final EventLoops eventLoops = new EventLoops();

    private ReportedBuffers(AllocationTracker tracker) {
        this.tracker = tracker;
        tracker.partsOfHandles("io.netty.buffer.");
    }

    private static OriginFilter skipping(String... ofNetty) {
        return OriginFilter.skipping(Stream.concat(
                        Stream.of(ofNetty),
                        Stream.of(
                                "dev.meshguard.netty.ReportedBuffers",
                                "dev.meshguard.netty.BufferDetector",
                                "dev.meshguard.netty.BufferReferences",
                                "dev.meshguard.netty.LeakSetDetector",
                                "dev.meshguard.netty.ReferenceCountWatcher",
                                "dev.meshguard.weave."))
                .toArray(String[]::new));
    }

    static ReportedBuffers of(AllocationTracker tracker) {
        return tracker.attachment(ReportedBuffers.class, () -> new ReportedBuffers(tracker));
    }

    /**
     * Reports a buffer to the tracker of the test whose thread allocates it; to close the result reports its last release. Empty
     * if no test is responsible, and for a buffer without memory of its own: a slice or duplicate is part of its buffer, and a
     * composite consists of others.
     */
    static Optional<ResourceLeakTracker<ByteBuf>> report(ByteBuf buffer) {
        if (buffer instanceof CompositeByteBuf || buffer.unwrap() != null) {
            return Optional.empty();
        }
        return TestThreads.trackerOfThread(NettySource.ID)
                .map(tracker -> of(tracker).allocated(buffer));
    }

    private ResourceLeakTracker<ByteBuf> allocated(ByteBuf buffer) {
        rememberEventLoop();
        unreleased.incrementAndGet();
        Lease lease = tracker.lease(DETAILS, CALLERS, BufferType.SYSTEM_MEMORY, buffer.capacity())
                .handedOut(buffer);
        Optional<BufferReferences> references = lease.hasOrigin() ? counted(buffer) : Optional.empty();
        AllocatedBuffer one = new AllocatedBuffer(lease, new WeakReference<>(buffer), references, buffer.capacity());
        allocated.add(one);
        return one;
    }

    /** Counts the references to a buffer, if they are seen. */
    private Optional<BufferReferences> counted(ByteBuf buffer) {
        return DetectorFactory.references()
                .filter(ReferenceCountWatcher::isWatching)
                .map(watcher -> watcher.count(buffer, new BufferReferences(LIBRARY, CALLERS, stacksOfReleases)));
    }

    private void rememberEventLoop() {
        eventLoops.rememberCurrent();
        DetectorFactory.eventLoops().ifPresent(EventLoops::rememberCurrent);
    }

    /**
     * Waits for the event loops that may release a buffer now: those of the test, which may hand it to one that others have
     * started. Returns a note for the reader if one of them does not answer.
     */
    Optional<String> awaitEventLoops() {
        if (unreleased.get() == 0) {
            return Optional.empty();
        }
        Optional<String> note = eventLoops.await();
        if (unreleased.get() > 0 && note.isEmpty()) {
            DetectorFactory.eventLoops().ifPresent(eventLoops::addAll);
            note = eventLoops.await();
        }
        return note;
    }

    /** Reports what Netty does not: other capacities, references, and releases that have closed no leak record. */
    void reportChanges() {
        allocated.forEach(AllocatedBuffer::reportChange);
    }

    /**
     * One buffer until its last release.
     *
     * <p>A release closes the leak record of the wrapper that it goes through. There are releases that go through none or through
     * the wrong one: of what {@link ByteBuf#unwrap()} returns, and the second release of a pooled buffer, if the pool has handed
     * out the same object again. The reference count of the buffer itself is 0 after them all.
     */
    private final class AllocatedBuffer implements ResourceLeakTracker<ByteBuf> {

        private final Lease lease;
        private final WeakReference<ByteBuf> buffer;
        private final Optional<BufferReferences> references;
        /** Written by the thread of a check only; a lease ignores what is reported after its free. */
        private int reportedSize;

        AllocatedBuffer(Lease lease, WeakReference<ByteBuf> buffer, Optional<BufferReferences> references, int size) {
            this.lease = lease;
            this.buffer = buffer;
            this.references = references;
            this.reportedSize = size;
        }

        @Override
        public void record() {}

        @Override
        public void record(Object hint) {}

        /** Returns true also if the release was reported before: Netty asserts it. */
        @Override
        public boolean close(ByteBuf released) {
            reportRelease();
            return true;
        }

        private void reportRelease() {
            if (allocated.remove(this)) {
                rememberEventLoop();
                lease.freed();
                references.ifPresent(this::forget);
                unreleased.decrementAndGet();
            }
        }

        private void forget(BufferReferences released) {
            ByteBuf present = buffer.get();
            if (present != null) {
                DetectorFactory.references().ifPresent(watcher -> watcher.forget(present, released));
            }
        }

        private void reportChange() {
            ByteBuf present = buffer.get();
            if (present != null && present.refCnt() == 0) {
                reportRelease();
                return;
            }
            references.flatMap(BufferReferences::changed).ifPresent(lease::referencesCounted);
            if (present != null && present.capacity() != reportedSize) {
                reportedSize = present.capacity();
                lease.resized(reportedSize);
            }
        }
    }
}
