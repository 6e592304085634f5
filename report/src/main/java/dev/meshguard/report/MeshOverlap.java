package dev.meshguard.report;

import dev.meshguard.event.AllocatorId;
import dev.meshguard.event.BufferType;
import dev.meshguard.event.HistoryEvent.Allocated;
import dev.meshguard.event.MemoryRequest;
import dev.meshguard.event.Quantities;
import dev.meshguard.history.BufferGeneration;
import dev.meshguard.report.VerdictReport.ExpectationSnippet;
import dev.meshguard.report.VerdictReport.Fact;
import dev.meshguard.verdict.LeakVerdict;
import dev.meshguard.verdict.Overwrite;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.stream.LongStream;

/**
 * The buffers of one request that overlap a buffer of another allocator, on any number of devices.
 *
 * @param reports its reports, one for each device, oldest first
 * @param under the overlapped buffer of each
 */
record MeshOverlap(List<Allocated> reports, List<BufferGeneration> under) {

    /** Requests are compared by identity only. */
    private record Key(MemoryRequest over, MemoryRequest under, BufferType type, long address, long below) {

        @Override
        @SuppressWarnings("ReferenceEquality")
        public boolean equals(Object other) {
            return other instanceof Key key
                    && key.over == over
                    && key.under == under
                    && key.type == type
                    && key.address == address
                    && key.below == below;
        }

        @Override
        public int hashCode() {
            return Long.hashCode(address) * 31 + Long.hashCode(below);
        }
    }

    /** Returns the overlaps of a verdict, oldest first. */
    static List<MeshOverlap> in(LeakVerdict verdict) {
        Map<Key, MeshOverlap> found = new LinkedHashMap<>();
        for (Overwrite overwrite : verdict.unexpectedOverwrites()) {
            if (overwrite.kind() != Overwrite.Kind.BY_OTHER_ALLOCATOR) {
                continue;
            }
            Allocated report = (Allocated) overwrite.event();
            BufferGeneration holder = overwrite.buffer();
            Key key = new Key(report.request(), holder.request(), report.type(), report.address(), holder.address());
            MeshOverlap overlap =
                    found.computeIfAbsent(key, unused -> new MeshOverlap(new ArrayList<>(), new ArrayList<>()));
            overlap.reports.add(report);
            overlap.under.add(holder);
        }
        return List.copyOf(found.values());
    }

    /** Returns whether both allocators belong to meshes, as far as is known. */
    boolean isOfTwoMeshes() {
        return isOfAMesh(reports.get(0).request().details().allocator())
                && isOfAMesh(under.get(0).allocator());
    }

    private static boolean isOfAMesh(Optional<AllocatorId> allocator) {
        return allocator.filter(known -> known.kind() != AllocatorId.Kind.MESH).isEmpty();
    }

    /** Returns the devices, in the order of the reports. */
    List<Integer> devices() {
        return reports.stream().map(Allocated::device).toList();
    }

    /** Returns the later buffer and its allocator. */
    String title(MeshNames meshes) {
        Allocated first = reports.get(0);
        return String.format(
                Locale.ROOT,
                "%s  %s%s on %s, allocated by %s at %s, %s",
                first.type(),
                reports.size() == 1 ? "" : reports.size() + " x ",
                Quantities.shortSize(first.size()),
                DeviceNames.of(devices().stream().distinct().sorted().toList()),
                meshes.of(
                        first.request().details().allocator(),
                        first.request().details().mesh(),
                        first.device()),
                Quantities.address(first.address()),
                events(reports.stream().mapToLong(Allocated::number)));
    }

    /** Returns the entry that permits it: for the earlier buffer, whose data the later one may overwrite. */
    ExpectationSnippet snippet() {
        return ExpectationSnippets.ofOverwritten(under.get(0), under.size());
    }

    /** Returns the line that allocated the later buffer. */
    String site() {
        return site(reports.get(0).request());
    }

    /** Returns the earlier buffer, its allocator, and the line that allocated it. */
    List<Fact> facts(MeshNames meshes) {
        BufferGeneration below = under.get(0);
        return List.of(
                new Fact(
                        Fact.WHY,
                        String.format(
                                Locale.ROOT,
                                "it lies over %s at %s, allocated by %s, %s, %s",
                                Quantities.shortSize(below.size()),
                                Quantities.address(below.address()),
                                meshes.of(below.allocator(), below.mesh(), below.device()),
                                events(under.stream().mapToLong(BufferGeneration::allocatedAt)),
                                end())),
                new Fact(Fact.OVER, "at " + site(below.request())));
    }

    private String end() {
        return under.stream().anyMatch(BufferGeneration::isLive)
                ? "never freed"
                : "freed by event #"
                        + under.stream()
                                .mapToLong(buffer -> buffer.freedAt().orElseThrow())
                                .max()
                                .orElseThrow();
    }

    private static String site(MemoryRequest request) {
        return request.origin().map(Object::toString).orElse("an unknown place (no origin was captured)");
    }

    private static String events(LongStream numbers) {
        long[] sorted = numbers.sorted().toArray();
        return sorted.length == 1
                ? "event #" + sorted[0]
                : "events #" + sorted[0] + " to #" + sorted[sorted.length - 1];
    }
}
