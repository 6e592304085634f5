package dev.meshguard.closeables.weave;

import dev.meshguard.closeables.weave.loaded.PluginTask;
import java.io.IOException;
import java.io.InputStream;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Defines the classes of one package by itself, and knows only the JDK's others, as loaders of OSGi bundles do. */
class PluginLoader extends ClassLoader {

    private static final String PACKAGE = PluginTask.class.getPackageName() + ".";

    PluginLoader() {
        super(null);
    }

    @Override
    protected Class<?> findClass(String name) throws ClassNotFoundException {
        try (InputStream file = getResourceAsStream(name.replace('.', '/') + ".class")) {
            byte[] code = Objects.requireNonNull(file, name).readAllBytes();
            return defineClass(name, code, 0, code.length);
        } catch (IOException | NullPointerException unreadable) {
            throw new ClassNotFoundException(name, unreadable);
        }
    }

    @Override
    public @Nullable InputStream getResourceAsStream(String name) {
        return name.replace('/', '.').startsWith(PACKAGE)
                ? PluginLoader.class.getClassLoader().getResourceAsStream(name)
                : super.getResourceAsStream(name);
    }

    /** Constructs an object of a class of the package. */
    Object construct(String simpleName) throws ReflectiveOperationException {
        return loadClass(PACKAGE + simpleName).getConstructor().newInstance();
    }

    void run() throws ReflectiveOperationException {
        ((Runnable) construct(PluginTask.class.getSimpleName())).run();
    }
}
