package dev.meshguard.closeables;

import dev.meshguard.event.AllocationDetails;
import dev.meshguard.event.Origin;
import dev.meshguard.event.SourceDescription;
import dev.meshguard.event.SourceVocabulary;
import dev.meshguard.tracker.AllocationTracker;
import dev.meshguard.tracker.OriginFilter;
import dev.meshguard.weave.WatchedType;
import java.lang.ref.Cleaner;
import java.security.CodeSource;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The classes whose objects one tracker watches: how reports name each, which methods close it, and how the user's line is found.
 *
 * <p>Safe for use by several threads.
 */
final class ObjectKinds {

    private static final String[] OWN_FRAMES = {
        "dev.meshguard.weave.", OpenObjects.class.getName(), ObjectKinds.class.getName()
    };
    private static final List<String> JDK = List.of("java.", "javax.", "jdk.", "sun.");

    private final AllocationTracker tracker;
    private final List<WatchedType> types;
    private final ClassValue<Optional<Kind>> kinds = new ClassValue<>() {
        @Override
        protected Optional<Kind> computeValue(Class<?> type) {
            return kindOf(type);
        }
    };

    private ObjectKinds(AllocationTracker tracker, List<WatchedType> types) {
        this.tracker = tracker;
        this.types = types;
        types.forEach(type -> announce(type.className(), shortName(type.className()), type));
    }

    /** Returns the kinds of a tracker, and reports to it objects of these types from now on if it is new. */
    static ObjectKinds of(AllocationTracker tracker, List<WatchedType> types) {
        return tracker.attachment(ObjectKinds.class, () -> new ObjectKinds(tracker, types));
    }

    /** Returns the kind of a class, if it is one of the types; null if it is none. */
    @Nullable
    Kind kind(Class<?> type) {
        Optional<Kind> kind = kinds.get(type);
        if (kind.isEmpty()) {
            // Its type may be added later.
            kinds.remove(type);
        }
        return kind.orElse(null);
    }

    /** Returns whether objects are open that users believe their streams to close; what a tracked stream constructed, it does close. */
    boolean leaveDeflaters() {
        return tracker.liveBuffers() > 0
                && tracker.history().live().stream()
                        .filter(object -> object.label()
                                .filter(TrackedTypes.ENDED_BY_NO_STREAM::contains)
                                .isPresent())
                        .flatMap(object -> object.origin().flatMap(Origin::site).stream())
                        .anyMatch(site -> JDK.stream().noneMatch(site.getClassName()::startsWith));
    }

    /**
     * A class of objects.
     *
     * @param typeName the type because of which they are tracked
     * @param types all types; another test may name other closing methods of it
     */
    record Kind(String typeName, List<WatchedType> types, AllocationDetails details, OriginFilter callers) {

        boolean isClosing(String method) {
            for (WatchedType type : types) {
                if (type.className().equals(typeName) && type.closingMethods().contains(method)) {
                    return true;
                }
            }
            return false;
        }
    }

    /** The nearest class decides, or else an interface. */
    private Optional<Kind> kindOf(Class<?> type) {
        return Stream.concat(WatchedType.superclasses(type), WatchedType.interfaces(type))
                .flatMap(part -> types.stream().filter(one -> one.className().equals(part.getName())))
                .findFirst()
                .map(nearest -> kindOf(type, nearest));
    }

    private Kind kindOf(Class<?> type, WatchedType nearest) {
        String name = WatchedType.superclasses(type)
                .filter(part -> !part.isAnonymousClass())
                .map(part -> shortName(part.getName()))
                .findFirst()
                .orElseThrow();
        announce(type.getName(), name, nearest);
        AllocationDetails details = AllocationDetails.user().labelled(name).fromSource(type.getName());
        return new Kind(
                nearest.className(),
                types,
                isFreedOnCollection(type) ? details.asFreedOnCollection() : details,
                callersOf(type, nearest));
    }

    private void announce(String className, String name, WatchedType type) {
        tracker.sourceAttached(
                SourceDescription.of(className).speaking(closedBy(type, SourceVocabulary.ofObjects(name))));
    }

    /** Only a method whose name is a verb can stand in a sentence without parentheses. A Deflater has had close() since JDK 25 only. */
    private static SourceVocabulary closedBy(WatchedType type, SourceVocabulary words) {
        String method = Collections.max(type.closingMethods());
        if (method.equals(TrackedTypes.END) || method.equals("destroy")) {
            return words.freedBy(method, method + "ed");
        }
        return method.matches("[a-z]+e") ? words.freedBy(method, method + "d") : words.freedBy(method + "()", "closed");
    }

    /** Returns a binary name without package and enclosing classes. */
    private static String shortName(String className) {
        String name = className.substring(className.lastIndexOf('.') + 1);
        String innermost = name.substring(name.lastIndexOf('$') + 1);
        return innermost.isEmpty() || Character.isDigit(innermost.charAt(0)) ? name : innermost;
    }

    /** A user's line constructed it, even if a library or the JDK did so for the user. */
    private OriginFilter callersOf(Class<?> type, WatchedType nearest) {
        OriginFilter reports = OriginFilter.skipping(OWN_FRAMES);
        OriginFilter callers = OriginFilter.skipping(Stream.concat(
                        Stream.of(OWN_FRAMES), WatchedType.superclasses(type).map(Class::getName))
                .filter(name -> !name.equals(Object.class.getName()))
                .toArray(String[]::new));
        if (JdkObjects.isOfTheJdk(type)) {
            callers = callers.beyond(
                    JDK, types.stream().map(WatchedType::className).toList());
        } else if (isInJar(type) && !type.getPackageName().isEmpty()) {
            List<String> library = List.of(libraryOf(type, nearest));
            callers = callers.beyond(library, library);
        }
        return callers.orElse(reports);
    }

    /** Users call an interface of the JDK, and not the packages of a driver that implements it. */
    private static String libraryOf(Class<?> type, WatchedType nearest) {
        String name = type.getPackageName() + ".";
        return JDK.stream().anyMatch(nearest.className()::startsWith)
                ? name.replaceFirst("^([^.]+\\.[^.]+\\.).*", "$1")
                : name;
    }

    private static boolean isInJar(Class<?> type) {
        CodeSource source = type.getProtectionDomain().getCodeSource();
        return source != null
                && source.getLocation() != null
                && source.getLocation().getPath().endsWith(".jar");
    }

    private static boolean isFreedOnCollection(Class<?> type) {
        try {
            return WatchedType.superclasses(type)
                    .filter(part -> part != Object.class)
                    .anyMatch(ObjectKinds::isCleaned);
        } catch (LinkageError ofAMissingLibrary) {
            return false;
        }
    }

    private static boolean isCleaned(Class<?> part) {
        return Stream.of(part.getDeclaredMethods())
                        .anyMatch(method -> method.getName().equals("finalize") && method.getParameterCount() == 0)
                || Stream.of(part.getDeclaredFields())
                        .map(field -> field.getType())
                        .anyMatch(field -> isCleanable(field)
                                || Stream.of(field.getDeclaredFields())
                                        .anyMatch(inner -> isCleanable(inner.getType())));
    }

    private static boolean isCleanable(Class<?> type) {
        return Cleaner.Cleanable.class.isAssignableFrom(type);
    }
}
