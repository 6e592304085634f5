package dev.meshguard.server.log;

import dev.meshguard.event.BufferType;
import dev.meshguard.event.HistoryEvent;
import dev.meshguard.event.HistoryEvent.OfMemory;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * The use of one address of one device in a log: how often it is allocated and freed, and with which sizes.
 *
 * <p>Each free counts, even if other references remain: counting only the last one made every shared address look
 * leaked.
 *
 * @param device the device
 * @param address the address; a log calls it the buffer id
 * @param type the memory type of the last allocation; empty if no line allocates it
 * @param allocated the number of its allocations
 * @param freed the number of its frees, also of those that freed nothing
 * @param largestSize the largest allocated size, in bytes
 * @param firstLine the number of the first line that allocates or frees it
 * @param lastLine the number of the last line that allocates or frees it
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public record AddressUse(
        int device,
        long address,
        Optional<BufferType> type,
        long allocated,
        long freed,
        long largestSize,
        long firstLine,
        long lastLine) {

    private static final Comparator<OfMemory> BY_ADDRESS =
            Comparator.comparingInt(OfMemory::device).thenComparing(OfMemory::address, Long::compareUnsigned);

    /** Returns the number of allocations minus all frees; below 0 if there are more frees. */
    public long surplus() {
        return allocated - freed;
    }

    /** Returns the use of each address in a log, by device and address. */
    static List<AddressUse> allOf(ParsedLog log) {
        List<OfMemory> events = log.history().events().stream()
                .flatMap(event -> event instanceof OfMemory one ? Stream.of(one) : Stream.empty())
                .sorted(BY_ADDRESS)
                .toList();
        List<AddressUse> all = new ArrayList<>();
        int from = 0;
        for (int to = 1; to <= events.size(); to++) {
            if (to == events.size() || BY_ADDRESS.compare(events.get(from), events.get(to)) != 0) {
                all.add(of(log, events.subList(from, to)));
                from = to;
            }
        }
        return all;
    }

    private static AddressUse of(ParsedLog log, List<OfMemory> events) {
        OfMemory first = events.get(0);
        OfMemory last = events.get(events.size() - 1);
        List<HistoryEvent.Allocated> allocated = events.stream()
                .flatMap(event -> event instanceof HistoryEvent.Allocated one ? Stream.of(one) : Stream.empty())
                .toList();
        return new AddressUse(
                first.device(),
                first.address(),
                allocated.stream().reduce((earlier, later) -> later).map(OfMemory::type),
                allocated.size(),
                events.size() - allocated.size(),
                allocated.stream().mapToLong(HistoryEvent.Allocated::size).max().orElse(0),
                log.lineOf(first.number()).orElseThrow(),
                log.lineOf(last.number()).orElseThrow());
    }
}
