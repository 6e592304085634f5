package dev.meshguard.closeables;

import dev.meshguard.junit.internal.ConfigurationErrors;
import dev.meshguard.weave.WatchedType;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Reads the classes and closing methods of a {@link TrackCloseables}. */
final class TrackedTypes {

    private static final String CLOSE = "close";
    static final String END = "end";

    /** The classes of the JDK that are closed by both methods, and by no stream to which they were passed. */
    static final Set<String> ENDED_BY_NO_STREAM = Set.of("Deflater", "Inflater");

    private static final String EXAMPLE = "closedBy = \"dispose\"";

    private final String location;
    private final Set<String> named;
    private final Set<String> unused;

    private TrackedTypes(TrackCloseables annotation, String location) {
        this.location = location;
        this.named = Set.of(texts("closedBy", annotation.closedBy()));
        this.unused = new HashSet<>(named);
    }

    /**
     * Returns the types.
     *
     * @param location the annotation and its location, for messages
     * @throws org.junit.jupiter.api.extension.ExtensionConfigurationException if objects of a class cannot be tracked
     */
    static List<WatchedType> of(TrackCloseables annotation, String location) {
        return new TrackedTypes(annotation, location).read(annotation);
    }

    private List<WatchedType> read(TrackCloseables annotation) {
        List<WatchedType> types = new ArrayList<>();
        Arrays.stream(annotation.value()).map(this::typeOf).forEach(types::add);
        boolean areAllVisible = true;
        for (String name : texts("names", annotation.names())) {
            Optional<Class<?>> visible = find(name);
            areAllVisible &= visible.isPresent();
            types.add(visible.map(this::typeOf)
                    .orElseGet(() -> new WatchedType(name, named.isEmpty() ? Set.of(CLOSE) : named)));
        }
        if (types.isEmpty()) {
            throw ConfigurationErrors.of(location, "no class", "Name the classes whose objects must be closed.");
        }
        if (areAllVisible && !unused.isEmpty()) {
            throw ConfigurationErrors.of(
                    location,
                    "closedBy = \"" + unused.iterator().next() + "\"",
                    "None of the classes has such a method without parameters.");
        }
        return List.copyOf(types);
    }

    private String[] texts(String attribute, String... texts) {
        if (Stream.of(texts).anyMatch(String::isBlank)) {
            throw ConfigurationErrors.of(location, attribute + " = \"\"", "Give a name, or leave it out.");
        }
        return Stream.of(texts).distinct().toArray(String[]::new);
    }

    private static Optional<Class<?>> find(String name) {
        ClassLoader ofThread = Thread.currentThread().getContextClassLoader();
        try {
            return Optional.of(Class.forName(name, false, ofThread));
        } catch (ClassNotFoundException | LinkageError ofAnotherLoader) {
            return Optional.empty();
        }
    }

    private WatchedType typeOf(Class<?> type) {
        if (type.isPrimitive() || type.isArray() || type.isEnum() || type.isAnnotation()) {
            throw rejected(type, "Name a class whose objects are closed.");
        }
        Set<String> methods = methodsOf(type);
        if (WatchedType.isForLambdas(type)) {
            throw rejected(type, "Objects of lambda expressions cannot be seen: name the classes that implement it.");
        }
        Set<String> closing = named.stream().filter(methods::contains).collect(Collectors.toSet());
        unused.removeAll(closing);
        if (closing.isEmpty()) {
            closing = known(type, methods);
        }
        if (closing.isEmpty()) {
            throw rejected(
                    type,
                    "It has no method close() or end() without parameters. Name the one that closes it: " + EXAMPLE
                            + ".");
        }
        return new WatchedType(type.getName(), closing);
    }

    private RuntimeException rejected(Class<?> type, String wayOut) {
        return ConfigurationErrors.of(location, type.getTypeName(), wayOut);
    }

    /** A class with both may end something else; those of the JDK are closed by either. */
    private static Set<String> known(Class<?> type, Set<String> methods) {
        boolean isEnded = ENDED_BY_NO_STREAM.contains(type.getSimpleName()) || !methods.contains(CLOSE);
        return Stream.of(CLOSE, END)
                .filter(methods::contains)
                .filter(method -> method.equals(CLOSE) || isEnded)
                .collect(Collectors.toSet());
    }

    /** Returns the names of the methods without parameters, also of those that are not public. */
    private static Set<String> methodsOf(Class<?> type) {
        return Stream.concat(
                        WatchedType.superclasses(type).flatMap(part -> Stream.of(part.getDeclaredMethods())),
                        Stream.of(type.getMethods()))
                .filter(method -> method.getParameterCount() == 0)
                .map(Method::getName)
                .collect(Collectors.toSet());
    }
}
