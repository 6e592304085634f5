package dev.meshguard.weave;

import java.util.Set;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * Methods of one class whose calls are watched, in all overloads with at most one parameter.
 *
 * <p>Static methods, bridge methods, methods without code and those of subclasses are left out.
 *
 * @param className the binary name of the class; no class loader need know it
 * @param methods the names of the methods
 * @since 0.1
 */
@API(status = Status.INTERNAL, since = "0.1")
public record WatchedMethods(String className, Set<String> methods) {

    /** Creates the methods. */
    public WatchedMethods {
        methods = Set.copyOf(methods);
    }
}
