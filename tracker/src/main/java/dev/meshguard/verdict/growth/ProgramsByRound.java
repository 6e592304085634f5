package dev.meshguard.verdict.growth;

import dev.meshguard.event.AllocationDetails;
import dev.meshguard.event.BufferKind;
import dev.meshguard.event.CacheKey;
import dev.meshguard.event.HistoryEvent;
import dev.meshguard.event.Owner;
import dev.meshguard.history.AllocationHistory;
import dev.meshguard.history.BufferGeneration;
import dev.meshguard.verdict.internal.HeldMemory;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** The programs in the program cache at the ends of rounds, by operation. */
final class ProgramsByRound {

    /** A stay of a program in the cache, with the memory of its kernel binary. */
    private static final class Stay {
        private final HistoryEvent.OwnerCached caching;
        private long end = HeldMemory.TO_THE_END;
        private long bytes;
        private boolean isExtentKnown = true;
        private final Map<Integer, Long> perBankOfDevices = new HashMap<>();
        private OptionalInt mesh = OptionalInt.empty();

        private Stay(HistoryEvent.OwnerCached caching) {
            this.caching = caching;
        }

        private void endAt(long event) {
            end = Math.min(end, event);
        }

        private void add(BufferGeneration binary) {
            bytes += binary.size();
            OptionalLong perBank = bytesPerBankOf(binary);
            isExtentKnown &= perBank.isPresent();
            perBankOfDevices.merge(binary.device(), perBank.orElse(0), Long::sum);
            mesh = binary.mesh().isPresent() ? binary.mesh() : mesh;
        }

        private static OptionalLong bytesPerBankOf(BufferGeneration buffer) {
            long most = -1;
            for (BufferGeneration.Report report : buffer.reports()) {
                OptionalLong extent = report.request().details().extent();
                if (extent.isEmpty()) {
                    return OptionalLong.empty();
                }
                most = Math.max(most, extent.getAsLong());
            }
            return OptionalLong.of(most);
        }

        private long bytesPerBank() {
            return perBankOfDevices.values().stream()
                    .mapToLong(Long::longValue)
                    .max()
                    .orElse(0);
        }
    }

    /** A program that is in the cache at the ends of the rounds from one to before another; 0 is before the first. */
    private record Cached(int from, int until, Stay stay) {}

    private static final class OfOperation {
        private final List<Cached> programs = new ArrayList<>();
        private final List<CacheMiss> misses = new ArrayList<>();
    }

    private final int rounds;
    private final Map<Optional<String>, OfOperation> operations = new LinkedHashMap<>();

    ProgramsByRound(AllocationHistory history, RoundMarks marks) {
        this.rounds = marks.rounds();
        for (Stay stay : stays(history)) {
            long event = stay.caching.number();
            int from = event < marks.start() ? 0 : marks.roundOf(event);
            if (from <= rounds && stay.end > marks.start()) {
                Optional<CacheKey> key = stay.caching.key();
                OfOperation operation =
                        operations.computeIfAbsent(key.map(CacheKey::operation), unused -> new OfOperation());
                operation.programs.add(new Cached(from, marks.roundOf(stay.end), stay));
                if (from > 0) {
                    operation.misses.add(new CacheMiss(from, stay.caching.owner(), key, event));
                }
            }
        }
    }

    /** Returns the growth by each operation, the worst first. */
    List<ProgramCacheGrowth> growths(int warmUp) {
        List<ProgramCacheGrowth> growths = new ArrayList<>();
        operations.forEach((operation, all) -> growths.add(growth(operation, all, warmUp)));
        growths.sort(Comparator.comparing(ProgramCacheGrowth::trend)
                .thenComparing(ProgramCacheGrowth::programsAtEnd)
                .reversed());
        return List.copyOf(growths);
    }

    private ProgramCacheGrowth growth(Optional<String> operation, OfOperation all, int warmUp) {
        SortedMap<Integer, Long> programs = new TreeMap<>();
        SortedMap<Integer, Long> bytes = new TreeMap<>();
        int atEnd = 0;
        long bytesAtEnd = 0;
        long perBankAtEnd = 0;
        boolean isExtentKnown = true;
        for (Cached program : all.programs) {
            long ofProgram = program.stay().bytes;
            if (program.from() > 0) {
                programs.merge(program.from(), 1L, Long::sum);
                bytes.merge(program.from(), ofProgram, Long::sum);
            }
            if (program.until() <= rounds) {
                programs.merge(program.until(), -1L, Long::sum);
                bytes.merge(program.until(), -ofProgram, Long::sum);
            } else {
                atEnd++;
                bytesAtEnd += ofProgram;
                perBankAtEnd += program.stay().bytesPerBank();
                isExtentKnown &= program.stay().isExtentKnown;
            }
        }
        RoundVector ofRounds = new RoundVector(rounds, programs);
        GrowthTrend trend = GrowthTrend.of(ofRounds, warmUp);
        return new ProgramCacheGrowth(
                operation,
                ofRounds,
                new RoundVector(rounds, bytes),
                atEnd,
                bytesAtEnd,
                isExtentKnown ? OptionalLong.of(perBankAtEnd) : OptionalLong.empty(),
                all.misses,
                trend.trend(),
                trend.growth(),
                Math.max(0, rounds - warmUp),
                trend.roundsNeeded());
    }

    private static List<Stay> stays(AllocationHistory history) {
        Map<Owner, NavigableMap<Long, Stay>> byProgram = new HashMap<>();
        List<Stay> inOrder = new ArrayList<>();
        for (HistoryEvent event : history.events()) {
            if (event instanceof HistoryEvent.OwnerCached one && one.owner().kind() == Owner.Kind.PROGRAM) {
                NavigableMap<Long, Stay> ofProgram = byProgram.computeIfAbsent(one.owner(), unused -> new TreeMap<>());
                endLast(ofProgram, one.number());
                Stay stay = new Stay(one);
                ofProgram.put(one.number(), stay);
                inOrder.add(stay);
            } else if (event instanceof HistoryEvent.OwnerEnded one) {
                endLast(byProgram.get(one.owner()), one.number());
            }
        }
        history.generations().forEach(buffer -> addBinary(buffer, byProgram));
        endWithMeshes(history, inOrder);
        return inOrder;
    }

    private static void endLast(@Nullable NavigableMap<Long, Stay> ofProgram, long event) {
        if (ofProgram != null && !ofProgram.isEmpty()) {
            ofProgram.lastEntry().getValue().endAt(event);
        }
    }

    /** A view, which each program of a workload with one binary has, is no memory of its own; nor is a circular buffer. */
    private static void addBinary(BufferGeneration buffer, Map<Owner, NavigableMap<Long, Stay>> byProgram) {
        for (BufferGeneration.Report report : buffer.reports()) {
            AllocationDetails details = report.request().details();
            NavigableMap<Long, Stay> ofProgram =
                    details.owner().map(byProgram::get).orElse(null);
            if (ofProgram != null && details.kind() == BufferKind.BUFFER && !details.view()) {
                Map.Entry<Long, Stay> last = ofProgram.floorEntry(buffer.allocatedAt());
                (last == null ? ofProgram.firstEntry() : last).getValue().add(buffer);
                return;
            }
        }
    }

    /** A mesh that closes takes its cache with it. */
    private static void endWithMeshes(AllocationHistory history, List<Stay> stays) {
        Map<Integer, TreeSet<Long>> closes = new HashMap<>();
        for (HistoryEvent event : history.events()) {
            if (event instanceof HistoryEvent.MeshClosed one) {
                closes.computeIfAbsent(one.mesh(), unused -> new TreeSet<>()).add(one.number());
            }
        }
        for (Stay stay : stays) {
            TreeSet<Long> ofMesh = stay.mesh.isEmpty() ? null : closes.get(stay.mesh.getAsInt());
            Long close = ofMesh == null ? null : ofMesh.higher(stay.caching.number());
            if (close != null) {
                stay.endAt(close);
            }
        }
    }
}
