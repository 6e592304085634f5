package dev.meshguard.mockito;

import org.jspecify.annotations.Nullable;
import org.mockito.invocation.InvocationOnMock;

/** What a mock returns that allocates. */
@FunctionalInterface
interface Result {

    /** Nothing where nothing is expected, and the address where a number is. */
    Result BY_RETURN_TYPE = new Result() {
        @Override
        public @Nullable Object of(InvocationOnMock call, Allocating.SyntheticAddress madeUp) {
            Class<?> type = call.getMethod().getReturnType();
            if (type == void.class) {
                return null;
            }
            long address = madeUp.address();
            if (type == int.class || type == Integer.class) {
                return Math.toIntExact(address);
            }
            return address;
        }

        @Override
        public void check(Signature method) {
            Class<?> type = method.returnType();
            boolean isPlain = type == void.class
                    || type == long.class
                    || type == Long.class
                    || type == int.class
                    || type == Integer.class;
            if (!isPlain) {
                throw method.resultNotPlain();
            }
        }
    };

    /** Returns what a call returns; {@code null} where it allocates nothing. */
    @Nullable
    Object of(InvocationOnMock call, Allocating.SyntheticAddress madeUp) throws Throwable;

    /** Rejects a method whose result this cannot be. */
    default void check(Signature method) {}
}
