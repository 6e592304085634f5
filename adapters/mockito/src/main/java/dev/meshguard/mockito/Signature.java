package dev.meshguard.mockito;

import dev.meshguard.text.Quantities;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.function.IntPredicate;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** The signature of a mocked method, with the error messages for methods that cannot be reported. */
record Signature(Method method) {

    private static final List<Class<?>> NUMBERS =
            List.of(long.class, Long.class, int.class, Integer.class, short.class, Short.class);

    static boolean isNumber(Class<?> type) {
        return NUMBERS.contains(type);
    }

    /** Returns the arguments that are numbers and have no other role. */
    List<Integer> numbers(IntPredicate isTaken) {
        Class<?>[] types = method.getParameterTypes();
        return IntStream.range(0, types.length)
                .filter(index -> isNumber(types[index]) && !isTaken.test(index))
                .boxed()
                .toList();
    }

    int arguments() {
        return method.getParameterCount();
    }

    Class<?> returnType() {
        return method.getReturnType();
    }

    /** Returns the class and the name with the types of its parameters: {@code Device.allocate(int, long)}. */
    @Override
    public String toString() {
        return method.getDeclaringClass().getSimpleName()
                + "."
                + method.getName()
                + Arrays.stream(method.getParameterTypes())
                        .map(Class::getSimpleName)
                        .collect(Collectors.joining(", ", "(", ")"));
    }

    void check(int argument, ArgumentExtractor.Role<?> role) {
        if (argument >= arguments()) {
            throw rejected(
                    "argument %d is said to be %s, and it has %s. Count from 0",
                    argument, role.description(), arguments() == 0 ? "none" : "only " + arguments());
        }
        Class<?> type = method.getParameterTypes()[argument];
        if (!role.fits().test(type)) {
            throw rejected(
                    "argument %d is said to be %s, and a %s is not %s. Name another one, or compute it with %s",
                    argument, role.description(), type.getSimpleName(), role.nature(), role.wayOut());
        }
    }

    IllegalArgumentException sizeNotPlain(int numbers) {
        return numbers == 0
                ? rejected("none of its arguments is a number that could be the size. Say it with size(bytes) or"
                        + " size(call -> …)")
                : rejected("%d of its arguments are numbers. Say which is the size with sizeArgument(index)", numbers);
    }

    IllegalArgumentException freedNotPlain(int candidates) {
        return rejected(
                "%d of its arguments could be what it frees. Say which with addressArgument(index) or"
                        + " handleArgument(index)",
                candidates);
    }

    IllegalArgumentException resultNotPlain() {
        return rejected(
                "it returns a %s. Say which with returning(call -> …)%s",
                returnType().getSimpleName(),
                AutoCloseable.class.isAssignableFrom(returnType()) ? " or returningCloseables()" : "");
    }

    IllegalArgumentException notCloseable() {
        return rejected(
                "it returns a %s, which has no close() to be freed by. Say what it returns with returning(call -> …)",
                returnType().getSimpleName());
    }

    IllegalArgumentException addressTooLarge(long address) {
        return rejected(
                "the address %s is larger than an int. Say smaller ones with address(call -> …), or allocate less",
                Quantities.address(address));
    }

    private IllegalArgumentException rejected(String reason, Object... values) {
        return new IllegalArgumentException(
                String.format(Locale.ROOT, "Cannot report calls of %s: " + reason + ".", withSubject(values)));
    }

    private Object[] withSubject(Object... values) {
        Object[] all = new Object[values.length + 1];
        all[0] = this;
        System.arraycopy(values, 0, all, 1, values.length);
        return all;
    }
}
