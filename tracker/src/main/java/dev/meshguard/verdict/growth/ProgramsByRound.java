package dev.meshguard.verdict.growth;

import dev.meshguard.event.AllocationDetails;
import dev.meshguard.event.BufferKind;
import dev.meshguard.event.BufferType;
import dev.meshguard.event.CacheKey;
import dev.meshguard.event.HistoryEvent;
import dev.meshguard.event.HistoryEvent.OwnerCached;
import dev.meshguard.event.Owner;
import dev.meshguard.history.AllocationHistory;
import dev.meshguard.history.BufferGeneration;
import dev.meshguard.verdict.internal.HoldIntervals;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.SortedMap;
import java.util.TreeMap;

/** The programs in the program cache at the ends of rounds, by operation. */
final class ProgramsByRound {

    /** A stay of a program in the cache, with its kernel binaries. */
    private static final class Stay {

        private final OwnerCached caching;
        private final List<BufferGeneration> binaries = new ArrayList<>();
        private long end = HoldIntervals.TO_THE_END;

        private Stay(OwnerCached caching) {
            this.caching = caching;
        }

        private void endAt(long event) {
            end = Math.min(end, event);
        }

        private Optional<String> operation() {
            return caching.key().map(CacheKey::operation);
        }

        private long bytes() {
            return binaries.stream().mapToLong(BufferGeneration::size).sum();
        }

        /** Returns the bytes in each bank of the device with the most, if the extents of all binaries are known. */
        private OptionalLong bytesPerBank() {
            Map<Integer, Long> byDevice = new HashMap<>();
            for (BufferGeneration binary : binaries) {
                OptionalLong extent = binary.request().details().extent();
                if (extent.isEmpty()) {
                    return OptionalLong.empty();
                }
                byDevice.merge(binary.device(), extent.getAsLong(), Long::sum);
            }
            return OptionalLong.of(
                    byDevice.values().stream().mapToLong(Long::longValue).max().orElse(0));
        }
    }

    private ProgramsByRound() {}

    /** Returns the growth by each operation, the worst first. */
    static List<ProgramCacheGrowth> growths(AllocationHistory history, RoundMarks marks, int warmUp) {
        Map<Optional<String>, List<Stay>> operations = new LinkedHashMap<>();
        for (Stay stay : stays(history)) {
            if (marks.roundOf(stay.caching.number()) <= marks.rounds() && stay.end > marks.start()) {
                operations
                        .computeIfAbsent(stay.operation(), unused -> new ArrayList<>())
                        .add(stay);
            }
        }
        List<ProgramCacheGrowth> growths = new ArrayList<>();
        operations.forEach((operation, stays) -> growths.add(growth(operation, stays, marks, warmUp)));
        growths.sort(Comparator.comparing(
                        (ProgramCacheGrowth growth) -> growth.programs().trend())
                .thenComparing(ProgramCacheGrowth::programsAtEnd)
                .reversed());
        return List.copyOf(growths);
    }

    private static ProgramCacheGrowth growth(
            Optional<String> operation, List<Stay> stays, RoundMarks marks, int warmUp) {
        SortedMap<Integer, Long> programs = new TreeMap<>();
        List<CacheMiss> misses = new ArrayList<>();
        List<Stay> atEnd = new ArrayList<>();
        for (Stay stay : stays) {
            OwnerCached caching = stay.caching;
            int from = marks.roundOf(caching.number());
            int until = marks.roundOf(stay.end);
            marks.add(from, until, 1, programs);
            if (from > 0) {
                misses.add(new CacheMiss(from, caching.owner(), caching.key()));
            }
            if (until > marks.rounds()) {
                atEnd.add(stay);
            }
        }
        return new ProgramCacheGrowth(
                operation,
                new RoundVector(marks.rounds(), warmUp, programs),
                atEnd.size(),
                atEnd.stream().mapToLong(Stay::bytes).sum(),
                bytesPerBank(atEnd),
                misses);
    }

    private static OptionalLong bytesPerBank(List<Stay> stays) {
        long sum = 0;
        for (Stay stay : stays) {
            OptionalLong bytes = stay.bytesPerBank();
            if (bytes.isEmpty()) {
                return bytes;
            }
            sum += bytes.getAsLong();
        }
        return OptionalLong.of(sum);
    }

    /** Returns the stays in the order in which they began. */
    private static List<Stay> stays(AllocationHistory history) {
        List<Stay> stays = new ArrayList<>();
        Map<Owner, List<Stay>> byProgram = new HashMap<>();
        for (HistoryEvent event : history.events()) {
            if (event instanceof OwnerCached cached && cached.owner().kind() == Owner.Kind.PROGRAM) {
                List<Stay> ofProgram = byProgram.computeIfAbsent(cached.owner(), unused -> new ArrayList<>());
                ofProgram.forEach(before -> before.endAt(cached.number()));
                Stay stay = new Stay(cached);
                ofProgram.add(stay);
                stays.add(stay);
            } else if (event instanceof HistoryEvent.OwnerEnded ended) {
                byProgram.getOrDefault(ended.owner(), List.of()).forEach(stay -> stay.endAt(ended.number()));
            }
        }
        history.generations().forEach(buffer -> addBinary(buffer, byProgram, history));
        return stays;
    }

    /**
     * Adds a buffer to the stay of its program; a mesh that closes takes its cache with it.
     *
     * <p>Binaries lie in DRAM; what else a program owns lies in L1. A view, which each program of a workload with one binary has, is
     * no memory of its own; nor is a circular buffer.
     */
    private static void addBinary(
            BufferGeneration buffer, Map<Owner, List<Stay>> byProgram, AllocationHistory history) {
        for (BufferGeneration.Report report : buffer.reports()) {
            AllocationDetails details = report.details();
            List<Stay> ofProgram = details.owner().map(byProgram::get).orElse(null);
            if (ofProgram != null
                    && buffer.type() == BufferType.DRAM
                    && details.kind() == BufferKind.BUFFER
                    && !details.view()) {
                Stay stay = ofProgram.get(0);
                for (Stay next : ofProgram) {
                    stay = next.caching.number() < buffer.allocatedAt() ? next : stay;
                }
                stay.binaries.add(buffer);
                history.closeOf(buffer).ifPresent(stay::endAt);
                return;
            }
        }
    }
}
