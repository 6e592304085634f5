package dev.meshguard.event;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * Where in the code under test a buffer was asked for.
 *
 * <p>A stack without the frames of MeshGuard above it and those of JUnit and reflection below it, the user's own line
 * first. Two origins are equal when their frames are.
 *
 * @param frames the frames, innermost first; empty if nothing but MeshGuard and JUnit was on the stack
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public record Origin(List<StackTraceElement> frames) {

    /** Code that stands between the caller and the listener: it is never what the reader looks for. */
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

    /** What a mocked method hands its calls to. */
    private static final String MOCKED = "org.mockito.internal.creation.";

    /** Code that calls whatever it is given. */
    private static final List<String> LIBRARY = List.of("java.", "jdk.");

    /** Where the engine hands over to the test: what lies below is the same for every test. */
    private static final List<String> ENGINE = List.of("org.junit.", "org.apache.maven.surefire.");
    /** How the engine calls the test. */
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
            // Class loader and module names make equal places differ between the class path and the module path.
            frames.add(new StackTraceElement(
                    frame.getClassName(), frame.getMethodName(), frame.getFileName(), frame.getLineNumber()));
        }
        return new Origin(frames);
    }

    /** Returns the user's own line, the innermost frame. */
    public Optional<StackTraceElement> site() {
        return frames.isEmpty() ? Optional.empty() : Optional.of(frames.get(0));
    }

    /** Returns the user's own line as an IDE makes it clickable, or {@code an unknown place}. */
    @Override
    public String toString() {
        return site().map(StackTraceElement::toString).orElse("an unknown place");
    }

    /** The library calls back: {@code tensors.forEach(ttnn::deallocate)} is the user's line, and not that of the list. */
    private static int firstOfUser(StackTraceElement... stack) {
        int first = 0;
        int next = 0;
        while (next < stack.length
                && (isMachinery(stack[next]) || startsWithAny(stack[next].getClassName(), LIBRARY))) {
            next++;
            first = isMachinery(stack[next - 1]) ? next : first;
        }
        boolean isUser = next < stack.length && !startsWithAny(stack[next].getClassName(), ENGINE);
        return pastMockedMethod(isUser ? next : first, stack);
    }

    /** The method of a mock stands where Mockito made it, in no file or in that of a class: who called it is what counts. */
    private static int pastMockedMethod(int first, StackTraceElement... stack) {
        boolean isMocked = first > 0
                && first + 1 < stack.length
                && stack[first - 1].getClassName().startsWith(MOCKED);
        return isMocked ? first + 1 : first;
    }

    /**
     * A test class of MeshGuard's own lives in the package it tests and is user code all the same, so only classes
     * that are not called like a test count as machinery.
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
