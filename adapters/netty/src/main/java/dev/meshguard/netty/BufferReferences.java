package dev.meshguard.netty;

import dev.meshguard.event.Origin;
import dev.meshguard.event.References;
import dev.meshguard.text.FrameName;
import dev.meshguard.tracker.OriginFilter;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * The references to one buffer, with the stacks that explain why it is still allocated. Safe for use by several threads.
 *
 * <p>A stack costs a microsecond or two, and its frames much more, so they are read only when a buffer has survived. The stack of a
 * release shows whether it answers a retain. Without it, as for a buffer that is retained and released all the time, a release takes
 * back the last retain.
 */
final class BufferReferences {

    /** The stacks of a buffer, of retains and of releases. */
    private static final int MAX_STACKS = 16;

    /** Methods that hand a call on to the buffer, in classes of Netty and of users. */
    private static final Set<String> DELEGATES = Set.of("retain", "release", "touch");

    private final OriginFilter library;
    private final OriginFilter callers;
    /** How many stacks of releases the test may still capture. */
    private final AtomicInteger stacksOfReleases;

    private long retains;
    private long releases;
    /** Those that no release without a stack has taken back, oldest first. */
    private final Deque<Call> retained = new ArrayDeque<>();

    private final List<Call> released = new ArrayList<>(0);
    private @Nullable Call touched;
    private boolean isReported = true;

    /**
     * Creates the references to a buffer that was just allocated.
     *
     * @param library skips the classes of Netty that count references
     * @param callers skips all classes of Netty, where any others follow
     * @param stacksOfReleases how many stacks of releases the buffers of the test may still capture
     */
    BufferReferences(OriginFilter library, OriginFilter callers, AtomicInteger stacksOfReleases) {
        this.library = library;
        this.callers = callers;
        this.stacksOfReleases = stacksOfReleases;
    }

    /** A stack. Its number orders the retains and releases of a buffer. */
    private record Call(long number, Throwable stack, Optional<String> hint) {

        private References.Use use(OriginFilter filter) {
            return new References.Use(origin(filter), hint);
        }

        private Origin origin(OriginFilter filter) {
            Origin origin = filter.originOf(stack);
            List<StackTraceElement> callers = origin.frames().stream()
                    .dropWhile(frame -> DELEGATES.contains(frame.getMethodName()))
                    .toList();
            return callers.isEmpty() ? origin : new Origin(callers);
        }
    }

    /**
     * Records a call that leaves the buffer allocated.
     *
     * @param method {@code retain}, {@code release} or {@code touch}
     * @param references how many references it adds or takes back
     */
    synchronized void called(String method, int references, Optional<String> hint) {
        long number = retains + releases;
        isReported = false;
        switch (method) {
            case "retain" -> {
                if (retained.size() == MAX_STACKS) {
                    retained.removeFirst();
                }
                retained.addLast(new Call(number, new Throwable(), hint));
                retains += references;
            }
            case "release" -> {
                if (released.size() < MAX_STACKS && stacksOfReleases.getAndDecrement() > 0) {
                    released.add(new Call(number, new Throwable(), hint));
                } else {
                    retained.pollLast();
                }
                releases += references;
            }
            default -> touched = new Call(number, new Throwable(), hint);
        }
    }

    /** Returns the references, if they have changed since the last call. */
    synchronized Optional<References> changed() {
        if (isReported) {
            return Optional.empty();
        }
        isReported = true;
        Deque<Call> open = new ArrayDeque<>(retained);
        List<Call> others =
                released.stream().filter(release -> !answers(release, open)).toList();
        Optional<Call> lastOfUser = last(
                open.stream().filter(call -> isOfUser(call.origin(callers))).toList());
        return Optional.of(new References(
                retains,
                releases,
                lastOfUser.or(() -> last(List.copyOf(open))).map(call -> call.use(callers)),
                last(others).map(call -> call.use(library)),
                Optional.ofNullable(touched).map(call -> call.use(callers))));
    }

    private static Optional<Call> last(List<Call> calls) {
        return calls.isEmpty() ? Optional.empty() : Optional.of(calls.get(calls.size() - 1));
    }

    private static boolean isOfUser(Origin origin) {
        return origin.site()
                .filter(frame -> !frame.getClassName().startsWith("io.netty."))
                .isPresent();
    }

    /** Removes the retain that a release answers for certain: both are calls of one execution of a method. */
    private boolean answers(Call release, Deque<Call> open) {
        for (Iterator<Call> latest = open.descendingIterator(); latest.hasNext(); ) {
            Call retain = latest.next();
            if (retain.number() < release.number() && areOfOneMethod(retain.origin(library), release.origin(library))) {
                latest.remove();
                return true;
            }
        }
        return false;
    }

    private static boolean areOfOneMethod(Origin one, Origin other) {
        List<StackTraceElement> frames = one.frames();
        List<StackTraceElement> others = other.frames();
        return !frames.isEmpty()
                && !others.isEmpty()
                && FrameName.of(frames.get(0)).equals(FrameName.of(others.get(0)))
                && frames.subList(1, frames.size()).equals(others.subList(1, others.size()));
    }
}
