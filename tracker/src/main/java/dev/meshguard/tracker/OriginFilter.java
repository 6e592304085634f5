package dev.meshguard.tracker;

import dev.meshguard.event.Origin;
import dev.meshguard.tracker.internal.ClassesOnStacks;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * Selects the frames of a stack that are not the origin of a request: those of an adapter and of the library that calls it.
 *
 * <p>Without a filter, every buffer would seem to come from the line of the adapter, or from a line of the library. A filter is
 * applied when the stack is first read, so it costs nothing while the code under test runs.
 *
 * <pre>{@code
 * OriginFilter callers = OriginFilter.skipping("io.netty.", "com.example.pool.");
 * }</pre>
 *
 * <p>A static initializer is not skipped: a library whose class a test uses first allocates its constants there.
 *
 * <p>If nothing but such frames and those of the JDK remains, as on an event loop, the stack is kept as it is. To skip fewer
 * frames then, use {@link #orElse}.
 *
 * <p>Immutable.
 *
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public final class OriginFilter {

    private static final List<String> JDK = List.of("java.", "javax.", "jdk.", "sun.");
    private static final String TRACKER = "dev.meshguard.tracker.";
    private static final String ENGINE = "org.junit.";
    private static final String STATIC_INITIALIZER = "<clinit>";
    private static final String CONSTRUCTOR = "<init>";
    private static final OriginFilter NONE = new OriginFilter(List.of());

    /** The classes to skip; the next ones apply if nothing remains without the first ones. */
    private final List<Alternative> alternatives;

    /**
     * Classes to skip.
     *
     * @param library further ones, unless nothing else remains
     * @param constructing classes whose constructors keep the library
     */
    private record Alternative(ClassNames names, ClassNames library, ClassNames constructing) {

        private static final ClassNames NO_LIBRARY = ClassNames.of();

        static Alternative of(ClassNames names) {
            return new Alternative(names, NO_LIBRARY, NO_LIBRARY);
        }

        boolean skips(StackTraceElement frame) {
            String name = frame.getClassName();
            return (names.contain(name) || library.contain(name))
                    && !frame.getMethodName().equals(STATIC_INITIALIZER);
        }

        private boolean mayBeOrigin(StackTraceElement frame) {
            return library.equals(NO_LIBRARY) || !frame.getClassName().startsWith(ENGINE);
        }

        private boolean isConstructing(StackTraceElement frame) {
            return frame.getMethodName().equals(CONSTRUCTOR)
                    && constructing.contain(frame.getClassName())
                    && !names.contain(frame.getClassName());
        }

        /** Returns the index of the first frame that is not skipped; the number of frames if there is none. */
        int firstOf(StackTraceElement... frames) {
            int first = 0;
            int next = 0;
            // Libraries call back through the JDK, and their frames alternate with those of the adapter.
            while (next < frames.length && (skips(frames[next]) || isBetween(frames[next]))) {
                if (isConstructing(frames[next])) {
                    return frames.length;
                }
                next++;
                first = skips(frames[next - 1]) ? next : first;
            }
            return next < frames.length && mayBeOrigin(frames[next]) ? first : frames.length;
        }
    }

    private OriginFilter(List<Alternative> alternatives) {
        this.alternatives = alternatives;
    }

    /** Returns the filter that skips nothing. */
    public static OriginFilter none() {
        return NONE;
    }

    /** Returns a filter that skips a class and its nested classes, for example an adapter around a device binding. */
    public static OriginFilter skipping(Class<?> adapter) {
        return skipping(adapter.getName());
    }

    /**
     * Returns a filter that skips packages and classes.
     *
     * @param names packages with the full stop at the end, subpackages included ({@code io.netty.}), or classes, nested classes
     *     included
     * @throws IllegalArgumentException if a name is blank
     */
    public static OriginFilter skipping(String... names) {
        return new OriginFilter(List.of(Alternative.of(ClassNames.of(names))));
    }

    /**
     * Returns a filter that also skips the library that called what is skipped, because the reader looks for the code that called
     * the library. The library stays if the stack shows no other code, or a constructor that requests for its own object.
     *
     * @param library packages and classes, as in {@link #skipping(String...)}
     * @param constructing those whose constructors do so
     */
    public OriginFilter beyond(Collection<String> library, Collection<String> constructing) {
        ClassNames skipped = ClassNames.of(library.toArray(String[]::new));
        ClassNames kept = ClassNames.of(constructing.toArray(String[]::new));
        return new OriginFilter(Stream.concat(
                        alternatives.stream().map(alternative -> new Alternative(alternative.names(), skipped, kept)),
                        alternatives.stream())
                .toList());
    }

    /**
     * Returns a filter that applies another one if nothing but skipped frames and those of the JDK remains. The other one skips
     * only a part of the library, so that its remaining line says what it allocated for. Several are tried in the order in which
     * they were added.
     */
    public OriginFilter orElse(OriginFilter narrower) {
        return new OriginFilter(Stream.concat(alternatives.stream(), narrower.alternatives.stream())
                .toList());
    }

    /** Returns the origin in a stack that was captured before. */
    public Origin originOf(Throwable captured) {
        StackTraceElement[] stack = captured.getStackTrace();
        ClassesOnStacks.add(stack);
        return Origin.of(apply(stack));
    }

    /** Returns the frames from the first that is not skipped, innermost first. */
    StackTraceElement[] apply(StackTraceElement... frames) {
        for (Alternative skipped : alternatives) {
            int first = skipped.firstOf(frames);
            if (first < frames.length) {
                return Arrays.copyOfRange(frames, first, frames.length);
            }
        }
        return frames;
    }

    private static boolean isBetween(StackTraceElement frame) {
        String name = frame.getClassName();
        return name.startsWith(TRACKER) || JDK.stream().anyMatch(name::startsWith);
    }

    /** Returns the skipped names. */
    @Override
    public String toString() {
        return alternatives.stream()
                .map(skipped -> "skipping " + skipped.names().names())
                .collect(Collectors.joining(" or "));
    }
}
