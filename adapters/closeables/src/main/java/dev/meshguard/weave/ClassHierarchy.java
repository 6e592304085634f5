package dev.meshguard.weave;

import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;
import net.bytebuddy.jar.asm.ClassReader;
import net.bytebuddy.utility.OpenedClassReader;
import org.jspecify.annotations.Nullable;

/**
 * The direct supertypes of classes, by internal names.
 *
 * <p>When a class is transformed, its superclass may not be loaded yet; loading it there would hide it from other agents. So its class file is
 * read.
 */
final class ClassHierarchy {

    /** The superclass comes first; empty if it was not found. */
    private final Map<String, List<String>> supertypes = new ConcurrentHashMap<>();

    static String nameOf(Class<?> type) {
        return type.getName().replace('.', '/');
    }

    void add(Class<?> loaded) {
        if (!supertypes.containsKey(nameOf(loaded))) {
            Class<?> parent = loaded.getSuperclass();
            supertypes.put(
                    nameOf(loaded),
                    Stream.concat(
                                    Stream.of(parent == null ? Object.class : parent),
                                    Arrays.stream(loaded.getInterfaces()))
                            .map(ClassHierarchy::nameOf)
                            .toList());
        }
    }

    /** Adds a class that is being loaded, and returns whether it had been searched in vain. */
    boolean add(ClassReader loading) {
        List<String> before = supertypes.put(loading.getClassName(), supertypesOf(loading));
        return before != null && before.isEmpty();
    }

    private static List<String> supertypesOf(ClassReader type) {
        return Stream.concat(Stream.ofNullable(type.getSuperName()), Arrays.stream(type.getInterfaces()))
                .toList();
    }

    /** Returns the names of all supertypes of a class. */
    Set<String> ancestors(String name, @Nullable ClassLoader loader) {
        Set<String> ancestors = new LinkedHashSet<>();
        Deque<String> left = new ArrayDeque<>(direct(name, loader));
        while (!left.isEmpty()) {
            String next = left.remove();
            if (ancestors.add(next)) {
                left.addAll(direct(next, loader));
            }
        }
        return ancestors;
    }

    /** Returns the superclass; {@code java.lang.Object} has none. */
    Optional<String> superclass(String name, @Nullable ClassLoader loader) {
        return direct(name, loader).stream().findFirst();
    }

    private List<String> direct(String name, @Nullable ClassLoader loader) {
        List<String> known = supertypes.get(name);
        if (known == null || known.isEmpty()) {
            known = read(name, loader);
            supertypes.put(name, known);
        }
        return known;
    }

    private static List<String> read(String name, @Nullable ClassLoader loader) {
        String file = name + ".class";
        try (InputStream found =
                loader == null ? ClassLoader.getSystemResourceAsStream(file) : loader.getResourceAsStream(file)) {
            return found == null ? List.of() : supertypesOf(OpenedClassReader.of(found.readAllBytes()));
        } catch (IOException | RuntimeException | LinkageError unreadable) {
            return List.of();
        }
    }
}
