package dev.meshguard.handle;

import dev.meshguard.event.HistoryEvent;
import dev.meshguard.event.MemoryRequest;
import dev.meshguard.history.AllocationHistory;
import dev.meshguard.history.BufferGeneration;
import dev.meshguard.tracker.AllocationListener;
import java.lang.reflect.Modifier;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.UUID;

/** Classifies and names classes for a search. */
final class JavaTypes {

    /** Classes that hold nothing of interest and whose text runs no foreign code. */
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

    /**
     * Classes at whose objects a path ends. Those that record and judge know every request, but hold no handle. The others
     * represent the running program, not data that was stored in it.
     */
    private static final List<Class<?>> ENDS = List.of(
            AllocationListener.class,
            MemoryRequest.class,
            AllocationHistory.class,
            BufferGeneration.class,
            HistoryEvent.class,
            Class.class,
            ClassLoader.class,
            Thread.class,
            ThreadGroup.class);

    /** The interfaces by which hidden classes of the JDK are named. */
    private static final List<Class<?>> ROLES =
            List.of(Map.class, List.class, Set.class, Queue.class, Collection.class, Map.Entry.class);

    private JavaTypes() {}

    static boolean isLeaf(Class<?> type) {
        return type.isPrimitive() || LEAVES.contains(type);
    }

    static boolean isOfTheJdk(Class<?> type) {
        ClassLoader loader = type.getClassLoader();
        return loader == null || loader == ClassLoader.getPlatformClassLoader();
    }

    /** Returns whether the contents of objects of a class are excluded. */
    static boolean endsPath(Class<?> type) {
        return isLeaf(type)
                || type.isAnnotationPresent(NotSearched.class)
                || ENDS.stream().anyMatch(end -> end.isAssignableFrom(type));
    }

    /**
     * Returns whether a container can be iterated without running code of the program under test.
     *
     * <p>This excludes views that an abstract class of the JDK creates over the program's own collection. It includes the
     * wrappers of {@code java.util.Collections}, which iterate the collection that they wrap: only their closed fields
     * distinguish the program's from the JDK's.
     */
    static boolean isOpenContainer(Class<?> type) {
        return type.getClassLoader() == null
                && type.getName().startsWith("java.util.")
                && !type.getName().startsWith("java.util.Abstract")
                && (Collection.class.isAssignableFrom(type) || Map.class.isAssignableFrom(type));
    }

    /** Returns the readable name of a class; a hidden class of the JDK is named by its interface. */
    static String nameOf(Class<?> type) {
        if (type.isArray()) {
            return nameOf(type.getComponentType()) + "[]";
        }
        if (type.isAnonymousClass()) {
            Class<?> known = type.getInterfaces().length > 0 ? type.getInterfaces()[0] : type.getSuperclass();
            return "an anonymous " + nameOf(known);
        }
        if (isOfTheJdk(type) && (type.getEnclosingClass() != null || !Modifier.isPublic(type.getModifiers()))) {
            for (Class<?> role : ROLES) {
                if (role.isAssignableFrom(type)) {
                    return role == Map.Entry.class ? "Map.Entry" : role.getSimpleName();
                }
            }
        }
        return type.getSimpleName();
    }

    /** Returns the readable name of a class with its article. */
    static String withArticle(Class<?> type) {
        String name = nameOf(type);
        return ("AEIOUaeiou".indexOf(name.charAt(0)) >= 0 ? "an " : "a ") + name;
    }
}
