package dev.meshguard.mockito;

import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.mockito.invocation.InvocationOnMock;

/** Creates the return value of a mocked method that allocates, from its synthetic address. */
@FunctionalInterface
interface Result {

    /** Returns nothing for a method without a return value, and the address for a number. */
    Result BY_RETURN_TYPE = new Result() {
        @Override
        public @Nullable Object of(InvocationOnMock call, LongSupplier synthetic) {
            Class<?> type = call.getMethod().getReturnType();
            if (type == void.class) {
                return null;
            }
            long address = synthetic.getAsLong();
            if (type == int.class || type == Integer.class) {
                if (address != (int) address) {
                    throw new Signature(call.getMethod()).addressTooLarge(address);
                }
                return (int) address;
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

    /** Returns the value for a call; {@code null} if it allocates nothing. */
    @Nullable
    Object of(InvocationOnMock call, LongSupplier synthetic) throws Throwable;

    /** Rejects a method that cannot return this result. */
    default void check(Signature method) {}
}
