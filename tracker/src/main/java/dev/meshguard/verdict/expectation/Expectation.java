package dev.meshguard.verdict.expectation;

import dev.meshguard.tracker.AllocationDetails;
import dev.meshguard.tracker.BufferKind;
import dev.meshguard.tracker.BufferLifetime;
import dev.meshguard.tracker.BufferType;
import dev.meshguard.tracker.Quantities;
import dev.meshguard.tracker.history.BufferGeneration;
import dev.meshguard.tracker.history.BufferGeneration.Report;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.stream.Stream;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * One entry of an allowlist: which buffers may stay, how many, how large, and why.
 *
 * <p>Conditions that are left out fit everything. Count and bytes are bounds over all devices: one buffer or one byte
 * more than they allow is not expected any more. Immutable; start from {@link #because(String)}.
 *
 * <pre>{@code
 * Expectation.because("dispatch keeps its ring until the driver unloads").type(BufferType.L1).owner("dispatch").count(8);
 * }</pre>
 *
 * @param because why they may stay, not blank
 * @param type the memory
 * @param device the device id
 * @param size the exact size of each, in bytes
 * @param lifetime who frees them
 * @param owner a part of the owner's name
 * @param label the exact label
 * @param origin a part of any frame of the origin, for example {@code KvCacheTest.weights}
 * @param count how many may stay at most, over all devices
 * @param bytes how many bytes may stay at most, over all devices
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public record Expectation(
        String because,
        Optional<BufferType> type,
        OptionalInt device,
        OptionalLong size,
        Optional<BufferLifetime> lifetime,
        Optional<String> owner,
        Optional<String> label,
        Optional<String> origin,
        OptionalLong count,
        OptionalLong bytes) {

    /**
     * Creates an entry.
     *
     * @throws IllegalArgumentException if there is no reason, a text is blank, or a bound or the device is negative
     */
    public Expectation {
        if (because.isBlank()) {
            throw new IllegalArgumentException(
                    "An expected buffer needs a reason: say in \"because\" why it may stay; a blank one was given.");
        }
        refuseBlank("owner", owner);
        refuseBlank("label", label);
        refuseBlank("origin", origin);
        refuseNegative("device", device.orElse(0));
        refuseNegative("size", size.orElse(0));
        refuseNegative("count", count.orElse(0));
        refuseNegative("bytes", bytes.orElse(0));
    }

    /** Starts an entry that fits every buffer, with the reason why buffers may stay. */
    public static Expectation because(String reason) {
        return new Expectation(
                reason,
                Optional.empty(),
                OptionalInt.empty(),
                OptionalLong.empty(),
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                OptionalLong.empty(),
                OptionalLong.empty());
    }

    /** Returns this entry for one memory only. */
    public Expectation type(BufferType only) {
        return new Expectation(because, Optional.of(only), device, size, lifetime, owner, label, origin, count, bytes);
    }

    /** Returns this entry for one device only. */
    public Expectation device(int only) {
        return new Expectation(because, type, OptionalInt.of(only), size, lifetime, owner, label, origin, count, bytes);
    }

    /** Returns this entry for buffers of exactly this size, in bytes. */
    public Expectation size(long only) {
        return new Expectation(
                because, type, device, OptionalLong.of(only), lifetime, owner, label, origin, count, bytes);
    }

    /** Returns this entry for one lifetime only. */
    public Expectation lifetime(BufferLifetime only) {
        return new Expectation(because, type, device, size, Optional.of(only), owner, label, origin, count, bytes);
    }

    /** Returns this entry for buffers whose owner's name contains the given text. */
    public Expectation owner(String part) {
        return new Expectation(because, type, device, size, lifetime, Optional.of(part), label, origin, count, bytes);
    }

    /** Returns this entry for buffers with exactly this label. */
    public Expectation label(String only) {
        return new Expectation(because, type, device, size, lifetime, owner, Optional.of(only), origin, count, bytes);
    }

    /** Returns this entry for buffers with a frame of their origin that contains the given text. */
    public Expectation origin(String part) {
        return new Expectation(because, type, device, size, lifetime, owner, label, Optional.of(part), count, bytes);
    }

    /** Returns this entry for at most so many buffers over all devices. */
    public Expectation count(long atMost) {
        return new Expectation(
                because, type, device, size, lifetime, owner, label, origin, OptionalLong.of(atMost), bytes);
    }

    /** Returns this entry for at most so many bytes over all devices. */
    public Expectation bytes(long atMost) {
        return new Expectation(
                because, type, device, size, lifetime, owner, label, origin, count, OptionalLong.of(atMost));
    }

    /**
     * Returns whether the conditions fit a buffer; bounds are not looked at.
     *
     * <p>Where several reports of one address are open, they have to fit all of them: a buffer must not stay unnoticed
     * because it lies where an expected one does, or did. Only circular buffers share addresses by nature, and the first
     * speaks for all.
     */
    public boolean fits(BufferGeneration buffer) {
        return fitsAll(type, buffer.type())
                && (device.isEmpty() || device.getAsInt() == buffer.device())
                && decisive(buffer).allMatch(this::fits);
    }

    private static Stream<Report> decisive(BufferGeneration buffer) {
        List<Report> left = buffer.reportsLeft();
        if (left.isEmpty()) {
            return buffer.reports().stream().limit(1);
        }
        boolean areCircular =
                left.stream().allMatch(report -> report.request().details().kind() == BufferKind.CIRCULAR_BUFFER);
        return areCircular ? left.stream().limit(1) : left.stream();
    }

    private boolean fits(Report report) {
        AllocationDetails details = report.request().details();
        return (size.isEmpty() || size.getAsLong() == report.size())
                && fitsAll(lifetime, details.lifetime())
                && (owner.isEmpty()
                        || details.owner()
                                .filter(found -> found.toString().contains(owner.get()))
                                .isPresent())
                && (label.isEmpty() || label.equals(details.label()))
                && (origin.isEmpty() || hasFrame(report, origin.get()));
    }

    /** Returns the conditions and bounds: {@code L1, owner "dispatch", at most 8 buffers}. */
    public String conditions() {
        List<String> parts = new ArrayList<>();
        type.ifPresent(only -> parts.add(only.name()));
        device.ifPresent(only -> parts.add("device " + only));
        size.ifPresent(only -> parts.add(Quantities.size(only) + " each"));
        lifetime.ifPresent(only -> parts.add("lifetime " + only));
        owner.ifPresent(part -> parts.add("owner \"" + part + '"'));
        label.ifPresent(only -> parts.add("label \"" + only + '"'));
        origin.ifPresent(part -> parts.add("origin \"" + part + '"'));
        count.ifPresent(most -> parts.add("at most " + Quantities.count(most, "buffer")));
        bytes.ifPresent(most -> parts.add("at most " + Quantities.size(most) + " in all"));
        return parts.isEmpty() ? "every buffer" : String.join(", ", parts);
    }

    @Override
    public String toString() {
        return conditions() + ", because \"" + because + '"';
    }

    private static <T> boolean fitsAll(Optional<T> condition, T value) {
        return condition.isEmpty() || condition.get().equals(value);
    }

    private static boolean hasFrame(Report report, String part) {
        return report.request().origin().stream()
                .flatMap(found -> found.frames().stream())
                .anyMatch(frame -> frame.toString().contains(part));
    }

    private static void refuseBlank(String name, Optional<String> text) {
        if (text.filter(String::isBlank).isPresent()) {
            throw new IllegalArgumentException("An expected buffer's " + name
                    + " is a text to look for: a blank one was given. Leave it out to allow any.");
        }
    }

    private static void refuseNegative(String name, long value) {
        if (value < 0) {
            throw new IllegalArgumentException("An expected buffer's " + name + " is 0 or more: " + value
                    + " was given. Leave it out to allow any.");
        }
    }
}
