package dev.meshguard.page.internal.data;

import com.fasterxml.jackson.core.JsonGenerator;
import dev.meshguard.event.HistoryEvent;
import dev.meshguard.event.MeshDescription;
import dev.meshguard.history.AllocationHistory;
import dev.meshguard.history.BufferGeneration;
import dev.meshguard.text.Quantities;
import dev.meshguard.verdict.LeakVerdict;
import dev.meshguard.verdict.Survivor;
import dev.meshguard.verdict.SurvivorStatus;
import java.io.IOException;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Writes the devices of a run in the shape of their mesh, each with its worst status and its leaks; devices of several meshes are one row.
 */
final class MeshGrid {

    /** The format of mesh names in sources: {@code 2x4 mesh (Wormhole B0)}. */
    private static final Pattern SHAPE = Pattern.compile("(\\d{1,4})x(\\d{1,4}) mesh\\b.*", Pattern.DOTALL);

    /** The survivors of one device. */
    private static final class DeviceSurvivors {
        private final Set<SurvivorStatus> statuses = EnumSet.noneOf(SurvivorStatus.class);
        private long leakedBuffers;
        private long leakedBytes;
    }

    private final List<Integer> devices;
    private final int columns;
    private final TreeMap<Integer, DeviceSurvivors> survivors = new TreeMap<>();

    MeshGrid(LeakVerdict verdict) {
        AllocationHistory history = verdict.history();
        Optional<MeshDescription> only = onlyMesh(history);
        TreeSet<Integer> all = new TreeSet<>(history.devices());
        history.meshes().forEach(mesh -> all.addAll(mesh.devices()));
        all.remove(HistoryEvent.NO_DEVICE);
        boolean isAll = only.isPresent() && new TreeSet<>(only.get().devices()).equals(all);
        this.devices = isAll ? only.get().devices() : new ArrayList<>(all);
        this.columns = isAll ? columnsOf(only.get()) : Math.max(1, devices.size());
        for (Survivor survivor : verdict.survivors()) {
            BufferGeneration buffer = survivor.buffer();
            if (!buffer.hasDevice()) {
                continue;
            }
            DeviceSurvivors onDevice = survivors.computeIfAbsent(buffer.device(), unused -> new DeviceSurvivors());
            onDevice.statuses.add(survivor.status());
            if (survivor.status() == SurvivorStatus.LEAKED) {
                onDevice.leakedBuffers++;
                onDevice.leakedBytes = Quantities.saturatedSum(onDevice.leakedBytes, buffer.size());
            }
        }
    }

    /** If there are meshes of several shapes, or over other devices, no grid fits the run. */
    private static Optional<MeshDescription> onlyMesh(AllocationHistory history) {
        List<MeshDescription> roots = history.meshes().stream()
                .filter(mesh -> mesh.parent().isEmpty())
                .toList();
        boolean areAlike = roots.stream()
                .allMatch(mesh -> mesh.devices().equals(roots.get(0).devices())
                        && mesh.name().equals(roots.get(0).name()));
        return roots.isEmpty() || !areAlike ? Optional.empty() : Optional.of(roots.get(0));
    }

    private static int columnsOf(MeshDescription mesh) {
        int size = Math.max(1, mesh.devices().size());
        Matcher shape = SHAPE.matcher(mesh.name().toLowerCase(Locale.ROOT));
        if (shape.matches()) {
            int rows = Integer.parseInt(shape.group(1));
            int columns = Integer.parseInt(shape.group(2));
            return rows > 0 && rows * columns == size ? columns : size;
        }
        return size;
    }

    /** Returns the number of a device in the data of a page: less than 0 for memory that belongs to none. */
    static int number(int device) {
        return device == HistoryEvent.NO_DEVICE ? -1 : device;
    }

    int size() {
        return devices.size();
    }

    void write(JsonGenerator json) throws IOException {
        json.writeObjectFieldStart("mesh");
        json.writeNumberField("rows", (devices.size() + columns - 1) / columns);
        json.writeNumberField("columns", columns);
        json.writeArrayFieldStart("devices");
        for (int place = 0; place < devices.size(); place++) {
            DeviceSurvivors onDevice = survivors.getOrDefault(devices.get(place), new DeviceSurvivors());
            json.writeStartObject();
            json.writeNumberField("id", devices.get(place));
            json.writeNumberField("row", place / columns);
            json.writeNumberField("column", place % columns);
            json.writeStringField("mark", mark(onDevice));
            json.writeNumberField("leakedBuffers", onDevice.leakedBuffers);
            json.writeNumberField("leakedBytes", onDevice.leakedBytes);
            json.writeEndObject();
        }
        json.writeEndArray();
        json.writeEndObject();
    }

    /** The worst status comes first. */
    private static String mark(DeviceSurvivors onDevice) {
        return onDevice.statuses.stream()
                .findFirst()
                .map(status -> status == SurvivorStatus.FREED_LATE ? "late" : status.description())
                .orElse("clean");
    }
}
