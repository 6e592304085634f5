package dev.meshguard.event;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * The place in the code under test that requested a buffer.
 *
 * <p>It is a call stack without the frames of MeshGuard above it and those of JUnit and reflection below it. The user's
 * own line comes first. Two origins are equal if their frames are equal.
 *
 * @param frames the frames, innermost first; empty if the stack held only MeshGuard and JUnit
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public record Origin(List<StackTraceElement> frames) {

    /** Code between the caller and the listener. The reader never looks for it. */
    private static final List<String> MACHINERY = List.of(
            "dev.meshguard.event.",
            "dev.meshguard.tracker.",
            "dev.meshguard.verdict.",
            "dev.meshguard.mesh.",
            "dev.meshguard.report.",
            "dev.meshguard.assertions.",
            "dev.meshguard.junit.",
            "dev.meshguard.mockito.",
            "dev.meshguard.server.",
            "org.mockito.",
            "net.bytebuddy.",
            "java.lang.reflect.",
            "java.lang.invoke.",
            "jdk.internal.reflect.");

    /** The code to which a mocked method delegates its calls. */
    private static final String MOCKED = "org.mockito.internal.creation.";

    /** Code that runs callbacks. */
    private static final List<String> LIBRARY = List.of("java.", "jdk.");

    /** Code of the test engine: the frames below its call of the test are the same for every test. */
    private static final List<String> ENGINE = List.of("org.junit.", "org.apache.maven.surefire.");
    /** Code through which the engine calls the test. */
    private static final List<String> REFLECTION = List.of("java.lang.reflect.", "jdk.internal.reflect.");

    /** Creates an origin with its own copy of the frames. */
    public Origin {
        frames = List.copyOf(frames);
    }

    /** Trims a raw stack, innermost frame first. */
    public static Origin of(StackTraceElement... stack) {
        int first = firstOfUser(stack);
        int end = first;
        while (end < stack.length && !startsWithAny(stack[end].getClassName(), ENGINE)) {
            end++;
        }
        while (end > first && startsWithAny(stack[end - 1].getClassName(), REFLECTION)) {
            end--;
        }
        List<StackTraceElement> frames = new ArrayList<>(end - first);
        for (int i = first; i < end; i++) {
            StackTraceElement frame = stack[i];
            // Names of class loaders and modules would make equal lines differ between the class path and the module
            // path.
            frames.add(new StackTraceElement(
                    frame.getClassName(), frame.getMethodName(), frame.getFileName(), frame.getLineNumber()));
        }
        return new Origin(frames);
    }

    /** Returns the user's own line, the innermost frame. */
    public Optional<StackTraceElement> site() {
        return frames.isEmpty() ? Optional.empty() : Optional.of(frames.get(0));
    }

    /** Returns the user's own line in a form that IDEs make clickable, or {@code an unknown place}. */
    @Override
    public String toString() {
        return site().map(StackTraceElement::toString).orElse("an unknown place");
    }

    /**
     * Skips the frames of a library that runs a callback.
     *
     * <p>For {@code tensors.forEach(ttnn::deallocate)} it returns the user's line, not the list's.
     */
    private static int firstOfUser(StackTraceElement... stack) {
        int first = 0;
        int next = 0;
        while (next < stack.length && (isMachinery(stack[next]) || isCallback(stack[next]))) {
            next++;
            first = isMachinery(stack[next - 1]) ? next : first;
        }
        boolean isUser = next < stack.length && !startsWithAny(stack[next].getClassName(), ENGINE);
        return pastMockedMethod(isUser ? next : first, stack);
    }

    /** A constructor calls no code of the user: a source that leaves it on the stack shows for what the memory is. */
    private static boolean isCallback(StackTraceElement frame) {
        return startsWithAny(frame.getClassName(), LIBRARY)
                && !frame.getMethodName().equals("<init>");
    }

    /**
     * Skips the method that Mockito generated, because its caller is the origin. The method has no file, or that of a
     * class.
     */
    private static int pastMockedMethod(int first, StackTraceElement... stack) {
        boolean isMocked = first > 0
                && first + 1 < stack.length
                && stack[first - 1].getClassName().startsWith(MOCKED);
        return isMocked ? first + 1 : first;
    }

    /**
     * Returns whether a frame belongs to MeshGuard.
     *
     * <p>MeshGuard's own test classes lie in the packages that they test, but count as user code. So classes that are
     * named like a test are no machinery.
     */
    private static boolean isMachinery(StackTraceElement frame) {
        String name = frame.getClassName();
        if (!startsWithAny(name, MACHINERY)) {
            return false;
        }
        int nested = name.indexOf('$');
        String topLevel = nested < 0 ? name : name.substring(0, nested);
        return !(topLevel.startsWith("dev.meshguard.")
                && (topLevel.endsWith("Tests") || topLevel.endsWith("TestCase")));
    }

    private static boolean startsWithAny(String name, List<String> prefixes) {
        for (String prefix : prefixes) {
            if (name.startsWith(prefix)) {
                return true;
            }
        }
        return false;
    }
}
