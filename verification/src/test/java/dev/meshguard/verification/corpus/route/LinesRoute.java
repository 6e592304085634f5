package dev.meshguard.verification.corpus.route;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.meshguard.event.AllocationDetails;
import dev.meshguard.event.AllocatorId;
import dev.meshguard.event.BufferKind;
import dev.meshguard.event.BufferLifetime;
import dev.meshguard.event.BufferType;
import dev.meshguard.event.HistoryEvent;
import dev.meshguard.event.MemoryRequest;
import dev.meshguard.event.MeshDescription;
import dev.meshguard.event.Origin;
import dev.meshguard.event.Owner;
import dev.meshguard.event.Phase;
import dev.meshguard.event.WitnessSnapshot;
import dev.meshguard.event.WitnessSnapshot.AddressState;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * The events of a history as lines of JSON, in a connection for each process that reported.
 *
 * <p>Lines cannot carry handles and their collection, traces, rounds, keys of caches, and the sizes of memories. Reports that
 * are missing in the history are missing in the numbers of the lines.
 */
public final class LinesRoute extends SocketRoute {

    private static final ObjectMapper JSON = new ObjectMapper();

    /** An owner as a line defines it. */
    private record OwnerDefinition(Owner owner, BufferLifetime lifetime) {}

    /** The reports and definitions that one connection has sent. */
    private static final class Sent {
        private long reports;
        private final Map<Origin, Integer> stacks = new HashMap<>();
        private final Map<OwnerDefinition, Integer> owners = new HashMap<>();
        private final Deque<Phase> phases = new ArrayDeque<>(List.of(Phase.START));
    }

    private final Map<Long, Sent> connections = new TreeMap<>();
    private final IdentityHashMap<MemoryRequest, Integer> requests = new IdentityHashMap<>();

    @Override
    void send(HistoryEvent event) {
        if (event instanceof HistoryEvent.Allocated one) {
            report(memory("alloc", one), "size", one.size(), "ownership", one.ownership());
        } else if (event instanceof HistoryEvent.Freed one) {
            report(memory("free", one), "ownership", one.ownership());
        } else if (event instanceof HistoryEvent.FreeIgnored one) {
            report(memory("free", one), "result", one.reason());
        } else if (event instanceof HistoryEvent.Witnessed one) {
            state(one.snapshot());
        } else if (event instanceof HistoryEvent.PhaseBegan one) {
            phase(one.phase());
        } else if (event instanceof HistoryEvent.OwnerCached one) {
            int owner = ownerId(new OwnerDefinition(one.owner(), BufferLifetime.USER));
            report(line("owner_cached"), "owner", owner, "cache", one.cache());
        } else if (event instanceof HistoryEvent.OwnerEnded one) {
            report(line("owner_ended"), "owner", ownerId(new OwnerDefinition(one.owner(), BufferLifetime.USER)));
        } else if (event instanceof HistoryEvent.ReportsLost one) {
            sent().reports += Math.max(1, one.count());
        } else if (event instanceof HistoryEvent.TrackingStopped) {
            sent().reports++;
        } else if (event instanceof HistoryEvent.MeshOpened one) {
            opened(one.mesh());
        } else if (event instanceof HistoryEvent.MeshClosing one) {
            report(mesh("mesh_close_begun", one.mesh()));
        } else if (event instanceof HistoryEvent.MeshClosed one) {
            report(mesh("mesh_closed", one.mesh()));
        }
    }

    private void opened(MeshDescription mesh) {
        Map<String, Object> line = mesh("mesh_opened", mesh.id());
        mesh.parent().ifPresent(parent -> line.put("parent", meshId(parent)));
        report(line, "name", mesh.name(), "devices", mesh.devices(), "busiestDevice", mesh.busiestDevice());
    }

    @Override
    void end(boolean isInOrder) {
        Map<String, Object> line = line(isInOrder ? "bye" : "idle");
        line.put("n", sent().reports);
        write(line);
        connections.remove(process());
    }

    private Sent sent() {
        return connections.computeIfAbsent(process(), process -> {
            Map<String, Object> hello = line("hello");
            hello.put("version", 1);
            hello.put("pid", process);
            write(hello);
            return new Sent();
        });
    }

    private static Map<String, Object> line(String operation) {
        Map<String, Object> line = new LinkedHashMap<>();
        line.put("op", operation);
        return line;
    }

    private static Map<String, Object> mesh(String operation, int mesh) {
        Map<String, Object> line = line(operation);
        line.put("mesh", meshId(mesh));
        return line;
    }

    /** The ids of lines begin at 1. */
    private static int meshId(int mesh) {
        return mesh + 1;
    }

    private Map<String, Object> memory(String operation, HistoryEvent.OfMemory report) {
        MemoryRequest request = report.request();
        AllocationDetails details = request.details();
        Map<String, Object> line = line(details.kind() == BufferKind.CIRCULAR_BUFFER ? "cb_" + operation : operation);
        line.put("request", requests.computeIfAbsent(request, first -> requests.size() + 1));
        line.put("device", report.device());
        line.put("type", report.type());
        line.put("address", "0x" + Long.toHexString(report.address()));
        request.origin().ifPresent(origin -> line.put("stack", stackId(origin)));
        details.owner().ifPresent(owner -> line.put("owner", ownerId(new OwnerDefinition(owner, details.lifetime()))));
        details.mesh().ifPresent(mesh -> line.put("mesh", meshId(mesh)));
        details.label().ifPresent(label -> line.put("label", label));
        details.extent().ifPresent(extent -> line.put("bytesPerBank", extent));
        if (details.view()) {
            line.put("view", true);
        }
        putAllocator(details.allocator(), line);
        return line;
    }

    private static void putAllocator(Optional<AllocatorId> allocator, Map<String, Object> line) {
        allocator.ifPresent(one -> {
            line.put("allocator", one.kind());
            if (one.kind() == AllocatorId.Kind.SUB_DEVICE) {
                line.put("manager", one.manager());
                line.put("subDevice", one.subDevice());
            }
        });
    }

    private int stackId(Origin origin) {
        List<String> frames = origin.frames().stream()
                .map(frame -> frame.getMethodName() + " (" + frame.getFileName() + ":" + frame.getLineNumber() + ")")
                .toList();
        return idOf("stack", sent().stacks, origin, Map.of("frames", frames));
    }

    private int ownerId(OwnerDefinition definition) {
        Owner owner = definition.owner();
        return idOf(
                "owner",
                sent().owners,
                definition,
                Map.of("kind", owner.kind(), "name", owner.name(), "lifetime", definition.lifetime()));
    }

    /** Returns the id of a value; the first time, a line defines it. */
    private <D> int idOf(String operation, Map<D, Integer> ids, D value, Map<String, Object> fields) {
        Integer known = ids.get(value);
        if (known != null) {
            return known;
        }
        int id = ids.size() + 1;
        ids.put(value, id);
        Map<String, Object> line = line(operation);
        line.put("id", id);
        line.putAll(fields);
        write(line);
        return id;
    }

    /** An event says which phase holds from now on; lines say which begins, and that one ends. */
    private void phase(Phase phase) {
        Deque<Phase> phases = sent().phases;
        if (phase.equals(phases.peek())) {
            return;
        }
        Map<String, Object> line = line("phase");
        Iterator<Phase> outer = phases.iterator();
        outer.next();
        if (outer.hasNext() && outer.next().equals(phase)) {
            phases.pop();
        } else {
            phases.push(phase);
            line.put("name", phase.name());
        }
        report(line);
    }

    private void state(WitnessSnapshot snapshot) {
        Map<String, Object> last = null;
        for (int device : snapshot.devices()) {
            for (BufferType type : BufferType.values()) {
                if (snapshot.stateOf(device, type, 0) != AddressState.UNKNOWN) {
                    if (last != null) {
                        last.put("complete", false);
                        report(last);
                    }
                    last = mesh("state", snapshot.mesh());
                    last.put("device", device);
                    last.put("type", type);
                    last.put("moment", snapshot.moment());
                    last.put("addresses", snapshot.allocatedAddresses(device, type));
                    putAllocator(snapshot.allocator(), last);
                }
            }
        }
        if (last != null) {
            report(last);
        }
    }

    /** Sends a line with more keys, each followed by its value. */
    private void report(Map<String, Object> line, Object... more) {
        for (int key = 0; key < more.length; key += 2) {
            line.put((String) more[key], more[key + 1]);
        }
        Sent sent = sent();
        sent.reports++;
        line.put("n", sent.reports);
        write(line);
    }

    private void write(Map<String, Object> line) {
        try {
            write((JSON.writeValueAsString(line) + "\n").getBytes(StandardCharsets.UTF_8));
        } catch (JsonProcessingException e) {
            throw new UncheckedIOException(e);
        }
    }
}
