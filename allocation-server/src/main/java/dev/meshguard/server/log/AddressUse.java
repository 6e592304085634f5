package dev.meshguard.server.log;

import dev.meshguard.event.BufferType;
import dev.meshguard.event.HistoryEvent;
import dev.meshguard.event.HistoryEvent.OfMemory;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
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

    private static final Comparator<AddressUse> BY_ADDRESS =
            Comparator.comparingInt(AddressUse::device).thenComparing(AddressUse::address, Long::compareUnsigned);

    private record DeviceAddress(int device, long address) {}

    /** Returns the number of allocations minus all frees; below 0 if there are more frees. */
    public long surplus() {
        return allocated - freed;
    }

    /** Returns the use of each address in a log, by device and address; it needs heap by addresses, not by lines. */
    static List<AddressUse> allOf(ParsedLog log) {
        Map<DeviceAddress, AddressUse> uses = new HashMap<>();
        for (HistoryEvent event : log.history().events()) {
            if (event instanceof OfMemory report) {
                AddressUse one = of(report, log.lineOf(report.number()).orElseThrow());
                uses.merge(new DeviceAddress(report.device(), report.address()), one, AddressUse::and);
            }
        }
        return uses.values().stream().sorted(BY_ADDRESS).toList();
    }

    private static AddressUse of(OfMemory report, long line) {
        return report instanceof HistoryEvent.Allocated allocated
                ? new AddressUse(
                        report.device(),
                        report.address(),
                        Optional.of(report.type()),
                        1,
                        0,
                        allocated.size(),
                        line,
                        line)
                : new AddressUse(report.device(), report.address(), Optional.empty(), 0, 1, 0, line, line);
    }

    private AddressUse and(AddressUse later) {
        return new AddressUse(
                device,
                address,
                later.type.or(() -> type),
                allocated + later.allocated,
                freed + later.freed,
                Math.max(largestSize, later.largestSize),
                firstLine,
                later.lastLine);
    }
}
