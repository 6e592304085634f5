package dev.meshguard.event.shortage;

import dev.meshguard.event.BufferLifetime;
import dev.meshguard.event.BufferType;
import dev.meshguard.event.MemoryRequest;
import dev.meshguard.event.Owner;
import dev.meshguard.event.RequestContext;
import dev.meshguard.text.PrintableText;
import dev.meshguard.text.Quantities;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * The memory of a bank when a request for it was rejected: what was needed, what was free, and who held the rest.
 *
 * <p>A buffer takes the same addresses in every bank, so a bank stands for all banks of all devices. Sizes are bytes of one bank,
 * rounded as the allocator rounds them, like the figures of the runtime's own text; those of a {@link Region} are counted in its
 * scope.
 *
 * <p>Safe for use by several threads. The lines of holders are looked up when they are asked for. A line that a tracker no longer
 * has by then, because the buffer was freed meanwhile, is missing.
 *
 * @param type the memory
 * @param needed the bytes of a bank that the request needs
 * @param start the first address that the request may have; 0 for a region
 * @param end the address after the last one that the request may have; the size of a region
 * @param blocks the allocated blocks by address; of a request for certain addresses, the blocks that lie there
 * @param user what needs the memory, for readers; empty for a request that may lie anywhere
 * @param region the region that is too small; empty for a bank
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public record MemoryShortage(
        BufferType type, long needed, long start, long end, List<Block> blocks, String user, Optional<Region> region) {

    /** The reasons why a request finds no room. */
    public enum Reason {
        /** The request is larger than the memory. */
        TOO_LARGE,
        /** Fewer bytes are free than the request needs. */
        FULL,
        /** Enough bytes are free, but no free block is large enough. */
        FRAGMENTED,
        /** The request needs certain addresses, and buffers lie there. */
        OCCUPIED
    }

    /**
     * An allocated block of a bank.
     *
     * @param start its first address in the bank
     * @param end the address after its last one
     * @param request the request that was reported for it; empty if none was
     */
    public record Block(long start, long end, Optional<MemoryRequest> request) {

        /** Returns the bytes of the block. */
        public long size() {
            return end - start;
        }

        private boolean isOfUser() {
            return request.isPresent() && request.get().details().lifetime() == BufferLifetime.USER;
        }
    }

    /**
     * The buffers of one label and line, and of owners that differ only by a number.
     *
     * @param label the label of the code under test
     * @param owners the objects of the runtime that keep them
     * @param lifetime who frees them; empty if they were never reported
     * @param line the line that requested them, if origins are captured; the caller's line if a helper requested memory for several
     * @param test the test that requested them, where several tests share a tracker
     * @param buffers how many there are
     * @param bytes the bytes of a bank that they hold
     */
    public record Holder(
            Optional<String> label,
            List<Owner> owners,
            Optional<BufferLifetime> lifetime,
            Optional<StackTraceElement> line,
            Optional<String> test,
            long buffers,
            long bytes) {

        /** Creates a holder with its own copy of the owners. */
        public Holder {
            owners = List.copyOf(owners);
        }

        private static Holder of(Block block, DistinguishingCallers callers) {
            Optional<MemoryRequest> request = block.request();
            return new Holder(
                    request.flatMap(known -> known.details().label()),
                    request.flatMap(known -> known.details().owner()).stream().toList(),
                    request.map(known -> known.details().lifetime()),
                    request.flatMap(MemoryRequest::origin)
                            .flatMap(origin -> callers.callerOf(origin).or(origin::site)),
                    request.flatMap(MemoryRequest::context).map(RequestContext::name),
                    1,
                    block.size());
        }

        /** Returns the object of the runtime that keeps them, if it is only one. */
        public Optional<Owner> owner() {
            return owners.size() == 1 ? Optional.of(owners.get(0)) : Optional.empty();
        }

        /** Returns what buffers of one holder share. */
        private Object key() {
            List<String> sorts =
                    owners.stream().map(OwnerNames::withoutNumber).distinct().toList();
            return List.of(label, sorts, lifetime, line, test);
        }

        /** Returns the sum of holders that have the same key. */
        private static Holder sum(List<Holder> alike) {
            Holder first = alike.get(0);
            return new Holder(
                    first.label,
                    alike.stream()
                            .flatMap(one -> one.owners.stream())
                            .distinct()
                            .toList(),
                    first.lifetime,
                    first.line,
                    first.test,
                    alike.stream().mapToLong(Holder::buffers).sum(),
                    alike.stream().mapToLong(Holder::bytes).sum());
        }

        /** Returns a readable line: {@code 2 buffers, label "kv-cache", allocated at Decoder.grow(Decoder.java:88)}. */
        @Override
        public String toString() {
            StringBuilder text = new StringBuilder(Quantities.count(buffers, "buffer"));
            if (lifetime.isEmpty()) {
                return text.append(" that nobody reported").toString();
            }
            if (lifetime.get() != BufferLifetime.USER) {
                text.append(", ").append(lifetime.get());
            }
            label.ifPresent(known -> text.append(", label ").append(Quantities.quoted(known)));
            if (!owners.isEmpty()) {
                text.append(owners.size() == 1 ? ", owner " : ", owners ")
                        .append(PrintableText.line(String.join(", ", OwnerNames.of(owners))));
            }
            line.ifPresent(known -> text.append(", allocated at ").append(known));
            test.ifPresent(known -> text.append(", by ").append(PrintableText.line(known)));
            return text.toString();
        }
    }

    /**
     * The buffers of the code under test that would have to be freed.
     *
     * @param start the first address of the room that a bank then has
     * @param end the address after the last one
     * @param blocks what would have to be freed, by address
     * @param holders who holds the blocks, the most bytes first
     */
    public record Room(long start, long end, List<Block> blocks, List<Holder> holders) {

        /** Creates a room with its own copies of the lists. */
        public Room {
            blocks = List.copyOf(blocks);
            holders = List.copyOf(holders);
        }

        /** Returns the bytes of a bank that would have to be freed. */
        public long bytes() {
            return blocks.stream().mapToLong(Block::size).sum();
        }
    }

    /**
     * A region of a fixed size that is too small for its contents.
     *
     * @param scope where the bytes are counted, for readers: {@code in total over 12 banks}
     * @param why who needs how much, and how much there is, for readers
     * @param advice how to get more, a sentence without a point
     */
    public record Region(String scope, String why, String advice) {}

    private static final int SHOWN = 10;

    /** Creates a shortage with its own copy of the blocks, sorted. */
    public MemoryShortage {
        blocks = blocks.stream().sorted(Comparator.comparingLong(Block::start)).toList();
    }

    /**
     * Describes a request that may lie anywhere in a bank.
     *
     * @param needed the bytes of a bank that it needs
     * @param start the first address that it may have
     * @param end the address after the last one of the bank
     * @param blocks all allocated blocks of the bank, in any order
     */
    public static MemoryShortage anywhere(BufferType type, long needed, long start, long end, List<Block> blocks) {
        return new MemoryShortage(type, needed, start, end, blocks, "", Optional.empty());
    }

    /**
     * Describes a request that needs certain addresses.
     *
     * @param start the first of the addresses
     * @param end the address after the last one
     * @param blocks the allocated blocks of the bank, in any order; those elsewhere are excluded
     * @param user what needs the addresses, for readers: {@code the circular buffers of program 3 (add)}
     */
    public static MemoryShortage at(BufferType type, long start, long end, List<Block> blocks, String user) {
        List<Block> there = blocks.stream()
                .filter(block -> block.start() < end && start < block.end())
                .toList();
        return new MemoryShortage(type, end - start, start, end, there, user, Optional.empty());
    }

    /**
     * Describes a region of a fixed size that is too small for its contents.
     *
     * @param needed the bytes that it would have to have
     * @param size the bytes that it has
     * @param blocks the allocated blocks in a bank, in any order
     */
    public static MemoryShortage ofRegion(BufferType type, long needed, long size, List<Block> blocks, Region region) {
        return new MemoryShortage(type, needed, 0, size, blocks, "", Optional.of(region));
    }

    /** Returns why there is no room. */
    public Reason reason() {
        if (!hasAddresses() || needed > end - start) {
            return Reason.TOO_LARGE;
        }
        if (!user.isEmpty()) {
            return Reason.OCCUPIED;
        }
        return free() < needed ? Reason.FULL : Reason.FRAGMENTED;
    }

    /** Returns whether the blocks and the needed memory have addresses in a bank; a region has only a size. */
    public boolean hasAddresses() {
        return region.isEmpty();
    }

    /**
     * Returns the free bytes of a bank, or of the needed addresses; 0 for a region whose size is not that of a bank, like the
     * region of traces.
     */
    public long free() {
        return gaps().sum();
    }

    /** Returns the bytes of the largest free block of a bank, or of the needed addresses; 0 where {@link #free()} is. */
    public long largestFree() {
        return gaps().max().orElse(0);
    }

    /** Returns the sizes of the free blocks. Blocks of two allocators may overlap. */
    private LongStream gaps() {
        LongStream.Builder gaps = LongStream.builder();
        if (!hasAddresses()) {
            return gaps.build();
        }
        long from = start;
        for (Block block : blocks) {
            gaps.add(Math.max(0, Math.min(block.start(), end) - from));
            from = Math.max(from, block.end());
        }
        return gaps.add(Math.max(0, end - from)).build();
    }

    /** Returns who holds the memory, the most bytes first. */
    public List<Holder> holders() {
        return holdersOf(blocks);
    }

    /** Returns who holds each of the blocks. */
    public Map<Block, Holder> holdersByBlock() {
        DistinguishingCallers callers = DistinguishingCallers.of(
                blocks.stream().flatMap(block -> block.request().flatMap(MemoryRequest::origin).stream()));
        return blocks.stream()
                .collect(Collectors.toMap(block -> block, block -> Holder.of(block, callers), (one, same) -> one));
    }

    private List<Holder> holdersOf(List<Block> some) {
        Map<Block, Holder> byBlock = holdersByBlock();
        return some.stream()
                .map(block -> Objects.requireNonNull(byBlock.get(block)))
                .collect(Collectors.groupingBy(Holder::key, LinkedHashMap::new, Collectors.toList()))
                .values()
                .stream()
                .map(Holder::sum)
                .sorted(Comparator.comparingLong(Holder::bytes).reversed())
                .toList();
    }

    /**
     * Returns the smallest set of buffers whose frees make room for the request in one place; of several, the lowest.
     *
     * <p>It has only buffers that the code under test must free ({@link BufferLifetime#USER}) and that were reported. Empty if they
     * are not enough, or if the memory is too small.
     */
    public Optional<Room> room() {
        if (reason() == Reason.TOO_LARGE) {
            return Optional.empty();
        }
        long bestBytes = Long.MAX_VALUE;
        int bestFirst = 0;
        int bestLast = -1;
        long bytes = 0;
        int first = 0;
        for (int last = 0; last < blocks.size(); last++) {
            if (!blocks.get(last).isOfUser()) {
                first = last + 1;
                bytes = 0;
                continue;
            }
            bytes += blocks.get(last).size();
            while (first < last && endOfRoom(last) - startOfRoom(first + 1) >= needed) {
                bytes -= blocks.get(first).size();
                first++;
            }
            if (endOfRoom(last) - startOfRoom(first) >= needed && bytes < bestBytes) {
                bestBytes = bytes;
                bestFirst = first;
                bestLast = last;
            }
        }
        if (bestLast < 0) {
            return Optional.empty();
        }
        List<Block> inTheWay = blocks.subList(bestFirst, bestLast + 1);
        return Optional.of(new Room(startOfRoom(bestFirst), endOfRoom(bestLast), inTheWay, holdersOf(inTheWay)));
    }

    /** Returns where a room begins that has a block and those after it. */
    private long startOfRoom(int block) {
        return block == 0 ? start : Math.max(start, blocks.get(block - 1).end());
    }

    /** Returns where a room ends that has a block and those before it. */
    private long endOfRoom(int block) {
        return block == blocks.size() - 1 ? end : blocks.get(block + 1).start();
    }

    /** Returns the shortage in lines for an error message: the reason, the holders, and what would make room. */
    public List<String> lines() {
        List<String> lines = new ArrayList<>();
        lines.add(reasonText());
        List<Holder> holders = holders();
        if (!holders.isEmpty()) {
            lines.add(reason() == Reason.OCCUPIED ? "there, in each bank:" : "held in each bank:");
            int largest = lines.size();
            addLines(holders, lines);
            callerFor(holders.get(0)).ifPresent(caller -> lines.add(largest + 1, "    called at " + caller));
        }
        addAdvice(lines);
        return lines;
    }

    /** Returns what called the line that requested all buffers of a holder: a helper's line alone leads nowhere. */
    private Optional<StackTraceElement> callerFor(Holder holder) {
        Map<Block, Holder> byBlock = holdersByBlock();
        List<Optional<StackTraceElement>> callers = blocks.stream()
                .filter(block ->
                        Objects.requireNonNull(byBlock.get(block)).key().equals(holder.key()))
                .flatMap(block -> block.request().flatMap(MemoryRequest::origin).stream())
                .map(origin -> origin.frames().stream()
                        .skip(1)
                        .filter(frame -> !DistinguishingCallers.isOfJdk(frame))
                        .findFirst()
                        .filter(unused -> origin.site().equals(holder.line())))
                .distinct()
                .toList();
        return callers.size() == 1 ? callers.get(0) : Optional.empty();
    }

    private String reasonText() {
        return switch (reason()) {
            case TOO_LARGE ->
                "too small: "
                        + region.map(Region::why)
                                .orElseGet(() -> "each bank has to store " + Quantities.size(needed)
                                        + ", and the memory has " + Quantities.size(end - start));
            case FULL ->
                "full: each bank has to store " + Quantities.size(needed) + ", and has " + Quantities.size(free())
                        + " free";
            case FRAGMENTED ->
                "fragmented: each bank has to store " + Quantities.size(needed)
                        + " in one piece, and has " + Quantities.size(free()) + " free in pieces of at most "
                        + Quantities.size(largestFree());
            case OCCUPIED ->
                "occupied: " + user + " need " + Quantities.size(needed) + " from " + Quantities.address(start) + " to "
                        + Quantities.address(end);
        };
    }

    private void addAdvice(List<String> lines) {
        Optional<Room> room = room();
        if (region.isPresent()) {
            lines.add("to make room, " + region.get().advice());
        } else if (reason() == Reason.TOO_LARGE) {
            lines.add("no free makes room");
        } else if (room.isEmpty()) {
            lines.add("no frees of the code under test would make room in one place");
        } else {
            addRoom(room.get(), lines);
        }
    }

    private void addRoom(Room room, List<String> lines) {
        String bytes = "to make room, free " + Quantities.shortSize(room.bytes()) + " of each bank, ";
        if (room.blocks().size() == blocks.size()) {
            lines.add(bytes + "all that is listed");
        } else {
            lines.add(
                    bytes + "from " + Quantities.address(room.start()) + " to " + Quantities.address(room.end()) + ":");
            addLines(room.holders(), lines);
        }
        Set<Owner.Kind> kinds = room.holders().stream()
                .flatMap(holder -> holder.owners().stream())
                .map(Owner::kind)
                .collect(Collectors.toSet());
        if (kinds.contains(Owner.Kind.PROGRAM)) {
            lines.add("a program keeps its memory until its workload is closed, and a program in the cache until"
                    + " mesh.clearProgramCache()");
        }
        if (kinds.contains(Owner.Kind.TRACE)) {
            lines.add("a trace's memory is freed when it is released");
        }
    }

    private static void addLines(List<Holder> holders, List<String> lines) {
        holders.stream()
                .limit(SHOWN)
                .forEach(holder -> lines.add("  " + Quantities.shortSize(holder.bytes()) + "  " + holder));
        if (holders.size() > SHOWN) {
            List<Holder> rest = holders.subList(SHOWN, holders.size());
            lines.add("  "
                    + Quantities.shortSize(
                            rest.stream().mapToLong(Holder::bytes).sum()) + "  "
                    + Quantities.count(rest.stream().mapToLong(Holder::buffers).sum(), "buffer") + " of "
                    + Quantities.count(rest.size(), "other holder"));
        }
    }

    /** Returns the {@link #lines()}. */
    @Override
    public String toString() {
        return String.join("\n", lines());
    }
}
