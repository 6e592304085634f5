package dev.meshguard.weave;

import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Predicate;
import java.util.stream.Stream;
import net.bytebuddy.jar.asm.ClassReader;
import net.bytebuddy.utility.OpenedClassReader;
import org.jspecify.annotations.Nullable;

/**
 * The supertypes of classes, by internal names.
 *
 * <p>When a class is transformed, its superclass may not be loaded yet; loading it there would hide it from other agents. So its class file is
 * read.
 */
final class ClassHierarchy {

    private static final String OBJECT = "java/lang/Object";

    /** The superclass comes first. */
    private final Map<String, List<String>> supertypes = new ConcurrentHashMap<>(Map.of(OBJECT, List.of()));
    /** Classes without a file, which were generated. */
    private final Set<String> unknown = ConcurrentHashMap.newKeySet();
    /** Set when loaded classes may lack calls, because more is known than when they were loaded. */
    private final AtomicBoolean isStale = new AtomicBoolean();

    AtomicBoolean isStale() {
        return isStale;
    }

    static String nameOf(Class<?> type) {
        return internal(type.getName());
    }

    static String internal(String className) {
        return className.replace('.', '/');
    }

    void add(Class<?> loaded) {
        Class<?> parent = loaded.isInterface() ? Object.class : loaded.getSuperclass();
        // Nothing is computed inside the map: that could load a class, which is added as well.
        if (parent != null && !supertypes.containsKey(nameOf(loaded))) {
            supertypes.put(
                    nameOf(loaded),
                    Stream.concat(Stream.of(parent), Arrays.stream(loaded.getInterfaces()))
                            .map(ClassHierarchy::nameOf)
                            .toList());
        }
    }

    /** Adds a class that is being loaded. */
    void add(String name, ClassReader loading) {
        supertypes.put(name, supertypesOf(loading));
        if (unknown.remove(name)) {
            isStale.set(true);
        }
    }

    /** The reader decodes a name each time that it is asked for it. */
    private static List<String> supertypesOf(ClassReader type) {
        String parent = type.getSuperName();
        List<String> names = new ArrayList<>(3);
        if (parent != null) {
            names.add(parent);
            Collections.addAll(names, type.getInterfaces());
        }
        return names;
    }

    /** Returns whether a class or one of its supertypes fulfills a condition. */
    boolean inherits(String name, @Nullable ClassLoader loader, Predicate<String> condition) {
        if (condition.test(name)) {
            return true;
        }
        for (String supertype : supertypesOf(name, loader)) {
            if (inherits(supertype, loader, condition)) {
                return true;
            }
        }
        return false;
    }

    /** Returns the names of a class and of all its supertypes. */
    Set<String> withSupertypes(String name, @Nullable ClassLoader loader) {
        Set<String> names = new LinkedHashSet<>();
        inherits(name, loader, type -> {
            names.add(type);
            return false;
        });
        return names;
    }

    /** Returns the superclass. */
    String superclass(String name, @Nullable ClassLoader loader) {
        return supertypesOf(name, loader).stream().findFirst().orElse(OBJECT);
    }

    private List<String> supertypesOf(String name, @Nullable ClassLoader loader) {
        List<String> known = supertypes.get(name);
        if (known == null) {
            known = read(name, loader);
            if (known.isEmpty()) {
                unknown.add(name);
            } else {
                supertypes.put(name, known);
            }
        }
        return known;
    }

    private static List<String> read(String name, @Nullable ClassLoader loader) {
        String file = name + ".class";
        try (InputStream found =
                loader == null ? ClassLoader.getSystemResourceAsStream(file) : loader.getResourceAsStream(file)) {
            return found == null ? List.of() : supertypesOf(OpenedClassReader.of(found.readAllBytes(), true));
        } catch (IOException | RuntimeException | LinkageError unreadable) {
            return List.of();
        }
    }
}
