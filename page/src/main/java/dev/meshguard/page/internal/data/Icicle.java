package dev.meshguard.page.internal.data;

import com.fasterxml.jackson.core.JsonGenerator;
import dev.meshguard.history.BufferGeneration;
import dev.meshguard.page.internal.data.FindingParts.Membership;
import dev.meshguard.text.Quantities;
import dev.meshguard.verdict.SurvivorStatus;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToLongFunction;

/**
 * Writes the call stacks of allocations as three trees: by leaked bytes, by bytes at the peak, and by number of allocations.
 *
 * <p>Equal outer frames are merged, with the outermost on top.
 */
final class Icicle {

    /** Smaller parts are no more than a line on a screen. */
    private static final double MIN_PART = 0.002;

    private static final String ALL = "all";

    private static final class Node {
        private final Map<String, Node> children = new LinkedHashMap<>();
        private long value;

        private Node child(String name) {
            return children.computeIfAbsent(name, unused -> new Node());
        }
    }

    private final AllocationRectangles rectangles;
    private final Map<BufferGeneration, Membership> members;
    private final StackTree stacks;
    private final long peakEvent;

    Icicle(
            AllocationRectangles rectangles,
            Map<BufferGeneration, Membership> members,
            StackTree stacks,
            long peakEvent) {
        this.rectangles = rectangles;
        this.members = members;
        this.stacks = stacks;
        this.peakEvent = peakEvent;
    }

    void write(JsonGenerator json) throws IOException {
        json.writeObjectFieldStart("icicle");
        write("leaked", json, generation -> isLeaked(generation) ? generation.size() : 0);
        write("peak", json, generation -> isLiveAtPeak(generation) ? generation.size() : 0);
        write("count", json, generation -> 1);
        json.writeEndObject();
    }

    private boolean isLeaked(BufferGeneration generation) {
        Membership member = members.get(generation);
        return member != null && member.status() == SurvivorStatus.LEAKED;
    }

    private boolean isLiveAtPeak(BufferGeneration generation) {
        return generation.allocatedAt() <= peakEvent && generation.freedAt().orElse(Long.MAX_VALUE) > peakEvent;
    }

    private void write(String field, JsonGenerator json, ToLongFunction<BufferGeneration> value) throws IOException {
        // Most buffers come from few call sites, and only those stacks must be merged.
        Map<List<String>, long[]> sums = new HashMap<>();
        for (BufferGeneration generation : rectangles.all()) {
            long amount = value.applyAsLong(generation);
            if (amount > 0) {
                sums.computeIfAbsent(stacks.path(generation), unused -> new long[1])[0] += amount;
            }
        }
        Node root = new Node();
        sums.forEach((path, sum) -> {
            root.value += sum[0];
            Node node = root;
            for (String name : path) {
                node = node.child(name);
                node.value += sum[0];
            }
        });
        json.writeFieldName(field);
        write(ALL, root, (long) Math.ceil(root.value * MIN_PART), json);
    }

    private static void write(String name, Node node, long least, JsonGenerator json) throws IOException {
        json.writeStartObject();
        json.writeStringField("name", name);
        json.writeNumberField("value", node.value);
        json.writeArrayFieldStart("children");
        Node others = new Node();
        long count = 0;
        List<Map.Entry<String, Node>> children = new ArrayList<>(node.children.entrySet());
        children.sort(Comparator.comparingLong((Map.Entry<String, Node> child) -> child.getValue().value)
                .reversed()
                .thenComparing(Map.Entry::getKey));
        for (Map.Entry<String, Node> child : children) {
            if (child.getValue().value >= least) {
                write(child.getKey(), child.getValue(), least, json);
            } else {
                others.value += child.getValue().value;
                count++;
            }
        }
        if (count > 0) {
            write("… " + Quantities.count(count, "other"), others, least, json);
        }
        json.writeEndArray();
        json.writeEndObject();
    }
}
