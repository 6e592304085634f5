package dev.meshguard.tracker.history;

import dev.meshguard.tracker.internal.DeviceBooks;
import dev.meshguard.tracker.internal.Marker;
import dev.meshguard.tracker.internal.Merge;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;

/** What a history is made of: the events, and the sums that were kept beside them. */
sealed interface Contents {

    /** Returns the events, numbered; may take its time. */
    List<HistoryEvent> events();

    /** Returns what was kept of each device, ascending. */
    List<DeviceSums> sums();

    boolean hasFlatAddresses();

    boolean isComplete();

    /**
     * What a tracker holds at one moment, not yet in order.
     *
     * @param markers the events of no device
     * @param recordings the events and sums of each device
     */
    record Recorded(List<Marker> markers, List<DeviceBooks.Recording> recordings, boolean hasFlatAddresses)
            implements Contents {

        public Recorded {
            markers = List.copyOf(markers);
            recordings = List.copyOf(recordings);
        }

        @Override
        public List<HistoryEvent> events() {
            return Collections.unmodifiableList(Merge.numbered(markers, recordings));
        }

        @Override
        public List<DeviceSums> sums() {
            if (recordings.isEmpty()) {
                return List.of();
            }
            return recordings.stream()
                    .map(DeviceSums::of)
                    .sorted(Comparator.comparingInt(DeviceSums::device))
                    .toList();
        }

        @Override
        public boolean isComplete() {
            for (DeviceBooks.Recording recording : recordings) {
                if (recording.journal() == null) {
                    return false;
                }
            }
            return true;
        }
    }

    /** What was written down. */
    record Restored(List<HistoryEvent> events, List<DeviceSums> sums, boolean hasFlatAddresses, boolean isComplete)
            implements Contents {

        public Restored {
            events = List.copyOf(events);
            sums = List.copyOf(sums);
        }
    }
}
