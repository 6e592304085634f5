package dev.meshguard.tracker;

import java.util.Arrays;
import java.util.List;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;
import org.jspecify.annotations.Nullable;

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
    private static final String STATIC_INITIALIZER = "<clinit>";
    private static final OriginFilter NONE = new OriginFilter(ClassNames.NONE, null);

    private final ClassNames skipped;
    private final @Nullable OriginFilter otherwise;

    private OriginFilter(ClassNames skipped, @Nullable OriginFilter otherwise) {
        this.skipped = skipped;
        this.otherwise = otherwise;
    }

    /** Returns the filter that skips nothing. */
    public static OriginFilter none() {
        return NONE;
    }

    /** Returns a filter that skips a class and its nested classes, for example an adapter around a device binding. */
    public static OriginFilter skipping(Class<?> adapter) {
        return new OriginFilter(ClassNames.of(adapter.getName()), null);
    }

    /**
     * Returns a filter that skips packages and classes.
     *
     * @param names packages with the full stop at the end, subpackages included ({@code io.netty.}), or classes, nested classes
     *     included
     * @throws IllegalArgumentException if a name is blank
     */
    public static OriginFilter skipping(String... names) {
        return new OriginFilter(ClassNames.of(names), null);
    }

    /**
     * Returns a filter that applies another one if nothing but skipped frames and those of the JDK remains. The other one skips
     * only a part of the library, so that its remaining line says what it allocated for. Several are tried in the order in which
     * they were added.
     */
    public OriginFilter orElse(OriginFilter narrower) {
        return new OriginFilter(skipped, otherwise == null ? narrower : otherwise.orElse(narrower));
    }

    /** Returns the frames from the first that is not skipped, innermost first. */
    StackTraceElement[] apply(StackTraceElement... frames) {
        if (skipped.names().isEmpty()) {
            return frames;
        }
        int first = 0;
        int next = 0;
        // Libraries call back through the JDK, and their frames alternate with those of the adapter.
        while (next < frames.length && (isSkipped(frames[next]) || isBetween(frames[next]))) {
            next++;
            first = isSkipped(frames[next - 1]) ? next : first;
        }
        if (next < frames.length) {
            return Arrays.copyOfRange(frames, first, frames.length);
        }
        return otherwise == null ? frames : otherwise.apply(frames);
    }

    private static boolean isBetween(StackTraceElement frame) {
        String name = frame.getClassName();
        return name.startsWith(TRACKER) || JDK.stream().anyMatch(name::startsWith);
    }

    private boolean isSkipped(StackTraceElement frame) {
        return skipped.contain(frame.getClassName()) && !frame.getMethodName().equals(STATIC_INITIALIZER);
    }

    /** Returns the skipped names. */
    @Override
    public String toString() {
        return "skipping " + skipped.names() + (otherwise == null ? "" : " or " + otherwise);
    }
}
