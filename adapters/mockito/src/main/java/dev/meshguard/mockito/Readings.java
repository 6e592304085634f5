package dev.meshguard.mockito;

import dev.meshguard.event.AllocationDetails;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.mockito.invocation.InvocationOnMock;

/** The extractors of a report's values from a call and its result; empty if not configured. */
record Readings(
        Optional<ArgumentExtractor<List<Integer>>> devices,
        Optional<ArgumentExtractor<Long>> size,
        Optional<ArgumentExtractor<Long>> address,
        Optional<Function<Object, Long>> addressOfResult,
        Optional<ArgumentExtractor<Object>> handle,
        Optional<Function<Object, ? extends @Nullable Object>> handleOfResult,
        Function<InvocationOnMock, AllocationDetails> details) {

    static final Readings NONE = new Readings(
            Optional.empty(),
            Optional.empty(),
            Optional.empty(),
            Optional.empty(),
            Optional.empty(),
            Optional.empty(),
            call -> AllocationDetails.user());

    Readings devices(ArgumentExtractor<List<Integer>> other) {
        return new Readings(Optional.of(other), size, address, addressOfResult, handle, handleOfResult, details);
    }

    Readings size(ArgumentExtractor<Long> other) {
        return new Readings(devices, Optional.of(other), address, addressOfResult, handle, handleOfResult, details);
    }

    Readings address(ArgumentExtractor<Long> other) {
        return new Readings(devices, size, Optional.of(other), Optional.empty(), handle, handleOfResult, details);
    }

    Readings addressOfResult(Function<Object, Long> other) {
        return new Readings(devices, size, Optional.empty(), Optional.of(other), handle, handleOfResult, details);
    }

    Readings handle(ArgumentExtractor<Object> other) {
        return new Readings(devices, size, address, addressOfResult, Optional.of(other), Optional.empty(), details);
    }

    Readings handleOfResult(Function<Object, ? extends @Nullable Object> other) {
        return new Readings(devices, size, address, addressOfResult, Optional.empty(), Optional.of(other), details);
    }

    Readings details(Function<InvocationOnMock, AllocationDetails> other) {
        return new Readings(devices, size, address, addressOfResult, handle, handleOfResult, other);
    }

    /** Returns whether an argument has a role. */
    boolean isAllocated(int argument) {
        return all().anyMatch(reading -> reading.isArgument(argument));
    }

    void check(Signature method) {
        all().forEach(reading -> reading.check(method));
    }

    AllocationDetails detailsOf(InvocationOnMock call) {
        return details.apply(call);
    }

    Optional<List<Integer>> devicesOf(InvocationOnMock call) {
        return devices.map(reading -> reading.of(call));
    }

    Optional<Long> addressOf(InvocationOnMock call, @Nullable Object returned) {
        if (address.isPresent()) {
            return address.map(reading -> reading.of(call));
        }
        if (returned == null) {
            return Optional.empty();
        }
        if (addressOfResult.isPresent()) {
            return addressOfResult.map(reading -> reading.apply(returned));
        }
        return returned instanceof Number number ? Optional.of(number.longValue()) : Optional.empty();
    }

    Optional<Object> handleOf(InvocationOnMock call, @Nullable Object returned) {
        if (handle.isPresent()) {
            return handle.map(reading -> reading.of(call));
        }
        if (returned == null || returned instanceof Number) {
            return Optional.empty();
        }
        return handleOfResult.isPresent()
                ? handleOfResult.map(reading -> reading.apply(returned))
                : Optional.of(returned);
    }

    /** Returns why a call could not be reported. */
    static String unreadable(InvocationOnMock call, RuntimeException why) {
        return String.format(
                Locale.ROOT,
                "a call of %s on a mock could not be reported: %s",
                new Signature(call.getMethod()),
                why instanceof IllegalArgumentException ? why.getMessage() : why);
    }

    private Stream<ArgumentExtractor<?>> all() {
        return Stream.of(devices, size, address, handle).flatMap(Optional::stream);
    }
}
