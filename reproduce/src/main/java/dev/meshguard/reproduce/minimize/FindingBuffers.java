package dev.meshguard.reproduce.minimize;

import dev.meshguard.event.HistoryEvent;
import dev.meshguard.event.MemoryRequest;
import dev.meshguard.event.Origin;
import dev.meshguard.history.Anomaly;
import dev.meshguard.history.BufferGeneration;
import dev.meshguard.verdict.Cause;
import dev.meshguard.verdict.LeakVerdict;
import dev.meshguard.verdict.Survivor;
import java.util.BitSet;
import java.util.Collections;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;

/** The buffers of a finding, as first guesses for the minimized history. */
final class FindingBuffers {

    private final LeakVerdict verdict;
    private final Optional<Cause> targets;

    FindingBuffers(LeakVerdict verdict, Optional<Cause> wanted) {
        this.verdict = verdict;
        this.targets = wanted;
    }

    /** Returns the guesses to try, the smallest history first. */
    List<UnaryOperator<MutableHistory>> candidates() {
        Set<Long> one = events(true);
        Set<Long> all = events(false);
        return List.of(
                list -> around(one, list, false), list -> around(all, list, false), list -> around(all, list, true));
    }

    /**
     * Returns the first event of each buffer or report that causes a finding, those of the code under test first; one
     * of each kind, or all.
     */
    private Set<Long> events(boolean oneOfEach) {
        Map<FailureSignature.SurvivorKind, Survivor> firstOfKind = new LinkedHashMap<>();
        Map<Anomaly.Kind, Anomaly> kinds = new EnumMap<>(Anomaly.Kind.class);
        List<Survivor> survivors = verdict
                .survivors(survivor ->
                        FailureSignature.isWrong(survivor) && (targets.isEmpty() || targets.get() == survivor.cause()))
                .stream()
                .sorted(Comparator.comparing(survivor -> survivor.buffer().lifetime()))
                .toList();
        List<Anomaly> anomalies = targets.isEmpty() ? verdict.unbalancingAnomalies() : List.of();
        survivors.forEach(survivor -> firstOfKind.putIfAbsent(FailureSignature.SurvivorKind.of(survivor), survivor));
        anomalies.forEach(anomaly -> kinds.putIfAbsent(anomaly.kind(), anomaly));
        Set<Long> events = new TreeSet<>();
        (oneOfEach ? firstOfKind.values() : survivors)
                .forEach(survivor -> events.add(survivor.buffer().allocatedAt()));
        (oneOfEach ? kinds.values() : anomalies).forEach(anomaly -> {
            events.add(anomaly.event().number());
            anomaly.generation().ifPresent(holder -> events.add(holder.allocatedAt()));
        });
        return events;
    }

    /** Returns buffers of the same requests or at the same addresses, and optionally those from the same lines. */
    private static MutableHistory around(Set<Long> events, MutableHistory list, boolean sameLines) {
        MovableGenerations lives = new MovableGenerations(list);
        Set<MovableGenerations.AddressKey> places = new HashSet<>();
        Set<MemoryRequest> requests = Collections.newSetFromMap(new IdentityHashMap<>());
        Set<Origin> origins = new HashSet<>();
        for (BufferGeneration life : lives.generations()) {
            if (events.contains(life.allocatedAt())) {
                places.add(addressOf(life));
                life.reports().forEach(report -> requests.add(report.request()));
                life.origin().filter(known -> sameLines).ifPresent(origins::add);
            }
        }
        BitSet leftOut = new BitSet();
        leftOut.set(0, lives.size());
        for (int piece = 0; piece < lives.generations().size(); piece++) {
            BufferGeneration life = lives.generations().get(piece);
            boolean belongs = places.contains(addressOf(life))
                    || requestsOf(life).anyMatch(requests::contains)
                    || (sameLines && life.origin().filter(origins::contains).isPresent());
            leftOut.set(piece, !belongs);
        }
        for (HistoryEvent event : list.events()) {
            boolean belongs = events.contains(event.number())
                    || (event instanceof HistoryEvent.Freed freed
                            && places.contains(
                                    new MovableGenerations.AddressKey(freed.device(), freed.type(), freed.address())))
                    || (event instanceof HistoryEvent.FreeIgnored freed
                            && places.contains(
                                    new MovableGenerations.AddressKey(freed.device(), freed.type(), freed.address())));
            int piece = belongs ? lives.pieceOf(event.number()) : -1;
            if (piece >= 0) {
                leftOut.clear(piece);
            }
        }
        return lives.without(leftOut);
    }

    private static Stream<MemoryRequest> requestsOf(BufferGeneration life) {
        return life.reports().stream().map(BufferGeneration.Report::request).filter(request -> !request.isAnonymous());
    }

    private static MovableGenerations.AddressKey addressOf(BufferGeneration life) {
        return new MovableGenerations.AddressKey(life.device(), life.type(), life.address());
    }
}
