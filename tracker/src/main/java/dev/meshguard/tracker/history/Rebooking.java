package dev.meshguard.tracker.history;

import dev.meshguard.tracker.AllocationRequest;
import dev.meshguard.tracker.internal.DeviceBooks;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Keeps the books of a part of a history anew, because the tracker's own are those of the whole. */
final class Rebooking {

    private static final DeviceBooks.StackKeeper NONE = new DeviceBooks.StackKeeper() {
        @Override
        public void entered(AllocationRequest request) {}

        @Override
        public void removed(AllocationRequest request) {}
    };

    private Rebooking() {}

    static List<DeviceBooks.Recording> of(List<HistoryEvent> events) {
        Map<Integer, DeviceBooks> devices = new TreeMap<>();
        for (HistoryEvent event : events) {
            if (event instanceof HistoryEvent.Allocated report) {
                booksOf(devices, report.device())
                        .allocated(
                                event.number(),
                                orNull(report.request()),
                                report.type(),
                                report.address(),
                                report.size(),
                                report.ownership());
            } else if (event instanceof HistoryEvent.Freed report) {
                booksOf(devices, report.device())
                        .freed(
                                event.number(),
                                orNull(report.request()),
                                report.type(),
                                report.address(),
                                report.ownership());
            } else if (event instanceof HistoryEvent.FreeIgnored report) {
                booksOf(devices, report.device())
                        .freeIgnored(
                                event.number(), report.request(), report.type(), report.address(), report.reason());
            }
        }
        List<DeviceBooks.Recording> recordings = new ArrayList<>();
        devices.values().forEach(books -> recordings.add(books.recording()));
        return recordings;
    }

    private static DeviceBooks booksOf(Map<Integer, DeviceBooks> devices, int device) {
        return devices.computeIfAbsent(device, id -> new DeviceBooks(id, true, NONE));
    }

    private static @Nullable AllocationRequest orNull(AllocationRequest request) {
        return request.isAnonymous() ? null : request;
    }
}
