package dev.meshguard.report.internal;

import com.fasterxml.jackson.core.JsonGenerator;
import java.io.IOException;
import java.lang.reflect.Constructor;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.RecordComponent;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Writes the components of a record, each with its part, and reads them back in their order.
 *
 * <p>Reflection waits for the first use: most histories have few kinds of events.
 *
 * @param <R> the record
 */
final class RecordComponents<R extends Record> {

    private final Class<R> type;
    private final JsonPart<Object>[] parts;
    private volatile Method @Nullable [] accessors;
    private volatile @Nullable Constructor<R> constructor;

    @SuppressWarnings("unchecked")
    RecordComponents(Class<R> type, JsonPart<?>... parts) {
        this.type = type;
        this.parts = (JsonPart<Object>[]) parts.clone();
    }

    void write(R record, JsonGenerator json) throws IOException {
        Method[] found = accessors;
        if (found == null) {
            found = findAccessors();
            accessors = found;
        }
        for (int i = 0; i < parts.length; i++) {
            try {
                parts[i].write(found[i].invoke(record), json);
            } catch (ReflectiveOperationException e) {
                throw new IllegalStateException("The accessor of a component failed: " + found[i], e);
            }
        }
    }

    /** Returns the record; its constructor rejects values that it cannot have with an {@link IllegalArgumentException}. */
    R read(JsonFields fields) throws UnreadableLineException {
        Constructor<R> found = constructor;
        if (found == null) {
            found = findConstructor();
            constructor = found;
        }
        Object[] values = new Object[parts.length];
        for (int i = 0; i < parts.length; i++) {
            values[i] = parts[i].read(fields);
        }
        try {
            return found.newInstance(values);
        } catch (InvocationTargetException e) {
            if (e.getCause() instanceof RuntimeException rejected) {
                throw rejected;
            }
            throw new IllegalStateException("The constructor of a record failed: " + found, e);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException("The constructor of a record cannot be called: " + found, e);
        }
    }

    private Method[] findAccessors() {
        RecordComponent[] components = components();
        Method[] found = new Method[parts.length];
        for (int i = 0; i < parts.length; i++) {
            found[i] = components[i].getAccessor();
            // The records of this module are not public.
            found[i].setAccessible(true);
        }
        return found;
    }

    private Constructor<R> findConstructor() {
        RecordComponent[] components = components();
        Class<?>[] types = new Class<?>[parts.length];
        for (int i = 0; i < parts.length; i++) {
            types[i] = components[i].getType();
        }
        try {
            Constructor<R> found = type.getDeclaredConstructor(types);
            found.setAccessible(true);
            return found;
        } catch (NoSuchMethodException e) {
            throw new IllegalStateException("Every record has a constructor of its components: " + type, e);
        }
    }

    private RecordComponent[] components() {
        RecordComponent[] components = type.getRecordComponents();
        if (components.length != parts.length) {
            throw new IllegalStateException(String.format(
                    Locale.ROOT, "%s has %d components and %d parts", type, components.length, parts.length));
        }
        return components;
    }
}
