package dev.meshguard.verification.corpus.faults;

import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Random;
import java.util.function.IntFunction;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * A fault of the reports of a runtime about buffers. Its text is the call that creates it.
 *
 * <p>One report is about one buffer on one device, so a mesh buffer over eight devices makes eight. Only these are lost, doubled or
 * moved, and not phases, opening and closing of meshes and devices, owners, witness snapshots, and ignored frees.
 */
public sealed interface ReportFault {

    /** The kind of reports to which a fault applies, circular buffers included. */
    enum Kind {
        ALLOCATION,
        FREE
    }

    /** The fault that a report has. */
    enum Effect {
        LOST("losingReport"),
        /** The source reports the loss. */
        NOTICED_LOSS("losingReport"),
        DOUBLED("doublingReport"),
        DELAYED("delayingReport");

        private final String call;

        Effect(String call) {
            this.call = call;
        }
    }

    /** Loses the report with this number, from 1. */
    static OneReport losingReport(long number) {
        return new OneReport(Effect.LOST, number, Optional.empty(), OptionalInt.empty(), 0);
    }

    /** Delivers the report with this number twice. */
    static OneReport doublingReport(long number) {
        return new OneReport(Effect.DOUBLED, number, Optional.empty(), OptionalInt.empty(), 0);
    }

    /**
     * Delivers the report with this number late: after the given number of later reports of any kind, and at the latest when the last
     * mesh over its device closes.
     *
     * <p>{@linkplain #onDevice On a device} only later reports of that device are counted. No report is delayed while no mesh over its
     * device is open.
     */
    static OneReport delayingReport(long number, int byReports) {
        return new OneReport(Effect.DELAYED, number, Optional.empty(), OptionalInt.empty(), byReports);
    }

    /** Delivers the reports of each device in this order: 3, 1, 2 gathers three, and delivers the third, the first and the second. */
    static Reordering reorderingReports(Integer... order) {
        if (!Stream.of(order)
                .sorted()
                .toList()
                .equals(IntStream.rangeClosed(1, order.length).boxed().toList())) {
            throw new IllegalArgumentException("An order has each number from 1 on once: " + List.of(order));
        }
        String numbers = Stream.of(order).map(String::valueOf).collect(Collectors.joining(", "));
        return new Reordering(
                "reorderingReports(" + numbers + ")",
                order.length,
                OptionalInt.empty(),
                device -> gathered -> Stream.of(order)
                        .map(place -> place - 1)
                        .filter(index -> index < gathered)
                        .toList());
    }

    /** Delivers the reports of each device in a random order, which differs for each, one window of at least two at a time. */
    static Reordering shufflingReports(int window, long seed) {
        return new Reordering(
                String.format(Locale.ROOT, "shufflingReports(%d, %dL)", window, seed),
                window,
                OptionalInt.empty(),
                device -> {
                    Random random = new Random(31 * seed + device);
                    return gathered -> RandomFaults.shuffled(
                            IntStream.range(0, gathered).boxed().toList(), random);
                });
    }

    /** Returns this fault of the reports of one device. Only these are counted then. */
    ReportFault onDevice(int device);

    /**
     * Something that happens once, to one report.
     *
     * @param number the number among the matching reports that one listener receives, from 1
     * @param kind the kind of report, empty for any
     * @param device the device of the report, empty for any
     * @param byReports the number of later reports that arrive before a delayed one
     */
    record OneReport(Effect effect, long number, Optional<Kind> kind, OptionalInt device, int byReports)
            implements ReportFault {

        /** Checks that it can happen. */
        public OneReport {
            if (number < 1) {
                throw new IllegalArgumentException("Reports are counted from 1, so none has the number " + number);
            }
        }

        /** Returns this fault of a report of one kind, which is the number among these. */
        public OneReport of(Kind newKind) {
            return new OneReport(effect, number, Optional.of(newKind), device, byReports);
        }

        @Override
        public OneReport onDevice(int newDevice) {
            return new OneReport(effect, number, kind, OptionalInt.of(newDevice), byReports);
        }

        /** Makes the source notice and report that it lost a report. */
        public OneReport noticed() {
            return new OneReport(Effect.NOTICED_LOSS, number, kind, device, byReports);
        }

        boolean fits(Kind ofReport, int deviceOfReport) {
            return kind.orElse(ofReport) == ofReport && device.orElse(deviceOfReport) == deviceOfReport;
        }

        @Override
        public String toString() {
            return effect.call + "(" + number + kind.map(one -> ", " + one).orElse("")
                    + (effect == Effect.DELAYED ? ", " + byReports : "") + ")" + on(device)
                    + (effect == Effect.NOTICED_LOSS ? ".noticed()" : "");
        }
    }

    /**
     * Reports of a device that change places with each other.
     *
     * <p>Reports of different devices keep their order, so threads on different devices do not matter. Before a close begins, the
     * gathered reports are delivered in this order as far as possible. While no mesh over the device is open, none are gathered. Lost
     * reports do not count here; doubled ones count twice.
     *
     * @param call the text
     * @param window how many change places
     * @param device the device; empty for every device separately
     * @param orders by device, the order of a window of so many gathered reports: the numbers, from 0, called once for every window
     */
    record Reordering(String call, int window, OptionalInt device, IntFunction<IntFunction<List<Integer>>> orders)
            implements ReportFault {

        @Override
        public Reordering onDevice(int newDevice) {
            return new Reordering(call, window, OptionalInt.of(newDevice), orders);
        }

        @Override
        public String toString() {
            return call + on(device);
        }
    }

    private static String on(OptionalInt device) {
        return device.isEmpty() ? "" : ".onDevice(" + device.getAsInt() + ")";
    }
}
