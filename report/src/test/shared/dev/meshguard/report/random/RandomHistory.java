package dev.meshguard.report.random;

import dev.meshguard.event.CacheKey;
import dev.meshguard.event.AllocationDetails;
import dev.meshguard.event.AllocatorId;
import dev.meshguard.event.BufferKind;
import dev.meshguard.event.BufferLifetime;
import dev.meshguard.event.BufferType;
import dev.meshguard.event.IgnoredFreeReason;
import dev.meshguard.event.MeshDescription;
import dev.meshguard.event.Origin;
import dev.meshguard.event.Owner;
import dev.meshguard.event.Ownership;
import dev.meshguard.event.Phase;
import dev.meshguard.event.Reachability;
import dev.meshguard.event.References;
import dev.meshguard.event.SourceDescription;
import dev.meshguard.event.WitnessSnapshot;
import dev.meshguard.event.MemoryRequest;
import dev.meshguard.tracker.AllocationTracker;
import dev.meshguard.tracker.Lease;
import dev.meshguard.tracker.OriginFilter;
import dev.meshguard.tracker.OriginCapture;
import dev.meshguard.history.AllocationHistory;
import dev.meshguard.verdict.LeakVerdict;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;

/** Creates random histories with any reports, in any order, valid or not. */
public final class RandomHistory {

    private static final List<String> TEXTS = List.of(
            "kv-cache",
            "say \"hello\" \\ once",
            "two\nlines\r\nand\ta tab",
            "ığüşİI",
            "\u0660\u0661\u0662 \u0967\u0968",
            "\uD83D\uDE80 \uD83D\uDE00",
            "half \uD800 and \uDC00 alone",
            "\u2028\u2029\u0085\u007f\u0000\u001b[31m",
            "\uFFFD\uFEFF\u202Eright to left",
            "{\"kind\":\"end\"}");

    private static final List<Owner> OWNERS = List.of(
            Owner.program("7 (add)"),
            Owner.program("8 \"quoted\"\n"),
            new Owner(Owner.Kind.TRACE, "1"),
            new Owner(Owner.Kind.DISPATCH, "prefetcher"),
            new Owner(Owner.Kind.OTHER, "\u0130stanbul"));

    /** The largest size of many buffers whose sum fits into a {@code long}. */
    private static final long HUGE = Long.MAX_VALUE / 1_000;

    private final Random random;
    private final AllocationTracker tracker;
    private final List<MemoryRequest> requests = new ArrayList<>();
    private int ticks;

    private RandomHistory(Random random) {
        this.random = random;
        AllocationTracker.Builder builder = AllocationTracker.builder()
                .originCapture(any(OriginCapture.values()))
                .clock(() -> Instant.parse("2026-03-01T00:00:00Z").plusNanos(1_234_567L * ticks++));
        tracker = (random.nextInt(3) == 0 ? builder.bankedAddresses() : builder).build();
    }

    /** Returns the live bytes of some types. */
    public static long liveBytes(LeakVerdict verdict, BufferType... types) {
        Set<BufferType> counted = Set.of(types);
        return verdict.totals().entrySet().stream()
                .filter(total -> counted.contains(total.getKey().type()))
                .mapToLong(total -> total.getValue().liveBytes())
                .sum();
    }

    /** Returns a history of up to the given number of reports. */
    public static AllocationHistory of(Random random, int most) {
        RandomHistory source = new RandomHistory(random);
        int steps = random.nextInt(most);
        for (int step = 0; step < steps; step++) {
            source.saySomething();
        }
        return source.tracker.history();
    }

    private void saySomething() {
        switch (random.nextInt(25)) {
            case 0, 1, 2, 3, 4, 5, 6 -> allocate();
            case 7, 8, 9, 10 -> free();
            case 11 -> freeIgnored();
            case 12 -> tracker.phase(random.nextBoolean() ? Phase.TEST : new Phase(any(TEXTS)));
            case 13 -> meshOpened();
            case 14 -> tracker.meshClosing(mesh());
            case 15 -> tracker.meshClosed(mesh());
            case 16 -> tracker.deviceOpened(device());
            case 17 -> tracker.deviceClosed(device());
            case 18 -> ownerCached();
            case 19 -> tracker.ownerEnded(any(OWNERS));
            case 20 -> tracker.witnessed(reading());
            case 21 -> trace();
            case 22 -> tracking();
            case 23 -> tracker.round(1 + random.nextInt(5)).close();
            default -> capture();
        }
    }

    private void ownerCached() {
        if (random.nextBoolean()) {
            tracker.ownerCached(any(OWNERS), any(TEXTS));
        } else {
            tracker.ownerCached(any(OWNERS), any(TEXTS), new CacheKey(any(TEXTS), List.of(any(TEXTS), any(TEXTS))));
        }
    }

    private void allocate() {
        MemoryRequest request = request();
        if (random.nextInt(8) == 0) {
            lease();
            return;
        }
        int devices = 1 + random.nextInt(3);
        BufferType type = any(BufferType.values());
        long address = address();
        long size = random.nextInt(20) == 0 ? HUGE : 64L * random.nextInt(4);
        for (int device = 0; device < devices; device++) {
            tracker.allocated(request, device, type, address, size, any(Ownership.values()));
        }
    }

    private void lease() {
        Lease lease = tracker.lease(
                details(), OriginFilter.none(), any(BufferType.values()), 64L * random.nextInt(4));
        switch (random.nextInt(7)) {
            case 6 -> lease.referencesCounted(references());
            case 0 -> lease.freed();
            case 1 -> lease.freeFailed(new IllegalStateException(any(TEXTS)));
            case 2 -> lease.resized(64L * random.nextInt(4));
            case 3 -> {
                lease.freed();
                lease.freed();
            }
            default -> {}
        }
        if (random.nextInt(6) == 0) {
            lease.withdrawn();
        }
    }

    private References references() {
        return new References(random.nextInt(3), random.nextInt(2), use(), use(), use());
    }

    private Optional<References.Use> use() {
        Optional<String> hint = random.nextBoolean() ? Optional.of(any(TEXTS)) : Optional.empty();
        return random.nextBoolean()
                ? Optional.of(new References.Use(Origin.of(new Throwable().getStackTrace()), hint))
                : Optional.empty();
    }

    private void free() {
        AllocationDetails details = details();
        MemoryRequest release = tracker.release(random.nextInt(4) == 0 ? details.ofCollectedHandle() : details);
        tracker.freed(release, device(), any(BufferType.values()), address(), any(Ownership.values()));
    }

    private void freeIgnored() {
        tracker.freeIgnored(
                tracker.release(details()),
                device(),
                any(BufferType.values()),
                address(),
                any(IgnoredFreeReason.values()));
    }

    private void meshOpened() {
        List<Integer> devices =
                List.of(List.of(0, 1, 2), List.of(1), List.of(2, 0)).get(random.nextInt(3));
        MeshDescription mesh = new MeshDescription(mesh(), any(TEXTS), devices, random.nextInt(3) - 1);
        tracker.meshOpened(random.nextBoolean() ? mesh : mesh.withParent(mesh()));
    }

    private void capture() {
        Owner trace = any(OWNERS);
        switch (random.nextInt(8)) {
            case 0 -> tracker.captureBegan(mesh(), trace);
            case 1 ->
                tracker.programCaptured(
                        trace, any(OWNERS), random.nextBoolean() ? Optional.empty() : Optional.of(allocator()));
            case 2 -> tracker.bufferCaptured(trace, anyRequest());
            case 3 -> tracker.captureEnded(trace);
            case 4 -> tracker.resultCaptured(trace, anyRequest());
            case 5 -> tracker.resultRead(anyRequest());
            default -> tracker.traceReplayed(trace, random.nextBoolean() ? List.of() : List.of(any(OWNERS)));
        }
    }

    private MemoryRequest anyRequest() {
        return requests.isEmpty() ? MemoryRequest.of(AllocationDetails.user()) : any(requests);
    }

    private void trace() {
        tracker.traced(
                anyRequest(),
                switch (random.nextInt(4)) {
                    case 0 -> Reachability.lost();
                    case 1 -> Reachability.unknown();
                    case 2 -> Reachability.held();
                    default -> Reachability.heldBy(List.of("KvCacheTest.cache", any(TEXTS), "ArrayList[12]"));
                });
    }

    private void tracking() {
        switch (random.nextInt(7)) {
            case 0 -> tracker.trackingStopped(any(TEXTS));
            case 5 -> tracker.sourceNoted(any(TEXTS));
            case 1 -> tracker.trackingStarted();
            case 2 -> {
                if (random.nextBoolean()) {
                    tracker.sourceAttached(any(TEXTS));
                } else {
                    tracker.sourceAttached(
                            SourceDescription.of(any(TEXTS))
                                    .covering(any(TEXTS))
                                    .inferringFrees()
                                    .notSeeing(any(TEXTS)));
                }
            }
            case 3 -> tracker.processDied(processId());
            case 4 -> tracker.reportsLost(random.nextInt(3) - 1, any(TEXTS));
            default -> tracker.checked();
        }
    }

    private MemoryRequest request() {
        AllocationDetails details = details();
        MemoryRequest request = random.nextInt(4) == 0
                ? MemoryRequest.restored(details, Optional.of(oddOrigin()))
                : tracker.request(details);
        requests.add(request);
        return request;
    }

    private Origin oddOrigin() {
        List<StackTraceElement> frames = new ArrayList<>();
        int depth = random.nextInt(3);
        for (int frame = 0; frame < depth; frame++) {
            frames.add(
                    random.nextBoolean()
                            ? new StackTraceElement("dev.example.Gözleme", "decode\u202E", null, -2)
                            : new StackTraceElement(
                                    "app", "dev.example", "1.0", "dev.example.Kv$1", "lambda$0", "Kv.java", frame));
        }
        return new Origin(frames);
    }

    private AllocationDetails details() {
        AllocationDetails details = AllocationDetails.user();
        details = random.nextInt(4) == 0 ? details.withLifetime(any(BufferLifetime.values())) : details;
        details = random.nextInt(4) == 0 ? details.ownedBy(any(OWNERS)) : details;
        details = random.nextInt(4) == 0 ? details.labelled(any(TEXTS)) : details;
        details = random.nextInt(6) == 0 ? details.withExtent(random.nextInt(1000)) : details;
        details = random.nextInt(6) == 0 ? details.reportedBy(processId()) : details;
        details = random.nextInt(3) == 0 ? details.onMesh(mesh()) : details;
        details = random.nextInt(3) == 0 ? details.fromAllocator(allocator()) : details;
        details = random.nextInt(6) == 0 ? details.asView() : details;
        details = random.nextInt(9) == 0 ? details.asFreedOnCollection() : details;
        return random.nextInt(6) == 0 ? details.ofKind(BufferKind.CIRCULAR_BUFFER) : details;
    }

    private AllocatorId allocator() {
        return switch (random.nextInt(3)) {
            case 0 -> AllocatorId.MESH;
            case 1 -> AllocatorId.DEVICE;
            default -> AllocatorId.subDevice(random.nextInt(2), random.nextInt(3));
        };
    }

    private WitnessSnapshot reading() {
        WitnessSnapshot reading = WitnessSnapshot.of(mesh(), any(WitnessSnapshot.Moment.values()));
        if (random.nextBoolean()) {
            reading = reading.ofAllocator(allocator());
        }
        for (int region = random.nextInt(4); region > 0; region--) {
            long[] taken = random.longs(random.nextInt(4), 0, 4)
                    .map(page -> page * 0x1000)
                    .toArray();
            reading = reading.region(device(), any(BufferType.values()), taken);
        }
        return reading;
    }

    private int device() {
        return random.nextInt(3);
    }

    private int mesh() {
        return random.nextInt(3);
    }

    private long processId() {
        return random.nextBoolean() ? 4711 : Long.MAX_VALUE;
    }

    private long address() {
        return random.nextInt(20) == 0 ? Long.MAX_VALUE - random.nextInt(2) : 0x1000L * random.nextInt(4);
    }

    private <T> T any(List<T> values) {
        return values.get(random.nextInt(values.size()));
    }

    private <T> T any(T[] values) {
        return values[random.nextInt(values.length)];
    }
}
