package dev.meshguard.weave;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.instrument.Instrumentation;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodHandles.Lookup;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * Access to packages of the JDK that stay closed to the code under test.
 *
 * <p>They are opened to a module that consists of one class in a class loader of its own. Opened to the class path, they would let code pass
 * a test that fails without {@code --add-opens} elsewhere.
 *
 * @since 0.1
 */
@API(status = Status.INTERNAL, since = "0.1")
public final class JdkLookup {

    private JdkLookup() {}

    /** The class of the module; only its class file is used. */
    public static final class Key {

        private Key() {}

        public static Lookup lookup() {
            return MethodHandles.lookup();
        }
    }

    private static final class KeyLoader extends ClassLoader {

        KeyLoader() {
            super(JdkLookup.class.getClassLoader());
        }

        Class<?> define(byte... file) {
            return defineClass(Key.class.getName(), file, 0, file.length);
        }
    }

    /**
     * Returns a lookup with full access to a class and to others in its package.
     *
     * @throws WeaverUnavailableException if no agent may be attached
     */
    public static Lookup in(Class<?> type) {
        Instrumentation instrumentation = AgentAccess.attached();
        String file = Key.class.getName().replace('.', '/') + ".class";
        try (InputStream template = Objects.requireNonNull(JdkLookup.class.getResourceAsStream("/" + file))) {
            Class<?> key = new KeyLoader().define(template.readAllBytes());
            instrumentation.redefineModule(
                    type.getModule(),
                    Set.of(),
                    Map.of(),
                    Map.of(type.getPackageName(), Set.of(key.getModule())),
                    Set.of(),
                    Map.of());
            return MethodHandles.privateLookupIn(
                    type, (Lookup) key.getMethod("lookup").invoke(null));
        } catch (IOException unreadable) {
            throw new UncheckedIOException(unreadable);
        } catch (ReflectiveOperationException impossible) {
            throw new IllegalStateException(impossible);
        }
    }
}
