package dev.meshguard.mockito;

import dev.meshguard.event.AllocationDetails;
import dev.meshguard.event.BufferType;
import dev.meshguard.mockito.ArgumentExtractor.Role;
import java.util.List;
import java.util.function.Function;
import java.util.function.ToLongFunction;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;
import org.jspecify.annotations.Nullable;
import org.mockito.invocation.InvocationOnMock;
import org.mockito.stubbing.Answer;
import org.mockito.stubbing.ValidableAnswer;

/**
 * Reports each call of a mocked method as an allocation.
 *
 * <p>Immutable: each option returns another answer. The defaults are:
 * <ul>
 *   <li>the device is 0;
 *   <li>the size is the only argument that is a number and has no other role;
 *   <li>the address is what the mock returns, if that is a number. A mock without a value to return gets a unique address, from
 *     0x1000 on. A mesh that reports to the same tracker should therefore have other devices;
 *   <li>the handle is what the mock returns, if that is an object. The answer does not keep it reachable: a buffer whose handle
 *     the code under test drops is {@code LOST}, and one whose handle stays in a field is {@code HELD}.
 * </ul>
 *
 * <p>Arguments are counted from 0, as in Mockito.
 *
 * @since 0.1
 * @see MockReports#allocating
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public final class Allocating implements Answer<@Nullable Object>, ValidableAnswer {

    private final MockAllocations memory;
    private final Function<InvocationOnMock, BufferType> type;
    private final Readings readings;
    private final Result result;

    Allocating(MockAllocations memory, Function<InvocationOnMock, BufferType> type) {
        this(memory, type, Readings.NONE, Result.BY_RETURN_TYPE);
    }

    private Allocating(
            MockAllocations memory, Function<InvocationOnMock, BufferType> type, Readings readings, Result result) {
        this.memory = memory;
        this.type = type;
        this.readings = readings;
        this.result = result;
    }

    /** Sets another device than 0. */
    public Allocating onDevice(int device) {
        return onDevices(call -> List.of(device));
    }

    /** Sets the argument that names the device, or the collection of devices. */
    public Allocating onDeviceArgument(int index) {
        return with(readings.devices(Role.DEVICES.argument(index)));
    }

    /** Computes the devices from a call, and reports one buffer on each of them, all with the same request and address. */
    public Allocating onDevices(Function<InvocationOnMock, List<Integer>> devices) {
        return with(readings.devices(Role.DEVICES.computed(devices)));
    }

    /** Sets the argument that is the size in bytes. */
    public Allocating sizeArgument(int index) {
        return with(readings.size(Role.SIZE.argument(index)));
    }

    /** Sets the size in bytes of each call. */
    public Allocating size(long bytes) {
        return size(call -> bytes);
    }

    /** Computes the size in bytes from a call, for example from a shape and a data type. */
    public Allocating size(ToLongFunction<InvocationOnMock> bytes) {
        return with(readings.size(Role.SIZE.computed(bytes::applyAsLong)));
    }

    /** Sets the argument that is the address, if the code under test chooses it. */
    public Allocating addressArgument(int index) {
        return with(readings.address(Role.ADDRESS.argument(index)));
    }

    /** Computes the address from a call. */
    public Allocating address(ToLongFunction<InvocationOnMock> address) {
        return with(readings.address(Role.ADDRESS.computed(address::applyAsLong)));
    }

    /**
     * Reads the address from what the mock returns, for example {@code addressOf(DeviceBuffer.class, DeviceBuffer::address)}.
     */
    public <R> Allocating addressOf(Class<R> returned, ToLongFunction<? super R> address) {
        return with(readings.addressOfResult(object -> address.applyAsLong(returned.cast(object))));
    }

    /** Sets the argument that is the handle, if the mock fills in an object that it receives. */
    public Allocating handleArgument(int index) {
        return with(readings.handle(Role.HANDLE.argument(index)));
    }

    /** Reads the handle from what the mock returns, for example from a future or an optional. */
    public <R> Allocating handleOf(Class<R> returned, Function<? super R, ?> handle) {
        return with(readings.handleOfResult(object -> handle.apply(returned.cast(object))));
    }

    /** Sets further details: a label, an owner, a lifetime, the mesh. */
    public Allocating describedBy(AllocationDetails details) {
        return describedBy(call -> details);
    }

    /** Computes further details from a call. */
    public Allocating describedBy(Function<InvocationOnMock, AllocationDetails> details) {
        return with(readings.details(details));
    }

    /**
     * Returns from the mock what another answer returns; nothing is reported if that throws or is {@code null}.
     *
     * <p>{@code returning(call -> buffer)} returns one object, {@code returning(Answers.CALLS_REAL_METHODS)} calls a spy's own
     * method.
     */
    public Allocating returning(Answer<?> answer) {
        return new Allocating(memory, type, readings, (call, address) -> answer.answer(call));
    }

    /** Returns a new mock of the method's return type for each call, whose {@code close()} frees its allocation. */
    public Allocating returningCloseables() {
        return new Allocating(memory, type, readings, new ClosingMocks(memory));
    }

    /** Rejects a method that cannot be reported; called by Mockito when a mock is stubbed. */
    @Override
    public void validateFor(InvocationOnMock call) {
        Signature method = new Signature(call.getMethod());
        readings.check(method);
        if (readings.size().isEmpty()) {
            List<Integer> numbers = method.numbers(readings::isAllocated);
            if (numbers.size() != 1) {
                throw method.sizeNotPlain(numbers.size());
            }
        }
        result.check(method);
    }

    /** Answers a call of a mock, and reports it. */
    @Override
    public @Nullable Object answer(InvocationOnMock call) throws Throwable {
        SyntheticAddress synthetic = new SyntheticAddress(call);
        Object returned = result.of(call, synthetic::address);
        // For a method with a return value, null means that there was no memory.
        if (returned != null || call.getMethod().getReturnType() == void.class) {
            report(call, returned, synthetic);
        }
        return returned;
    }

    private void report(InvocationOnMock call, @Nullable Object returned, SyntheticAddress synthetic) {
        try {
            memory.allocate(
                    readings.detailsOf(call),
                    readings.devicesOf(call).orElse(List.of(0)),
                    type.apply(call),
                    readings.addressOf(call, returned).orElseGet(synthetic::address),
                    sizeOf(call),
                    readings.handleOf(call, returned).orElse(null));
        } catch (RuntimeException unreadable) {
            memory.lost(Readings.unreadable(call, unreadable));
        }
    }

    private long sizeOf(InvocationOnMock call) {
        return readings.size()
                .orElseGet(() -> Role.SIZE.argument(new Signature(call.getMethod())
                        .numbers(readings::isAllocated)
                        .get(0)))
                .of(call);
    }

    private Allocating with(Readings more) {
        return new Allocating(memory, type, more, result);
    }

    /** The synthetic address of one call without its own address: the same for what is returned and what is reported. */
    final class SyntheticAddress {

        private final InvocationOnMock call;
        private @Nullable Long address;

        SyntheticAddress(InvocationOnMock call) {
            this.call = call;
        }

        long address() {
            Long existing = address;
            if (existing == null) {
                existing = named();
                address = existing;
            }
            return existing;
        }

        /** An unreadable address is reported with the call and is not thrown at the caller. */
        private long named() {
            try {
                return readings.addressOf(call, null).orElseGet(() -> memory.newAddress(sizeOf(call)));
            } catch (RuntimeException unreadable) {
                return memory.newAddress(0);
            }
        }
    }
}
