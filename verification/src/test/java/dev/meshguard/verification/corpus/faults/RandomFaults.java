package dev.meshguard.verification.corpus.faults;

import dev.meshguard.event.BufferType;
import dev.meshguard.mesh.fault.Fault;
import dev.meshguard.verification.corpus.faults.ReportFault.Effect;
import dev.meshguard.verification.corpus.faults.ReportFault.Kind;
import dev.meshguard.verification.corpus.faults.ReportFault.OneReport;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Random;
import java.util.stream.IntStream;

/** The faults that a seed produces. {@link Random} is one of the few generators whose sequence no Java version may change. */
final class RandomFaults {

    private static final int DEVICES = 8;
    private static final int REPORTS = 40;
    private static final int OPERATIONS = 4;

    private final Random random;

    private RandomFaults(long seed) {
        this.random = new Random(seed);
    }

    static RunFaults of(long seed) {
        RandomFaults random = new RandomFaults(seed);
        RunFaults faults = RunFaults.none();
        for (int left = random.upTo(4); left > 0; left--) {
            faults = random.withOneMore(faults);
        }
        return faults;
    }

    private RunFaults withOneMore(RunFaults faults) {
        return switch (random.nextInt(11)) {
            case 0 ->
                faults.with(new Fault.AllocationFails(
                        upTo(12), maybe(oneOf(BufferType.DRAM, BufferType.L1)), maybeDevice()));
            case 1 -> faults.with(new Fault.OperationFails(upTo(OPERATIONS), Optional.empty(), maybeDevice()));
            case 2 -> faults.with(new Fault.DeviceStops(random.nextInt(DEVICES), upTo(OPERATIONS)));
            case 3 -> faults.with(new Fault.DevicesCloseInOrder(shuffled(numbers(0, DEVICES), random)));
            case 4 -> faults.with(new Fault.MeshClosesTwice());
            case 5 -> faults.with(new Fault.MeshClosesDuringOperation(upTo(OPERATIONS), Optional.empty()));
            case 6 -> {
                OneReport lost = new OneReport(Effect.LOST, upTo(REPORTS), maybeKind(), maybeDevice(), 0);
                yield faults.with(random.nextInt(4) == 0 ? lost.noticed() : lost);
            }
            case 7 -> faults.with(new OneReport(Effect.DOUBLED, upTo(REPORTS), maybeKind(), maybeDevice(), 0));
            case 8 ->
                faults.with(new OneReport(Effect.DELAYED, upTo(REPORTS), maybeKind(), maybeDevice(), upTo(REPORTS)));
            case 9 ->
                faults.with(onMaybeADevice(ReportFault.reorderingReports(
                        shuffled(numbers(1, 2 + upTo(4)), random).toArray(Integer[]::new))));
            default -> faults.with(onMaybeADevice(ReportFault.shufflingReports(1 + upTo(7), random.nextInt(1_000))));
        };
    }

    private int upTo(int most) {
        return 1 + random.nextInt(most);
    }

    private <T> T oneOf(T one, T other) {
        return random.nextBoolean() ? one : other;
    }

    private <T> Optional<T> maybe(T value) {
        return random.nextBoolean() ? Optional.of(value) : Optional.empty();
    }

    private Optional<Kind> maybeKind() {
        return maybe(oneOf(Kind.ALLOCATION, Kind.FREE));
    }

    private OptionalInt maybeDevice() {
        return random.nextInt(3) == 0 ? OptionalInt.of(random.nextInt(DEVICES)) : OptionalInt.empty();
    }

    private ReportFault onMaybeADevice(ReportFault fault) {
        OptionalInt device = maybeDevice();
        return device.isPresent() ? fault.onDevice(device.getAsInt()) : fault;
    }

    private static List<Integer> numbers(int from, int to) {
        return IntStream.range(from, to).boxed().toList();
    }

    /** Shuffles with the algorithm of Fisher and Yates, because the library does not specify its own algorithm. */
    static List<Integer> shuffled(List<Integer> numbers, Random random) {
        List<Integer> shuffled = new ArrayList<>(numbers);
        for (int last = shuffled.size() - 1; last > 0; last--) {
            Collections.swap(shuffled, last, random.nextInt(last + 1));
        }
        return shuffled;
    }
}
