package dev.meshguard.verdict.expectation;

import dev.meshguard.event.AllocationDetails;
import dev.meshguard.event.BufferKind;
import dev.meshguard.event.BufferType;
import dev.meshguard.event.Owner;
import dev.meshguard.history.BufferGeneration;
import dev.meshguard.history.BufferGeneration.Report;
import dev.meshguard.text.InvariantText;
import dev.meshguard.text.Quantities;
import java.time.LocalDate;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * An expectation: the buffers that may survive a check, or {@linkplain #overwritten() be overwritten}, with bounds for number
 * and time, and the reason.
 *
 * <p>A missing condition matches everything. The count is a bound over all devices of one check. One buffer more than it
 * allows is not expected. If fewer buffers survive than an entry requires, the entry is out of date, also if none
 * survives. An entry {@linkplain #forSeveralChecks() for several checks} may have none. Start from
 * {@link #because(String)}.
 *
 * <pre>{@code
 * Expectation.because("dispatch keeps its ring until the driver unloads").type(BufferType.L1).owner("dispatch").exactly(8);
 * }</pre>
 *
 * <p>The same as a line of a file, see {@link ExpectedBuffers#parse}: {@code L1 count exactly 8 owner "dispatch"
 * because "dispatch keeps its ring until the driver unloads"}.
 *
 * <p>Two entries are equal if their terms are equal, wherever they are written. Immutable.
 *
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public final class Expectation {

    /** The terms of an entry; they change only before an entry uses them. */
    private static final class Terms implements Cloneable {
        private String because;
        private Optional<BufferType> type = Optional.empty();
        private DeviceSet devices = DeviceSet.any();
        private OptionalLong size = OptionalLong.empty();
        private Bound count = Bound.any();
        private Optional<String> owner = Optional.empty();
        private Optional<String> label = Optional.empty();
        private Optional<OriginPattern> origin = Optional.empty();
        private Optional<LocalDate> until = Optional.empty();
        private Optional<SourceLine> source = Optional.empty();
        private Optional<String> location = Optional.empty();
        private boolean isForSeveralChecks;
        private boolean isForOverwritten;

        private Terms(String because) {
            this.because = because;
        }

        @Override
        protected Terms clone() {
            try {
                return (Terms) super.clone();
            } catch (CloneNotSupportedException impossible) {
                throw new IllegalStateException(impossible);
            }
        }
    }

    private final Terms terms;

    private Expectation(Terms terms) {
        this.terms = terms;
    }

    /**
     * Starts an entry that matches every buffer, with the reason why buffers may survive.
     *
     * @throws IllegalArgumentException if the reason is blank
     */
    public static Expectation because(String reason) {
        if (reason.isBlank()) {
            throw new IllegalArgumentException(
                    "An expected buffer needs a reason: say in \"because\" why it is expected; a blank one was given.");
        }
        return new Expectation(new Terms(reason));
    }

    private Expectation with(Consumer<Terms> change) {
        Terms changed = terms.clone();
        change.accept(changed);
        return new Expectation(changed);
    }

    // Conditions

    /** Returns this entry for one memory only. */
    public Expectation type(BufferType only) {
        return with(changed -> changed.type = Optional.of(only));
    }

    /** Returns this entry for some devices only. */
    public Expectation devices(DeviceSet only) {
        return with(changed -> changed.devices = only);
    }

    /** Returns this entry for buffers of exactly this size, in bytes. */
    public Expectation size(long only) {
        ExpectationChecks.rejectNegative("size", only);
        return with(changed -> changed.size = OptionalLong.of(only));
    }

    /** Returns this entry for buffers whose owner, as in {@link Owner#toString}, contains the given text. */
    public Expectation owner(String part) {
        ExpectationChecks.rejectBlank("owner", part);
        return with(changed -> changed.owner = Optional.of(part));
    }

    /** Returns this entry for buffers with exactly this label. */
    public Expectation label(String only) {
        ExpectationChecks.rejectBlank("label", only);
        return with(changed -> changed.label = Optional.of(only));
    }

    /** Returns this entry for buffers that some code requested; see {@link OriginPattern} for the syntax. */
    public Expectation origin(String pattern) {
        OriginPattern only = new OriginPattern(pattern);
        return with(changed -> changed.origin = Optional.of(only));
    }

    /**
     * Returns this entry for buffers whose data may be overwritten, instead of buffers that may survive.
     *
     * <p>It then permits {@linkplain dev.meshguard.verdict.LeakVerdict#overwrites() overwrites}, and no leak. Its bounds are
     * about the overwritten buffers.
     */
    public Expectation overwritten() {
        return with(changed -> changed.isForOverwritten = true);
    }

    // Bounds

    /** Returns this entry for at most the given number of buffers. */
    public Expectation atMost(long count) {
        return count(new Bound(0, count));
    }

    /** Returns this entry for at least the given number of buffers; see {@link #forSeveralChecks()} for none. */
    public Expectation atLeast(long count) {
        return count(new Bound(count, Long.MAX_VALUE));
    }

    /** Returns this entry for exactly the given number of buffers; see {@link #forSeveralChecks()} for none. */
    public Expectation exactly(long count) {
        return count(Bound.exactly(count));
    }

    /** Returns this entry for a number of buffers between two; see {@link #forSeveralChecks()} for none. */
    public Expectation between(long fewest, long most) {
        return count(new Bound(fewest, most));
    }

    /** Returns this entry with another bound. */
    public Expectation count(Bound bound) {
        return with(changed -> changed.count = bound);
    }

    /**
     * Returns this entry with a last day of validity, as an ISO date: {@code 2026-12-31}.
     *
     * @throws IllegalArgumentException if the text is no such date
     */
    public Expectation until(String lastDay) {
        try {
            LocalDate last = LocalDate.parse(lastDay);
            return with(changed -> changed.until = Optional.of(last));
        } catch (DateTimeParseException noDate) {
            throw new IllegalArgumentException(
                    InvariantText.of(
                            "An expected buffer's until is the last day on which it is expected, as an ISO date like 2026-12-31:"
                                    + " \"%s\" was given.",
                            lastDay),
                    noDate);
        }
    }

    /** Returns this entry with another reason. */
    Expectation withReason(String reason) {
        return with(changed -> changed.because = because(reason).because());
    }

    /** Returns this entry with its line in a file. */
    public Expectation writtenAt(SourceLine line) {
        return with(changed -> changed.source = Optional.of(line));
    }

    /** Returns this entry with a location that is no line of a file, for example an annotation on a class. */
    public Expectation locatedAt(String where) {
        return with(changed -> {
            changed.source = Optional.empty();
            changed.location = Optional.of(where);
        });
    }

    /**
     * Returns this entry for several checks, some of which may have no matching buffer. No buffer at all then meets its
     * bounds; a smaller number than they allow does not.
     *
     * <p>Without this method, an entry is for one check, and its bounds also apply if no buffer survives:
     * {@code exactly(8)} fails then. Entries of a file are for several checks, because a file serves many tests.
     */
    public Expectation forSeveralChecks() {
        return with(changed -> changed.isForSeveralChecks = true);
    }

    // Terms

    /** Returns why the buffers may survive. */
    public String because() {
        return terms.because;
    }

    /** Returns the memory. */
    public Optional<BufferType> type() {
        return terms.type;
    }

    /** Returns the devices. */
    public DeviceSet devices() {
        return terms.devices;
    }

    /** Returns the size of each buffer, in bytes. */
    public OptionalLong size() {
        return terms.size;
    }

    /** Returns the number of buffers. */
    public Bound count() {
        return terms.count;
    }

    /** Returns the text that the owner's name contains. */
    public Optional<String> owner() {
        return terms.owner;
    }

    /** Returns the exact label. */
    public Optional<String> label() {
        return terms.label;
    }

    /** Returns the code that requested the buffers. */
    public Optional<OriginPattern> origin() {
        return terms.origin;
    }

    /** Returns the last day of validity. */
    public Optional<LocalDate> until() {
        return terms.until;
    }

    /** Returns the line of the file that contains it, if any. */
    public Optional<SourceLine> source() {
        return terms.source;
    }

    /** Returns its location: the line of a file, or the location set with {@link #locatedAt(String)}. */
    public Optional<String> location() {
        return terms.source.map(SourceLine::toString).or(() -> terms.location);
    }

    /** Returns whether it permits that data is overwritten, and not that buffers survive; see {@link #overwritten()}. */
    public boolean isForOverwritten() {
        return terms.isForOverwritten;
    }

    /** Returns whether no matching buffer breaks its bounds. */
    public boolean isBrokenByNone() {
        return !terms.isForSeveralChecks && terms.count.atLeast() > 0;
    }

    // Matching

    /**
     * Returns whether the conditions match a buffer; bounds and time are ignored.
     *
     * <p>If several reports of one address are open, all of them have to match: a leak must not be hidden because it
     * shares the address of an expected buffer. Only circular buffers share addresses by design, and the first report
     * counts for all.
     */
    public boolean fits(BufferGeneration buffer) {
        return (terms.type.isEmpty() || terms.type.get() == buffer.type())
                && terms.devices.contains(buffer.device())
                && decisive(buffer).allMatch(this::fits);
    }

    private static Stream<Report> decisive(BufferGeneration buffer) {
        List<Report> remaining = buffer.reportsRemaining();
        if (remaining.isEmpty()) {
            return buffer.reports().stream().limit(1);
        }
        boolean areCircular =
                remaining.stream().allMatch(report -> report.details().kind() == BufferKind.CIRCULAR_BUFFER);
        return areCircular ? remaining.stream().limit(1) : remaining.stream();
    }

    private boolean fits(Report report) {
        AllocationDetails details = report.details();
        return (terms.size.isEmpty() || terms.size.getAsLong() == report.size())
                && (terms.label.isEmpty() || terms.label.equals(details.label()))
                && (terms.owner.isEmpty()
                        || details.owner()
                                .filter(found -> found.toString().contains(terms.owner.get()))
                                .isPresent())
                && (terms.origin.isEmpty()
                        || report.request()
                                .origin()
                                .filter(terms.origin.get()::fits)
                                .isPresent());
    }

    // Text

    /** Returns conditions, bounds and time: {@code L1, owner "dispatch", at most 8 buffers}. */
    public String conditions() {
        List<String> parts = new ArrayList<>(memoryClauses());
        terms.size.ifPresent(only -> parts.add(Quantities.size(only) + " each"));
        parts.addAll(requestClauses());
        if (!terms.count.isAny()) {
            parts.add(terms.count.toString());
        }
        terms.until.ifPresent(last -> parts.add("until " + last));
        return parts.isEmpty() ? "every buffer" : String.join(", ", parts);
    }

    /**
     * Returns the entry as a line of a file, as {@link ExpectedBuffers#parse} reads it. The clauses always have the same
     * order, so that files can be compared.
     */
    public String toText() {
        List<String> clauses = new ArrayList<>(memoryClauses());
        terms.size.ifPresent(only -> clauses.add("size " + only));
        if (!terms.count.isAny()) {
            clauses.add("count " + terms.count.toText());
        }
        clauses.addAll(requestClauses());
        terms.until.ifPresent(last -> clauses.add("until " + last));
        clauses.add("because " + Quantities.quoted(terms.because));
        return String.join(" ", clauses);
    }

    private List<String> memoryClauses() {
        List<String> clauses = new ArrayList<>();
        if (terms.isForOverwritten) {
            clauses.add("overwritten");
        }
        terms.type.ifPresent(only -> clauses.add(only.name()));
        if (!terms.devices.isAny()) {
            clauses.add((terms.devices.ids().size() == 1 ? "device " : "devices ") + terms.devices);
        }
        return clauses;
    }

    private List<String> requestClauses() {
        List<String> clauses = new ArrayList<>();
        terms.owner.ifPresent(part -> clauses.add("owner " + Quantities.quoted(part)));
        terms.label.ifPresent(only -> clauses.add("label " + Quantities.quoted(only)));
        terms.origin.ifPresent(pattern -> clauses.add("origin " + Quantities.quoted(pattern.text())));
        return clauses;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Expectation entry && entry.toText().equals(toText());
    }

    @Override
    public int hashCode() {
        return toText().hashCode();
    }

    /** Returns the entry as readable text, with its location. */
    @Override
    public String toString() {
        return conditions() + ", because " + Quantities.quoted(terms.because)
                + terms.source.map(line -> " at " + line).orElse("");
    }
}
