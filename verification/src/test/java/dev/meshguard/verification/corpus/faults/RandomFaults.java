package dev.meshguard.verification.corpus.faults;

import dev.meshguard.event.BufferType;
import dev.meshguard.mesh.fault.Fault;
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

    static List<RunFault> of(long seed) {
        RandomFaults faults = new RandomFaults(seed);
        List<RunFault> some = new ArrayList<>();
        for (int left = faults.upTo(4); left > 0; left--) {
            some.add(faults.next());
        }
        return some;
    }

    private RunFault next() {
        return switch (random.nextInt(11)) {
            case 0 ->
                ofRuntime(new Fault.AllocationFails(
                        upTo(12), maybe(oneOf(BufferType.DRAM, BufferType.L1)), maybeDevice()));
            case 1 -> ofRuntime(new Fault.OperationFails(upTo(OPERATIONS), Optional.empty(), maybeDevice()));
            case 2 -> ofRuntime(new Fault.DeviceStops(random.nextInt(DEVICES), upTo(OPERATIONS)));
            case 3 ->
                ofRuntime(new Fault.DevicesCloseInOrder(
                        shuffled(IntStream.range(0, DEVICES).boxed().toList(), random)));
            case 4 -> ofRuntime(new Fault.MeshClosesTwice());
            case 5 -> ofRuntime(new Fault.MeshClosesDuringOperation(upTo(OPERATIONS), Optional.empty()));
            case 6 -> new ReportFault.ReportLost(upTo(REPORTS), maybeKind(), maybeDevice(), random.nextInt(4) == 0);
            case 7 -> new ReportFault.ReportDoubled(upTo(REPORTS), maybeKind(), maybeDevice());
            case 8 -> new ReportFault.ReportDelayed(upTo(REPORTS), maybeKind(), maybeDevice(), upTo(REPORTS));
            case 9 ->
                new ReportFault.ReportsReordered(
                        shuffled(IntStream.rangeClosed(1, 1 + upTo(4)).boxed().toList(), random), maybeDevice());
            default -> new ReportFault.ReportsShuffled(1 + upTo(7), random.nextInt(1_000), maybeDevice());
        };
    }

    private static RunFault ofRuntime(Fault fault) {
        return new RunFault.OfRuntime(fault);
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

    private Optional<ReportKind> maybeKind() {
        return maybe(oneOf(ReportKind.ALLOCATION, ReportKind.FREE));
    }

    private OptionalInt maybeDevice() {
        return random.nextInt(3) == 0 ? OptionalInt.of(random.nextInt(DEVICES)) : OptionalInt.empty();
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
