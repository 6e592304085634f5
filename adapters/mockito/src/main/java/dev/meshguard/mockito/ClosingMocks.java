package dev.meshguard.mockito;

import static org.mockito.Answers.RETURNS_DEFAULTS;

import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.mockito.Mockito;
import org.mockito.invocation.InvocationOnMock;

/** The result of a mocked method that allocates: a new mock, whose {@code close()} frees what that call allocated. */
record ClosingMocks(MockAllocations memory) implements Result {

    @Override
    public Object of(InvocationOnMock call, LongSupplier synthetic) {
        return Mockito.mock(call.getMethod().getReturnType(), this::answer);
    }

    @Override
    public void check(Signature method) {
        if (!AutoCloseable.class.isAssignableFrom(method.returnType())) {
            throw method.notCloseable();
        }
    }

    private @Nullable Object answer(InvocationOnMock call) throws Throwable {
        boolean closes =
                call.getMethod().getName().equals("close") && call.getMethod().getParameterCount() == 0;
        if (closes) {
            memory.close(call.getMock());
        }
        return RETURNS_DEFAULTS.answer(call);
    }
}
