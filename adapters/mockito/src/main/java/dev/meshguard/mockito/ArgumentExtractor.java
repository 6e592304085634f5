package dev.meshguard.mockito;

import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.mockito.invocation.InvocationOnMock;

/**
 * Reads a value from a call: one of its arguments, or the result of a function.
 *
 * @param index the argument, counted from 0, or empty if a function reads the call
 */
record ArgumentExtractor<T>(Role<T> role, Optional<Integer> index, Function<InvocationOnMock, @Nullable T> function) {

    /**
     * A role that an argument can have.
     *
     * @param description its name in messages
     * @param nature the required type of the argument
     * @param wayOut the option that computes the value instead
     */
    record Role<T>(
            String description,
            String nature,
            String wayOut,
            Predicate<Class<?>> fits,
            Function<@Nullable Object, @Nullable T> converted) {

        static final Role<Long> SIZE = new Role<>(
                "the size", "a number", "size(call -> …)", ArgumentExtractor::mayBeNumber, ArgumentExtractor::number);
        static final Role<Long> ADDRESS = new Role<>(
                "the address",
                "a number",
                "address(call -> …)",
                ArgumentExtractor::mayBeNumber,
                ArgumentExtractor::number);
        static final Role<List<Integer>> DEVICES = new Role<>(
                "the device",
                "a number or a collection of numbers",
                "onDevices(call -> …)",
                ArgumentExtractor::mayBeNumbers,
                ArgumentExtractor::numbers);
        static final Role<@Nullable Object> HANDLE =
                new Role<>("the handle", "an object", "handle(call -> …)", type -> true, handle -> handle);

        ArgumentExtractor<T> argument(int index) {
            if (index < 0) {
                throw new IllegalArgumentException(String.format(
                        Locale.ROOT,
                        "Arguments are counted from 0: argument %d was said to be %s.",
                        index,
                        description));
            }
            return new ArgumentExtractor<>(
                    this, Optional.of(index), call -> converted.apply(call.getRawArguments()[index]));
        }

        ArgumentExtractor<T> computed(Function<InvocationOnMock, @Nullable T> function) {
            return new ArgumentExtractor<>(this, Optional.empty(), function);
        }
    }

    boolean isArgument(int argument) {
        return index.filter(own -> own == argument).isPresent();
    }

    /** Rejects a method from which the value cannot be read. */
    void check(Signature method) {
        index.ifPresent(argument -> method.check(argument, role));
    }

    T of(InvocationOnMock call) {
        T read = function.apply(call);
        if (read == null) {
            throw new IllegalArgumentException(
                    index.map(argument -> "argument " + argument + ", " + role.description())
                                    .orElse(role.description()) + ", was not " + role.nature());
        }
        return read;
    }

    private static boolean mayBeNumber(Class<?> type) {
        return Signature.isNumber(type) || type.isAssignableFrom(Long.class) || type.isAssignableFrom(Integer.class);
    }

    private static boolean mayBeNumbers(Class<?> type) {
        return mayBeNumber(type) || Collection.class.isAssignableFrom(type) || type == int[].class;
    }

    private static @Nullable Long number(@Nullable Object argument) {
        return argument instanceof Number number ? (Long) number.longValue() : null;
    }

    private static @Nullable List<Integer> numbers(@Nullable Object argument) {
        if (argument instanceof int[] devices) {
            return Arrays.stream(devices).boxed().toList();
        }
        if (argument instanceof Collection<?> several && !several.isEmpty()) {
            boolean areNumbers = several.stream().allMatch(Number.class::isInstance);
            return areNumbers
                    ? several.stream()
                            .map(Number.class::cast)
                            .map(ArgumentExtractor::device)
                            .toList()
                    : null;
        }
        return argument instanceof Number number ? List.of(device(number)) : null;
    }

    private static int device(Number number) {
        return Math.toIntExact(number.longValue());
    }
}
