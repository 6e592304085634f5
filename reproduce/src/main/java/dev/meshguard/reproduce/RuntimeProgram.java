package dev.meshguard.reproduce;

import dev.meshguard.event.BufferKind;
import dev.meshguard.event.BufferLifetime;
import dev.meshguard.event.BufferType;
import dev.meshguard.history.AllocationHistory;
import dev.meshguard.history.BufferGeneration;
import dev.meshguard.reproduce.minimize.FailureSignature;
import dev.meshguard.verdict.Cause;
import dev.meshguard.verdict.Outcome;
import dev.meshguard.verdict.SurvivorStatus;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * A program on a mesh without hardware that allocates the buffers of a history and leaves the same ones.
 *
 * <p>It exists if code keeps, loses or forgets a buffer. A correct runtime cannot reproduce wrong reports, and buffers
 * cannot reproduce the effects of a cache or a process.
 */
final class RuntimeProgram {

    private static final String MESH = "dev.meshguard.mesh.";
    private static final int MAX_REQUESTS = 4;
    private static final int MAX_DEVICES = 32;
    private static final long MAX_BYTES = 1L << 20;
    private static final long REGION = 1L << 15;

    /** The buffers of one call: of one size on one device or on all. */
    private record Taking(BufferType type, long size, Optional<String> label, List<BufferGeneration> buffers) {}

    private final Cause cause;
    private final List<Integer> devices;
    private final List<Taking> takings;

    private RuntimeProgram(Cause cause, List<Integer> devices, List<Taking> takings) {
        this.cause = cause;
        this.devices = devices;
        this.takings = takings;
    }

    /** Returns the program, if there is one that fails in the same way. */
    static Optional<RuntimeProgram> of(AllocationHistory history, FailureSignature finding) {
        boolean isOneLeak = finding.outcome() == Outcome.LEAKED
                && finding.anomalies().isEmpty()
                && finding.survivorKinds().size() == 1
                && finding.survivorKinds().iterator().next().status() == SurvivorStatus.LEAKED;
        if (!isOneLeak) {
            return Optional.empty();
        }
        Cause cause = finding.survivorKinds().iterator().next().cause();
        Set<Integer> devices = new TreeSet<>(history.devices());
        List<Taking> takings = takings(history);
        boolean isPlain = history.generations().stream().allMatch(RuntimeProgram::isPlain)
                && takings.size() <= MAX_REQUESTS
                && !takings.isEmpty()
                && devices.size() <= MAX_DEVICES;
        RuntimeProgram program = new RuntimeProgram(cause, List.copyOf(devices), takings);
        return isPlain && program.isReportable() ? Optional.of(program) : Optional.empty();
    }

    private static List<Taking> takings(AllocationHistory history) {
        IdentityHashMap<Object, Taking> byRequest = new IdentityHashMap<>();
        List<Taking> takings = new ArrayList<>();
        for (BufferGeneration buffer : history.generations()) {
            Object key = buffer.request().isAnonymous() ? buffer : buffer.request();
            Taking taking = byRequest.computeIfAbsent(key, unused -> {
                Taking first = new Taking(buffer.type(), buffer.size(), buffer.label(), new ArrayList<>());
                takings.add(first);
                return first;
            });
            taking.buffers().add(buffer);
        }
        return takings;
    }

    /** Small buffers of L1 must be sharded, and reports do not contain the sharding. */
    private static boolean isPlain(BufferGeneration buffer) {
        return buffer.reports().size() == 1
                && buffer.kind() == BufferKind.BUFFER
                && buffer.lifetime() == BufferLifetime.USER
                && buffer.type() != BufferType.SYSTEM_MEMORY
                && buffer.type() != BufferType.L1_SMALL
                && buffer.size() > 0
                && buffer.size()
                        <= (buffer.type() == BufferType.DRAM || buffer.type() == BufferType.L1
                                ? MAX_BYTES
                                : REGION / 2);
    }

    private boolean isReportable() {
        return switch (cause) {
            case HELD, LOST ->
                takings.stream().allMatch(taking -> taking.buffers().stream().allMatch(BufferGeneration::isLive));
            case FREED_ON_OTHER_DEVICES -> isRow();
            default -> false;
        };
    }

    /** Returns whether each device has one buffer, all alike and each with a request of its own. */
    private boolean isRow() {
        Set<Integer> seen = new TreeSet<>();
        Taking first = takings.get(0);
        return takings.stream()
                        .allMatch(taking -> taking.buffers().size() == 1
                                && seen.add(taking.buffers().get(0).device())
                                && taking.type() == first.type()
                                && taking.size() == first.size()
                                && taking.label().equals(first.label()))
                && seen.size() > 1;
    }

    /** Returns the annotations of the test class. */
    List<String> annotations(JavaSource source) {
        StringBuilder mesh = new StringBuilder("@")
                .append(source.use("dev.meshguard.junit.mesh.FakeMesh"))
                .append("(rows = 1, columns = ")
                .append(devices.size());
        if (takes(BufferType.TRACE)) {
            mesh.append(", traceRegionSize = ").append(REGION);
        }
        return List.of(
                "@" + source.use("dev.meshguard.junit.TrackAllocations"),
                mesh.append(')').toString());
    }

    private boolean takes(BufferType type) {
        return takings.stream().anyMatch(taking -> taking.type() == type);
    }

    /** Returns the mapping of devices, unless it is the identity. */
    Optional<String> cast() {
        List<String> others = new ArrayList<>();
        for (int i = 0; i < devices.size(); i++) {
            if (devices.get(i) != i) {
                others.add(String.format(Locale.ROOT, "device %d there is device %d here", devices.get(i), i));
            }
        }
        return others.isEmpty() ? Optional.empty() : Optional.of(JavaNames.upperFirst(String.join(", ", others)) + ".");
    }

    /** Writes the fields that the program needs. */
    void fields(JavaSource source) {
        if (cause == Cause.HELD) {
            source.line(String.format(
                    Locale.ROOT,
                    "private final %s<Object> cache = new %s<>();",
                    source.use(List.class),
                    source.use(ArrayList.class)));
            source.blank();
        }
    }

    String parameters(JavaSource source) {
        return source.use(MESH + "MeshDevice") + " mesh";
    }

    /** Writes the program. */
    void write(JavaSource source) {
        if (cause == Cause.FREED_ON_OTHER_DEVICES) {
            row(source);
            return;
        }
        for (Taking taking : takings) {
            String call = taking.buffers().size() == devices.size() && devices.size() > 1
                    ? "mesh.allocate(" + source.use(MESH + "buffer.MeshBufferConfig") + ".replicated("
                            + config(taking, source) + "))"
                    : null;
            if (call != null) {
                allocated(call, source);
            } else {
                for (BufferGeneration buffer : taking.buffers()) {
                    allocated(
                            String.format(
                                    Locale.ROOT,
                                    "mesh.allocateOn(%d, %s)",
                                    devices.indexOf(buffer.device()),
                                    config(taking, source)),
                            source);
                }
            }
        }
    }

    private void allocated(String call, JavaSource source) {
        if (cause == Cause.HELD) {
            source.line("cache.add(" + call + ");");
        } else {
            source.line(call + "; // no reference to the handle");
        }
    }

    private void row(JavaSource source) {
        Taking first = takings.get(0);
        List<Integer> left = takings.stream()
                .map(taking -> taking.buffers().get(0))
                .filter(BufferGeneration::isLive)
                .map(buffer -> devices.indexOf(buffer.device()))
                .sorted()
                .toList();
        source.open("for (int device : mesh.deviceIds())");
        source.line(source.use(MESH + "Buffer") + " buffer = mesh.allocateOn(device, " + config(first, source) + ");");
        source.open(
                "if (" + left.stream().map(device -> "device != " + device).collect(Collectors.joining(" && ")) + ")");
        source.line("buffer.deallocate();");
        source.close();
        source.close();
    }

    private static String config(Taking taking, JavaSource source) {
        return String.format(
                Locale.ROOT,
                "%s.of(%s, %d, %d)%s",
                source.use(MESH + "buffer.BufferConfig"),
                source.use(taking.type()),
                taking.size(),
                taking.size(),
                taking.label()
                        .map(label -> ".named(" + JavaNames.literal(label) + ")")
                        .orElse(""));
    }
}
