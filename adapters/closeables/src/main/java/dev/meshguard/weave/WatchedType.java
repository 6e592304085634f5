package dev.meshguard.weave;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.Arrays;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Stream;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * A class whose objects are watched, with those of its subclasses.
 *
 * @param className the binary name of the class, or of an interface that no lambda expression can implement; no class loader need
 *     know it
 * @param closingMethods the names of its closing methods, which have no parameters, for example {@code close}
 * @since 0.1
 */
@API(status = Status.INTERNAL, since = "0.1")
public record WatchedType(String className, Set<String> closingMethods) {

    /**
     * Creates a type.
     *
     * @throws IllegalArgumentException if it has no name or no closing method
     */
    public WatchedType {
        closingMethods = Set.copyOf(closingMethods);
        if (className.isBlank() || closingMethods.isEmpty()) {
            throw new IllegalArgumentException("Cannot watch \"" + className + "\" with the closing methods "
                    + closingMethods + ": name a class and a method.");
        }
    }

    /** Returns a class and its superclasses, the nearest first. */
    public static Stream<Class<?>> superclasses(Class<?> type) {
        return Stream.iterate(type, Objects::nonNull, Class::getSuperclass);
    }

    /** Returns the interfaces of a class and of its superclasses, the nearest first, some perhaps twice. */
    public static Stream<Class<?>> interfaces(Class<?> type) {
        return superclasses(type)
                .flatMap(part -> Stream.of(part.getInterfaces()))
                .flatMap(one -> Stream.concat(Stream.of(one), interfaces(one)));
    }

    /** Returns whether a type is an interface that a lambda expression can implement, so that some of its objects cannot be seen. */
    public static boolean isForLambdas(Class<?> type) {
        return type.isInterface()
                && !type.isSealed()
                && Arrays.stream(type.getMethods())
                                .filter(method -> Modifier.isAbstract(method.getModifiers()))
                                .map(Method::getName)
                                .filter(name -> !name.matches("equals|hashCode|toString"))
                                .distinct()
                                .count()
                        == 1;
    }
}
