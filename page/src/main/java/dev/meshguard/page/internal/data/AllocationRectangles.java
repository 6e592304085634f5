package dev.meshguard.page.internal.data;

import com.fasterxml.jackson.core.JsonGenerator;
import dev.meshguard.event.BufferType;
import dev.meshguard.event.MeshDescription.MemoryCapacity;
import dev.meshguard.event.Origin;
import dev.meshguard.history.AllocationHistory;
import dev.meshguard.history.BufferGeneration;
import dev.meshguard.page.internal.data.FindingParts.Membership;
import dev.meshguard.verdict.DeviceMemory;
import java.io.IOException;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Writes the data of the lifetime map: a rectangle for each generation, from allocation to free, over its addresses.
 *
 * <p>If there are too many to draw, survivors of every status come first, followed by the freed buffers with the most
 * bytes for the longest time.
 */
final class AllocationRectangles {

    static final int MAX_RECTANGLES = 100_000;

    private static final int FREED = 0;
    private static final long UNKNOWN = -1;

    /**
     * The common properties of corresponding buffers on different devices; addresses differ as soon as one device
     * differs.
     */
    private record Likeness(BufferType type, long size, Optional<String> label, boolean isLeft, int occurrence) {}

    private record OnDevice(int device, Likeness likeness) {}

    private final int devices;
    private final Map<BufferGeneration, Membership> members;
    private final long end;
    private final boolean hasFlatAddresses;
    private final List<BufferGeneration> all;
    private final List<BufferGeneration> shown;
    private final Map<BufferGeneration, Integer> indexes = new HashMap<>();
    private final Map<DeviceMemory, Integer> lanes = new TreeMap<>();
    private final Map<DeviceMemory, Long> tops = new TreeMap<>();

    /**
     * Selects the generations to draw.
     *
     * @param devices the number of devices
     */
    AllocationRectangles(AllocationHistory history, Map<BufferGeneration, Membership> members, int devices, long end) {
        this.devices = devices;
        this.members = members;
        this.end = end;
        this.hasFlatAddresses = history.hasFlatAddresses();
        this.all = history.generations();
        this.shown = chosen();
        for (BufferGeneration generation : shown) {
            indexes.put(generation, indexes.size());
            long top = generation.address() + generation.size();
            tops.merge(
                    new DeviceMemory(generation.device(), generation.type()),
                    top < 0 ? Long.MAX_VALUE : top,
                    Math::max);
        }
        for (DeviceMemory memory : tops.keySet()) {
            lanes.put(memory, lanes.size());
        }
    }

    private List<BufferGeneration> chosen() {
        return all.size() <= MAX_RECTANGLES
                ? all
                : all.stream()
                        .sorted(Comparator.comparingDouble(this::weight).reversed())
                        .limit(MAX_RECTANGLES)
                        .sorted(Comparator.comparingLong(BufferGeneration::allocatedAt))
                        .toList();
    }

    /** Returns the bytes times the events of a generation; freed generations are below zero, and so below all survivors. */
    private double weight(BufferGeneration generation) {
        double bytesTimesEvents =
                (double) generation.size() * (generation.freedAt().orElse(end) - generation.allocatedAt() + 1);
        return members.containsKey(generation) ? bytesTimesEvents : -1 / (1 + bytesTimesEvents);
    }

    /** Returns all generations. */
    List<BufferGeneration> all() {
        return all;
    }

    /** Returns the indexes of the rectangles of some buffers, as far as they are drawn. */
    long[] indexesOf(List<BufferGeneration> buffers) {
        return buffers.stream()
                .map(indexes::get)
                .filter(place -> place != null)
                .mapToLong(Integer::longValue)
                .toArray();
    }

    void write(JsonGenerator json, Texts texts, StackTree stacks, UsageWriter usage, TruncationInfo howMuch)
            throws IOException {
        JsonParts.objects("lanes", tops.entrySet(), json, lane -> {
            json.writeNumberField("device", MeshGrid.number(lane.getKey().device()));
            json.writeStringField("type", lane.getKey().type().name());
            json.writeNumberField("top", lane.getValue());
            Optional<MemoryCapacity> capacity = usage.capacityOf(lane.getKey());
            if (capacity.isPresent()) {
                write(capacity.get(), json);
            }
        });
        Set<BufferGeneration> unlike = unlikeMost();
        Columns columns = new Columns(
                "lane",
                "from",
                "to",
                "address",
                "size",
                "mark",
                "group",
                "reports",
                "label",
                "site",
                "kind",
                "unlikeMost",
                "perBank",
                "allocator",
                "stack");
        for (BufferGeneration generation : shown) {
            Membership member = members.get(generation);
            columns.row(
                    lane(generation),
                    generation.allocatedAt(),
                    generation.freedAt().orElse(-1),
                    generation.address(),
                    generation.size(),
                    mark(member),
                    member == null ? FindingParts.NONE : member.group(),
                    generation.reports().size(),
                    texts.index(generation.label()),
                    texts.index(generation.origin().flatMap(Origin::site).map(Object::toString)),
                    texts.index(generation.kind().name()),
                    unlike.contains(generation) ? 1 : 0,
                    bytesPerBank(generation),
                    texts.index(allocator(generation)),
                    stacks.index(generation));
        }
        columns.write("rectangles", json);
        howMuch.add("rectangles", shown.size(), all.size());
    }

    private static void write(MemoryCapacity capacity, JsonGenerator json) throws IOException {
        json.writeObjectFieldStart("capacity");
        json.writeNumberField("banks", capacity.banks());
        json.writeNumberField("bytesPerBank", capacity.bytesPerBank());
        JsonParts.optional("base", capacity.base(), json);
        json.writeEndObject();
    }

    /** Returns the bytes that a buffer occupies in each bank, or {@link #UNKNOWN}; a plain size does not determine it. */
    private long bytesPerBank(BufferGeneration generation) {
        long most = UNKNOWN;
        for (BufferGeneration.Report report : generation.reports()) {
            OptionalLong extent = report.request().details().extent();
            if (extent.isEmpty()) {
                return hasFlatAddresses ? generation.size() : UNKNOWN;
            }
            most = Math.max(most, extent.getAsLong());
        }
        return most;
    }

    /** Names the allocator, if a report does: two allocators may reserve the same address. */
    private static Optional<String> allocator(BufferGeneration generation) {
        String ofMesh =
                generation.mesh().isPresent() ? "mesh " + generation.mesh().getAsInt() : "a mesh";
        return generation.allocator().map(id -> switch (id.kind()) {
            case MESH -> ofMesh;
            case DEVICE -> "the device";
            case SUB_DEVICE -> "sub-device " + id.subDevice() + " of manager " + id.manager() + " of " + ofMesh;
        });
    }

    private int lane(BufferGeneration generation) {
        return lanes.getOrDefault(new DeviceMemory(generation.device(), generation.type()), 0);
    }

    private static int mark(@Nullable Membership member) {
        if (member == null) {
            return FREED;
        }
        return switch (member.status()) {
            case LEAKED -> 1;
            case MISREPORTED -> 2;
            case EXPECTED -> 3;
            case UNDECIDED -> 4;
            case FREED_LATE -> 5;
        };
    }

    /**
     * Returns the unusual generations: at least half of the devices have no corresponding one.
     *
     * <p>The first of a kind on one device corresponds to the first of that kind on another, and so on.
     */
    private Set<BufferGeneration> unlikeMost() {
        Set<BufferGeneration> unlike = new HashSet<>();
        if (devices < 2) {
            return unlike;
        }
        Map<OnDevice, Integer> met = new HashMap<>();
        Map<Likeness, Integer> counts = new HashMap<>();
        Likeness[] likenesses = new Likeness[all.size()];
        for (int i = 0; i < likenesses.length; i++) {
            BufferGeneration generation = all.get(i);
            int occurrence = met.merge(new OnDevice(generation.device(), likeness(generation, 0)), 1, Integer::sum);
            likenesses[i] = likeness(generation, occurrence);
            counts.merge(likenesses[i], 1, Integer::sum);
        }
        for (int i = 0; i < likenesses.length; i++) {
            if (counts.getOrDefault(likenesses[i], 0) * 2 <= devices) {
                unlike.add(all.get(i));
            }
        }
        return unlike;
    }

    private static Likeness likeness(BufferGeneration generation, int occurrence) {
        return new Likeness(generation.type(), generation.size(), generation.label(), generation.isLive(), occurrence);
    }
}
