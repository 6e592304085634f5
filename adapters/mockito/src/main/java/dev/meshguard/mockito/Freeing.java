package dev.meshguard.mockito;

import dev.meshguard.event.BufferType;
import dev.meshguard.mockito.ArgumentExtractor.Role;
import java.lang.reflect.Array;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.ToLongFunction;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;
import org.jspecify.annotations.Nullable;
import org.mockito.Answers;
import org.mockito.invocation.InvocationOnMock;
import org.mockito.stubbing.Answer;
import org.mockito.stubbing.ValidableAnswer;

/**
 * Reports each call of a mocked method as a free.
 *
 * <p>Immutable: each option returns another answer. By default the freed object is the only argument besides the device. If
 * there is none, as in {@code buffer.close()}, it is the mock itself. A number is an address; anything else is a handle. A
 * collection or an array frees each of its elements, unless a mock has returned it as a handle. Device and type are those of the
 * memory that the mocks of this tracker have allocated there.
 *
 * <p>A second call, or a call for memory that no mock has allocated, throws no exception. It is an event that the verdict
 * reports. A handle that no mock has allocated has no address, so the report has a synthetic one.
 *
 * @since 0.1
 * @see MockReports#freeing
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public final class Freeing implements Answer<@Nullable Object>, ValidableAnswer {

    private final MockAllocations memory;
    private final Readings readings;
    private final Optional<BufferType> type;
    private final Answer<?> returning;

    Freeing(MockAllocations memory) {
        this(memory, Readings.NONE, Optional.empty(), Answers.RETURNS_DEFAULTS);
    }

    private Freeing(MockAllocations memory, Readings readings, Optional<BufferType> type, Answer<?> returning) {
        this.memory = memory;
        this.readings = readings;
        this.type = type;
        this.returning = returning;
    }

    /** Frees on this device only. */
    public Freeing onDevice(int device) {
        return onDevices(call -> List.of(device));
    }

    /** Frees on the device, or the collection of devices, that an argument names. */
    public Freeing onDeviceArgument(int index) {
        return with(readings.devices(Role.DEVICES.argument(index)));
    }

    /** Frees on the devices that are computed from a call. */
    public Freeing onDevices(Function<InvocationOnMock, List<Integer>> devices) {
        return with(readings.devices(Role.DEVICES.computed(devices)));
    }

    /** Sets the type of memory, for an address that may be allocated in several types. */
    public Freeing ofType(BufferType newType) {
        return new Freeing(memory, readings, Optional.of(newType), returning);
    }

    /** Sets the argument that is the address. */
    public Freeing addressArgument(int index) {
        return with(readings.address(Role.ADDRESS.argument(index)));
    }

    /** Computes the address from a call. */
    public Freeing address(ToLongFunction<InvocationOnMock> address) {
        return with(readings.address(Role.ADDRESS.computed(address::applyAsLong)));
    }

    /** Sets the argument that is the handle, or the collection of handles. */
    public Freeing handleArgument(int index) {
        return with(readings.handle(Role.HANDLE.argument(index)));
    }

    /** Computes the handle from a call, for example one that an argument wraps. */
    public Freeing handle(Function<InvocationOnMock, ?> handle) {
        return with(readings.handle(Role.HANDLE.computed(handle::apply)));
    }

    /** Returns from the mock what another answer returns; nothing is freed if that throws. */
    public Freeing returning(Answer<?> answer) {
        return new Freeing(memory, readings, type, answer);
    }

    /** Rejects a method that cannot be reported; called by Mockito when a mock is stubbed. */
    @Override
    public void validateFor(InvocationOnMock call) {
        Signature method = new Signature(call.getMethod());
        readings.check(method);
        if (readings.address().isEmpty() && readings.handle().isEmpty()) {
            List<Integer> candidates = candidates(method);
            if (candidates.size() > 1) {
                throw method.freedNotPlain(candidates.size());
            }
        }
    }

    /** Answers a call of a mock, and reports it. */
    @Override
    public @Nullable Object answer(InvocationOnMock call) throws Throwable {
        Object returned = returning.answer(call);
        report(call);
        return returned;
    }

    private void report(InvocationOnMock call) {
        try {
            Optional<List<Integer>> devices = readings.devicesOf(call);
            Object freed = freedBy(call);
            Stream<Optional<Object>> parts =
                    memory.isHandle(freed) ? Stream.of(Optional.ofNullable(freed)) : each(freed);
            parts.forEach(part -> free(call, part, devices));
        } catch (RuntimeException unreadable) {
            memory.lost(Readings.unreadable(call, unreadable));
        }
    }

    private void free(InvocationOnMock call, Optional<Object> freed, Optional<List<Integer>> devices) {
        if (freed.orElse(call) instanceof Number address) {
            memory.free(address.longValue(), devices, type, new Signature(call.getMethod()));
        } else {
            memory.free(freed.orElse(null), devices, type.orElse(BufferType.DRAM));
        }
    }

    private @Nullable Object freedBy(InvocationOnMock call) {
        if (readings.address().isPresent()) {
            return readings.address().get().of(call);
        }
        if (readings.handle().isPresent()) {
            return readings.handle().get().function().apply(call);
        }
        List<Integer> candidates = candidates(new Signature(call.getMethod()));
        return candidates.isEmpty() ? call.getMock() : call.getRawArguments()[candidates.get(0)];
    }

    private List<Integer> candidates(Signature method) {
        return IntStream.range(0, method.arguments())
                .filter(index -> !readings.isAllocated(index))
                .boxed()
                .toList();
    }

    private static Stream<Optional<Object>> each(@Nullable Object freed) {
        if (freed instanceof Collection<?> several) {
            return several.stream().map(Optional::ofNullable);
        }
        if (freed instanceof Object[] || freed instanceof long[] || freed instanceof int[]) {
            return IntStream.range(0, Array.getLength(freed)).mapToObj(at -> Optional.ofNullable(Array.get(freed, at)));
        }
        return Stream.of(Optional.ofNullable(freed));
    }

    private Freeing with(Readings more) {
        return new Freeing(memory, more, type, returning);
    }
}
