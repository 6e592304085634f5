package dev.meshguard.weave;

import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Predicate;
import java.util.stream.Stream;
import net.bytebuddy.jar.asm.ClassReader;
import net.bytebuddy.jar.asm.Opcodes;
import net.bytebuddy.utility.OpenedClassReader;
import org.jspecify.annotations.Nullable;

/**
 * The supertypes of classes, and the methods of those that have calls, by internal names.
 *
 * <p>When a class is transformed, its superclass may not be loaded yet; loading it there would hide it from other agents. So its class file is
 * read.
 */
final class ClassHierarchy {

    private static final String OBJECT = "java/lang/Object";

    /** Of the classes that a loader defines or finds; the superclass comes first. */
    private final ByLoader<List<String>> supertypes = new ByLoader<>();
    /** The access of the methods without parameters that subclasses inherit or override, by their names. */
    private final ByLoader<Map<String, Integer>> methods = new ByLoader<>();
    /** Classes without a file, which were generated. */
    private final Set<String> unknown = ConcurrentHashMap.newKeySet();
    /** The calls that classes have. */
    private final ByLoader<List<ClassPlan>> plans = new ByLoader<>();
    /** Grows when loaded classes may lack calls, because more is known than when they were loaded. */
    private final AtomicLong version = new AtomicLong();

    ClassHierarchy() {
        supertypesFrom(OBJECT, null).put(OBJECT, List.of());
    }

    long version() {
        return version.get();
    }

    /** Loaded classes may lack calls from now on. */
    void learned() {
        version.incrementAndGet();
    }

    /** Returns the calls that a class has. */
    List<ClassPlan> plansOf(Class<?> type) {
        return plans.of(type.getClassLoader()).getOrDefault(nameOf(type), List.of());
    }

    /** A class has calls now, or its code will have them when it is loaded. */
    void hasPlans(String name, @Nullable ClassLoader loader, List<ClassPlan> added) {
        plans.of(loader).put(name, added);
    }

    static String nameOf(Class<?> type) {
        return internal(type.getName());
    }

    static String internal(String className) {
        return className.replace('.', '/');
    }

    void add(Class<?> loaded) {
        add(loaded, loaded.getClassLoader());
    }

    /** Adds a class that a loader defines, or finds in another one. */
    private void add(Class<?> loaded, @Nullable ClassLoader loader) {
        if (loaded == Object.class) {
            return;
        }
        Map<String, List<String>> known = supertypesFrom(nameOf(loaded), loader);
        Class<?> parent = loaded.isInterface() ? Object.class : loaded.getSuperclass();
        List<Class<?>> parents = Stream.concat(Stream.of(parent), Stream.of(loaded.getInterfaces()))
                .toList();
        // Nothing is computed inside the map: that could load a class, which is added as well.
        if (!known.containsKey(nameOf(loaded))) {
            known.put(
                    nameOf(loaded), parents.stream().map(ClassHierarchy::nameOf).toList());
        }
        // A loader may find the file of a class in another one, but not the files of its supertypes.
        parents.stream().filter(found -> found.getClassLoader() != loader).forEach(found -> add(found, loader));
    }

    /** Only one loader defines the classes of {@code java.*}. */
    private Map<String, List<String>> supertypesFrom(String name, @Nullable ClassLoader loader) {
        return supertypes.of(name.startsWith("java/") ? null : loader);
    }

    /** Adds a class that a loader is defining. */
    void add(String name, @Nullable ClassLoader loader, ClassReader loading) {
        supertypesFrom(name, loader).put(name, supertypesOf(loading));
        if (unknown.remove(name)) {
            learned();
        }
    }

    /** Adds the methods of a class that gets calls. */
    void addMethods(String name, @Nullable ClassLoader loader, Map<String, Integer> added) {
        methods.of(loader).put(name, added);
    }

    /** Returns whether a class is known to have a method of its own. No class is loaded, as reflection on its signatures would. */
    boolean hasMethod(Class<?> type, String method) {
        return methodsOf(type).containsKey(method);
    }

    /** Returns whether only classes of the same package in the same loader can override a method of a class. */
    boolean isOfPackage(Class<?> type, String method) {
        return (methodsOf(type).getOrDefault(method, Opcodes.ACC_PUBLIC) & (Opcodes.ACC_PUBLIC | Opcodes.ACC_PROTECTED))
                == 0;
    }

    boolean isNative(Class<?> type, String method) {
        return (methodsOf(type).getOrDefault(method, 0) & Opcodes.ACC_NATIVE) != 0;
    }

    private Map<String, Integer> methodsOf(Class<?> type) {
        return methods.of(type.getClassLoader()).getOrDefault(nameOf(type), Map.of());
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

    /** Returns whether a loader has a class. */
    boolean isKnown(String name, @Nullable ClassLoader loader) {
        return !supertypesOf(name, loader).isEmpty();
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

    /** Returns whether a class that is being loaded has a supertype that is neither loaded nor in a file. */
    boolean hasUnknown(String name, @Nullable ClassLoader loader) {
        return !unknown.isEmpty() && inherits(name, loader, type -> unknown.contains(type) && !isKnown(type, loader));
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
        Map<String, List<String>> known = supertypesFrom(name, loader);
        List<String> found = known.get(name);
        if (found == null) {
            found = read(name, loader);
            // A generated class of a parent has no file.
            for (ClassLoader one = loader; found.isEmpty() && one != null; one = one.getParent()) {
                found = supertypesFrom(name, one).getOrDefault(name, List.of());
            }
            if (found.isEmpty()) {
                unknown.add(name);
            } else {
                known.put(name, found);
            }
        }
        return found;
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
