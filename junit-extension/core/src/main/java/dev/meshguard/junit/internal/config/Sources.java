package dev.meshguard.junit.internal.config;

import dev.meshguard.junit.TestThreads;
import dev.meshguard.junit.internal.ConfigurationErrors;
import dev.meshguard.junit.internal.TestNames;
import dev.meshguard.junit.source.AllocationSource;
import dev.meshguard.junit.source.AnnotatedSource;
import dev.meshguard.junit.source.SourceSettings;
import dev.meshguard.tracker.AllocationTracker;
import java.lang.annotation.Annotation;
import java.lang.reflect.AnnotatedElement;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.ExtensionConfigurationException;
import org.junit.platform.commons.support.AnnotationSupport;

/** The sources of a run, found by {@link ServiceLoader}. */
public final class Sources {

    private final Map<Class<? extends Annotation>, AnnotatedSource<?>> byAnnotation = new LinkedHashMap<>();
    private final Map<Class<?>, AllocationSource> byParameter = new LinkedHashMap<>();
    private final List<SourceSettings> defaultSettings;

    /**
     * Loads the sources that a class loader finds; if it finds none, those beside the extension.
     *
     * @throws ExtensionConfigurationException if two sources have one id, or inject one type, or a source injects a
     *     type of the extension, or a source cannot be loaded
     */
    public static Sources load(ClassLoader loader) {
        List<AllocationSource> all = found(loader);
        return new Sources(all.isEmpty() ? found(Sources.class.getClassLoader()) : all);
    }

    private static List<AllocationSource> found(@Nullable ClassLoader loader) {
        List<AllocationSource> all = new ArrayList<>();
        try {
            ServiceLoader.load(AllocationSource.class, loader).forEach(all::add);
        } catch (ServiceConfigurationError notLoaded) {
            throw new ExtensionConfigurationException(
                    String.format(
                            Locale.ROOT,
                            "A source of allocations cannot be loaded: %s. Repair META-INF/services or the descriptor of"
                                    + " its artifact, or remove it from the class path.",
                            notLoaded.getMessage()),
                    notLoaded);
        }
        return all;
    }

    private Sources(List<AllocationSource> all) {
        all.forEach(Sources::rejectOwnTypes);
        Map<String, AllocationSource> byId = new LinkedHashMap<>();
        for (AllocationSource source : all) {
            add(byId, "id \"" + source.id() + "\"", source);
            if (source instanceof AnnotatedSource<?> annotated) {
                add(byAnnotation, annotated.annotation(), annotated);
            }
            source.parameterTypes().forEach(type -> add(byParameter, type, source));
        }
        // By id, because the order of the class path differs between build tools.
        this.defaultSettings = all.stream()
                .sorted(Comparator.comparing(AllocationSource::id))
                .map(AllocationSource::defaultSettings)
                .flatMap(Optional::stream)
                .toList();
    }

    /** The extension resolves these types itself, so it would never ask the source for them. */
    private static void rejectOwnTypes(AllocationSource source) {
        List.of(AllocationTracker.class, TestThreads.class).stream()
                .filter(source.parameterTypes()::contains)
                .findFirst()
                .ifPresent(own -> {
                    throw new ExtensionConfigurationException(String.format(
                            Locale.ROOT,
                            "The source %s injects %s. MeshGuard injects this type into every tracked test: remove it"
                                    + " from parameterTypes().",
                            ConfigurationErrors.locationOf(source),
                            own.getSimpleName()));
                });
    }

    private static <K, S extends AllocationSource> void add(Map<K, S> known, K key, S source) {
        S other = known.putIfAbsent(key, source);
        if (other != null) {
            throw new ExtensionConfigurationException(String.format(
                    Locale.ROOT,
                    "Two sources of allocations for %s: %s and %s. Remove one from the class path.",
                    key instanceof Class<?> type ? type.getName() : key,
                    ConfigurationErrors.locationOf(other),
                    ConfigurationErrors.locationOf(source)));
        }
    }

    /** Returns the source that injects a type, if there is one. */
    public Optional<AllocationSource> ofParameter(Class<?> type) {
        return Optional.ofNullable(byParameter.get(type));
    }

    /** Returns the settings for tests that select no source, in the order of the ids of their sources. */
    public List<SourceSettings> defaultSettings() {
        return defaultSettings;
    }

    /** Returns the settings of the annotation that is nearest to a test and selects its only source. */
    Optional<SourceSettings> annotated(List<TestElement> elements) {
        return elements.stream().map(this::selectedOn).flatMap(Optional::stream).findFirst();
    }

    /** Adds the settings of the nearest annotation of each additional source, which replace selected ones of that source. */
    List<SourceSettings> withAdditional(List<SourceSettings> selected, List<TestElement> elements) {
        Map<String, SourceSettings> additional = new TreeMap<>();
        elements.stream()
                .flatMap(this::additionalOn)
                .forEach(nearer -> additional.putIfAbsent(nearer.source().id(), nearer));
        Map<String, SourceSettings> all = new LinkedHashMap<>();
        selected.forEach(settings -> all.put(settings.source().id(), settings));
        all.putAll(additional);
        return List.copyOf(all.values());
    }

    /** Returns the settings of the source annotations of a method or class. */
    Stream<SourceSettings> on(TestElement test) {
        return Stream.concat(selectedOn(test).stream(), additionalOn(test));
    }

    private Stream<SourceSettings> additionalOn(TestElement test) {
        return search(test.element(), AnnotatedSource::isAdditional).stream().map(found -> settings(found, test));
    }

    private Optional<SourceSettings> selectedOn(TestElement test) {
        Set<Annotation> nearest = nearestOn(test.element());
        if (nearest.size() > 1) {
            throw ConfigurationErrors.of(
                    nearest.stream()
                            .map(annotation -> "@" + annotation.annotationType().getSimpleName() + " on "
                                    + TestNames.withoutPackage(test.declaring(annotation)))
                            .collect(Collectors.joining(" and ")),
                    "a second source of allocations",
                    "A test has one source: remove an annotation, or put each on a test or class of its own.");
        }
        return nearest.stream().findFirst().map(annotation -> settings(annotation, test));
    }

    private SourceSettings settings(Annotation annotation, TestElement test) {
        return settings(
                Objects.requireNonNull(
                        byAnnotation.get(annotation.annotationType()), "only known kinds are looked for"),
                annotation,
                test.with(annotation.annotationType()));
    }

    /** Of several kinds, one on the element itself is nearer than one of an interface or an annotation, and these than one of a superclass. */
    private Set<Annotation> nearestOn(AnnotatedElement element) {
        Set<Annotation> found = search(element, source -> !source.isAdditional());
        Set<Annotation> direct = new LinkedHashSet<>(found);
        direct.retainAll(Arrays.asList(element.getDeclaredAnnotations()));
        if (!direct.isEmpty()) {
            return direct;
        }
        Class<?> superclass = element instanceof Class<?> type ? type.getSuperclass() : null;
        if (found.size() > 1 && superclass != null) {
            found.removeAll(search(superclass, source -> !source.isAdditional()));
            if (found.isEmpty()) {
                return nearestOn(superclass);
            }
        }
        return found;
    }

    /** Returns the annotation of each kind that JUnit finds on an element. */
    private Set<Annotation> search(AnnotatedElement element, Predicate<AnnotatedSource<?>> wanted) {
        return byAnnotation.entrySet().stream()
                .filter(known -> wanted.test(known.getValue()))
                .flatMap(known -> AnnotationSupport.findAnnotation(element, known.getKey()).stream())
                .collect(Collectors.toCollection(LinkedHashSet::new));
    }

    private static <A extends Annotation> SourceSettings settings(
            AnnotatedSource<A> source, Annotation annotation, String location) {
        return source.settings(source.annotation().cast(annotation), location);
    }
}
