package dev.meshguard.verification.corpus.faults;

import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Random;
import java.util.function.IntFunction;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * A fault of the reports of a runtime about buffers.
 *
 * <p>The methods of {@link RunFaults} define when it happens, and {@code toString()} returns that call. Counts begin at 1 and cover
 * everything that one listener receives. A counted fault happens once. A fault limited to a device counts only reports of that
 * device, so threads on other devices do not change its count.
 */
public sealed interface ReportFault extends RunFault {

    /**
     * A report that the listener does not receive; see {@link RunFaults#losingReport(long)}.
     *
     * @param number the number among the matching reports, from 1
     * @param kind the kind of report, empty for any
     * @param device the device of the report, empty for any
     * @param noticed whether the source reports the loss
     */
    record ReportLost(long number, Optional<ReportKind> kind, OptionalInt device, boolean noticed)
            implements ReportFault {

        /**
         * Creates the fault.
         *
         * @throws IllegalArgumentException if a number is out of range
         */
        public ReportLost {
            requireCount("the number of a report", number);
            requireDevice(device);
        }

        @Override
        public String toString() {
            return call("losingReport", number, kind.map(ReportKind::name))
                    + on(device)
                    + (noticed ? ".noticed()" : "");
        }
    }

    /**
     * A report that the listener receives twice; see {@link RunFaults#doublingReport(long)}.
     *
     * @param number the number among the matching reports, from 1
     * @param kind the kind of report, empty for any
     * @param device the device of the report, empty for any
     */
    record ReportDoubled(long number, Optional<ReportKind> kind, OptionalInt device) implements ReportFault {

        /**
         * Creates the fault.
         *
         * @throws IllegalArgumentException if a number is out of range
         */
        public ReportDoubled {
            requireCount("the number of a report", number);
            requireDevice(device);
        }

        @Override
        public String toString() {
            return call("doublingReport", number, kind.map(ReportKind::name)) + on(device);
        }
    }

    /**
     * A report that the listener receives late; see {@link RunFaults#delayingReport(long, int)}.
     *
     * @param number the number among the matching reports, from 1
     * @param kind the kind of report, empty for any
     * @param device the device of the report, empty for any
     * @param byReports the number of later reports that arrive before it, at least 1
     */
    record ReportDelayed(long number, Optional<ReportKind> kind, OptionalInt device, int byReports)
            implements ReportFault {

        /**
         * Creates the fault.
         *
         * @throws IllegalArgumentException if a number is out of range
         */
        public ReportDelayed {
            requireCount("the number of a report", number);
            requireCount("a delay in reports", byReports);
            requireDevice(device);
        }

        @Override
        public String toString() {
            String narrowed = kind.map(name -> ", " + name).orElse("");
            return String.format(Locale.ROOT, "delayingReport(%d%s, %d)", number, narrowed, byReports) + on(device);
        }
    }

    /** Reports of a device that change places with each other. */
    sealed interface ReportOrder extends ReportFault permits ReportsReordered, ReportsShuffled {

        /** Returns how many change places. */
        int window();

        /** Returns the device; empty for every device separately. */
        OptionalInt device();

        /**
         * Returns the order for one device: the numbers, from 0, of a window of gathered reports in the order to deliver.
         * Called once for every window.
         */
        IntFunction<List<Integer>> orderOn(int ofDevice);
    }

    /**
     * Reports of a device that arrive in a given order; see {@link RunFaults#reorderingReports}.
     *
     * @param order the numbers, from 1, of a window of reports in the order to deliver
     * @param device the device, empty for each device separately
     */
    record ReportsReordered(List<Integer> order, OptionalInt device) implements ReportOrder {

        /**
         * Creates the fault.
         *
         * @throws IllegalArgumentException if the order does not have each number from 1 on once
         */
        public ReportsReordered {
            order = List.copyOf(order);
            requireDevice(device);
            List<Integer> sorted = order.stream().sorted().toList();
            if (order.size() < 2
                    || !sorted.equals(
                            IntStream.rangeClosed(1, order.size()).boxed().toList())) {
                throw new IllegalArgumentException(String.format(
                        Locale.ROOT,
                        "Cannot hand on reports in the order %s: give the numbers from 1 to as many reports as change"
                                + " places, at least 2, each once",
                        order));
            }
        }

        @Override
        public int window() {
            return order.size();
        }

        @Override
        public IntFunction<List<Integer>> orderOn(int ofDevice) {
            return gathered -> order.stream()
                    .map(place -> place - 1)
                    .filter(index -> index < gathered)
                    .toList();
        }

        @Override
        public String toString() {
            return "reorderingReports(" + numbers(order) + ")" + on(device);
        }
    }

    /**
     * Reports of a device that arrive in a random order; see {@link RunFaults#shufflingReports}.
     *
     * @param window the number of reports that are shuffled together, at least 2
     * @param seed the seed of the order
     * @param device the device, empty for each device separately
     */
    record ReportsShuffled(int window, long seed, OptionalInt device) implements ReportOrder {

        /**
         * Creates the fault.
         *
         * @throws IllegalArgumentException if a number is out of range
         */
        public ReportsShuffled {
            requireDevice(device);
            if (window < 2) {
                throw new IllegalArgumentException(String.format(
                        Locale.ROOT, "Cannot shuffle %d of the reports: at least 2 can change places", window));
            }
        }

        @Override
        public IntFunction<List<Integer>> orderOn(int ofDevice) {
            Random random = new Random(31 * seed + ofDevice);
            return gathered ->
                    RandomFaults.shuffled(IntStream.range(0, gathered).boxed().toList(), random);
        }

        @Override
        public String toString() {
            return String.format(Locale.ROOT, "shufflingReports(%d, %dL)", window, seed) + on(device);
        }
    }

    private static String call(String name, long number, Optional<String> what) {
        return String.format(
                Locale.ROOT,
                "%s(%d%s)",
                name,
                number,
                what.map(argument -> ", " + argument).orElse(""));
    }

    private static String on(OptionalInt device) {
        return device.isEmpty() ? "" : String.format(Locale.ROOT, ".onDevice(%d)", device.getAsInt());
    }

    private static String numbers(List<Integer> numbers) {
        return numbers.stream().map(String::valueOf).collect(Collectors.joining(", "));
    }

    private static void requireCount(String what, long count) {
        if (count < 1) {
            throw new IllegalArgumentException(
                    String.format(Locale.ROOT, "Cannot use %d as %s: it must be 1 or more", count, what));
        }
    }

    private static void requireDevice(OptionalInt device) {
        if (device.orElse(0) < 0) {
            throw new IllegalArgumentException(String.format(
                    Locale.ROOT, "Cannot use %d as the id of a device: it must be 0 or more", device.getAsInt()));
        }
    }
}
