package dev.meshguard.server.process;

import dev.meshguard.event.BufferType;
import dev.meshguard.event.HistoryEvent;
import dev.meshguard.event.HistoryEvent.Allocated;
import dev.meshguard.event.MemoryRequest;
import dev.meshguard.event.Origin;
import dev.meshguard.history.AllocationHistory;
import dev.meshguard.server.log.AllocationLog;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/**
 * The file to which tt-metal's client with stack traces appends a block for each report.
 *
 * <p>A record of the protocol has no call stack, and a block has no process. A block belongs to the report with the same place in
 * the sequence of one address, on one device. If the two sequences of an address differ in length, type or size, none of its
 * reports gets a call stack: a wrong line would be worse than none.
 */
final class StackLog {

    /** The variable that switches the call stacks on. */
    static final String VARIABLE = "TT_ALLOC_STACK_TRACE";

    private final Path file;
    private final long begin;

    private StackLog(Path file, long begin) {
        this.file = file;
        this.begin = begin;
    }

    /** Returns the part of a file that is written from now on. */
    static StackLog from(Path file) throws IOException {
        return new StackLog(file, Files.exists(file) ? Files.size(file) : 0);
    }

    /**
     * A history with call stacks.
     *
     * @param history the history
     * @param note the source of the call stacks, or the reason why there are none
     */
    record Joined(AllocationHistory history, String note) {}

    private record Address(int device, long address) {}

    private record Block(BufferType type, long size, Optional<Origin> origin) {}

    /** Adds the call stacks to a history. */
    Joined join(AllocationHistory history) {
        try {
            return join(history, blocks());
        } catch (IOException unreadable) {
            return new Joined(
                    history,
                    String.format(
                            Locale.ROOT,
                            "no call stacks were read from %s (%s); only the client with stack traces writes them, if %s is 1",
                            file,
                            unreadable.getClass().getSimpleName(),
                            VARIABLE));
        }
    }

    private Map<Address, Deque<Block>> blocks() throws IOException {
        try (FileChannel channel = FileChannel.open(file)) {
            channel.position(Math.min(begin, channel.size()));
            InputStream written = new BufferedInputStream(Channels.newInputStream(channel));
            Map<Address, Deque<Block>> blocks = new HashMap<>();
            AllocationLog.read(written, file.toString())
                    .history()
                    .events(Allocated.class)
                    .forEach(block -> blocks.computeIfAbsent(
                                    new Address(block.device(), block.address()), first -> new ArrayDeque<>())
                            .add(new Block(
                                    block.type(), block.size(), block.request().origin())));
            return blocks;
        }
    }

    private Joined join(AllocationHistory history, Map<Address, Deque<Block>> blocks) {
        List<Allocated> reports = history.events(Allocated.class);
        blocks.keySet().retainAll(agreeing(reports, blocks));
        Map<MemoryRequest, Map<Origin, MemoryRequest>> requests = new HashMap<>();
        List<HistoryEvent> events = new ArrayList<>();
        long named = 0;
        for (HistoryEvent event : history.events()) {
            Optional<Origin> origin = event instanceof Allocated report
                    ? Optional.ofNullable(blocks.get(new Address(report.device(), report.address())))
                            .flatMap(ofAddress -> ofAddress.remove().origin())
                    : Optional.empty();
            named += origin.isPresent() ? 1 : 0;
            events.add(origin.map(stack -> with(stack, (Allocated) event, requests))
                    .orElse(event));
        }
        return new Joined(
                AllocationHistory.restored(events, history.sums(), history.hasFlatAddresses()),
                String.format(
                        Locale.ROOT,
                        "the call stacks of %d of %d allocations are those in %s",
                        named,
                        reports.size(),
                        file));
    }

    /** Returns the addresses of which both sequences agree. */
    private static List<Address> agreeing(List<Allocated> reports, Map<Address, Deque<Block>> blocks) {
        Map<Address, List<Allocated>> byAddress = new HashMap<>();
        reports.forEach(report -> byAddress
                .computeIfAbsent(new Address(report.device(), report.address()), first -> new ArrayList<>())
                .add(report));
        return byAddress.entrySet().stream()
                .filter(ofAddress -> agree(
                        ofAddress.getValue(), List.copyOf(blocks.getOrDefault(ofAddress.getKey(), new ArrayDeque<>()))))
                .map(Map.Entry::getKey)
                .toList();
    }

    private static boolean agree(List<Allocated> reports, List<Block> blocks) {
        if (reports.size() != blocks.size()) {
            return false;
        }
        for (int index = 0; index < reports.size(); index++) {
            Allocated report = reports.get(index);
            Block block = blocks.get(index);
            if (report.type() != block.type() || report.size() != block.size()) {
                return false;
            }
        }
        return true;
    }

    private static HistoryEvent with(
            Origin origin, Allocated report, Map<MemoryRequest, Map<Origin, MemoryRequest>> requests) {
        MemoryRequest request = requests.computeIfAbsent(report.request(), first -> new HashMap<>())
                .computeIfAbsent(
                        origin, stack -> MemoryRequest.restored(report.request().details(), Optional.of(stack)));
        return new Allocated(
                report.number(),
                request,
                report.device(),
                report.type(),
                report.address(),
                report.size(),
                report.ownership());
    }
}
