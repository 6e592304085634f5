package dev.meshguard.tracker.handle;

import dev.meshguard.tracker.AllocationListener;
import dev.meshguard.tracker.AllocationRequest;
import dev.meshguard.tracker.history.AllocationHistory;
import dev.meshguard.tracker.history.BufferGeneration;
import dev.meshguard.tracker.history.HistoryEvent;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;

/** What kind of thing a class is for a search. */
final class JavaTypes {

    /** What holds nothing that anybody would look for, and says what it is without running anybody's code. */
    private static final Set<Class<?>> LEAVES = Set.of(
            String.class,
            Boolean.class,
            Character.class,
            Byte.class,
            Short.class,
            Integer.class,
            Long.class,
            Float.class,
            Double.class,
            BigInteger.class,
            BigDecimal.class,
            UUID.class);

    /** What records and judges knows every request, and holds no handle. */
    private static final List<Class<?>> RECORDING = List.of(
            AllocationListener.class,
            AllocationRequest.class,
            AllocationHistory.class,
            BufferGeneration.class,
            HistoryEvent.class);

    /** What stands for all that runs, rather than for something that was put there. */
    private static final List<Class<?>> MACHINERY =
            List.of(Class.class, ClassLoader.class, Thread.class, ThreadGroup.class);

    private JavaTypes() {}

    static boolean isLeaf(Class<?> type) {
        return type.isPrimitive() || LEAVES.contains(type);
    }

    static boolean isOfTheJdk(Class<?> type) {
        ClassLoader loader = type.getClassLoader();
        return loader == null || loader == ClassLoader.getPlatformClassLoader();
    }

    /** Returns whether nothing inside is looked at. */
    static boolean endsPath(Class<?> type) {
        return isLeaf(type)
                || type.isAnnotationPresent(EndOfPath.class)
                || RECORDING.stream().anyMatch(recording -> recording.isAssignableFrom(type))
                || MACHINERY.stream().anyMatch(machinery -> machinery.isAssignableFrom(type));
    }

    /**
     * Returns whether a container can be gone through without running code of the program under test.
     *
     * <p>Not so for a view that an abstract class of the JDK makes of somebody's own collection. The wrappers of
     * {@code java.util.Collections} go through what they wrap, which nothing but their own fields could tell from the JDK's.
     */
    static boolean isOpenContainer(Class<?> type) {
        return type.getClassLoader() == null
                && type.getName().startsWith("java.util.")
                && !type.getName().startsWith("java.util.Abstract")
                && (Collection.class.isAssignableFrom(type) || Map.class.isAssignableFrom(type));
    }

    /** Returns a noun with its article. */
    static String withArticle(String noun) {
        return ("AEIOUaeiou".indexOf(noun.charAt(0)) >= 0 ? "an " : "a ") + noun;
    }
}
