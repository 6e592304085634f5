package dev.meshguard.server;

import dev.meshguard.server.protocol.DeviceInfo;
import dev.meshguard.server.protocol.RecordSize;
import dev.meshguard.tracker.AllocationTracker;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;

/** The options of a server; {@link AllocationServer.Builder} describes them. */
record ServerOptions(
        Path socket,
        Optional<RecordSize> recordSize,
        AllocationTracker tracker,
        Optional<LogTarget> log,
        boolean hasHexadecimalIds,
        List<DeviceInfo> devices,
        Set<PosixFilePermission> permissions,
        Duration processCheck,
        Duration statistics,
        InstantSource clock,
        ProcessInspector probe,
        ServerLimits limits,
        Consumer<String> onProblem) {

    /** The number of the old server, regardless of the installed devices. */
    private static final int MIN_DEVICES = 8;

    ServerOptions {
        devices = List.copyOf(devices);
        permissions = Set.copyOf(permissions);
    }

    /** Returns the first device id that is out of range. */
    int deviceLimit() {
        return devices.stream().mapToInt(DeviceInfo::device).reduce(MIN_DEVICES - 1, Math::max) + 1;
    }
}
