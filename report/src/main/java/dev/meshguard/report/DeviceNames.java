package dev.meshguard.report;

import java.util.List;
import java.util.StringJoiner;

/** Formats the names of several devices. */
final class DeviceNames {

    private DeviceNames() {}

    /** Returns {@code device 3}, {@code devices 0-7} or {@code devices 0, 2-4}, of ascending numbers. */
    static String of(List<Integer> devices) {
        StringJoiner text = new StringJoiner(", ", devices.size() == 1 ? "device " : "devices ", "");
        int first = 0;
        for (int i = 0; i < devices.size(); i++) {
            boolean goesOn = i + 1 < devices.size() && devices.get(i + 1) == devices.get(i) + 1;
            if (!goesOn) {
                text.add(devices.get(first) + (i == first ? "" : "-" + devices.get(i)));
                first = i + 1;
            }
        }
        return text.toString();
    }
}
