package dev.meshguard.report.internal;

import com.fasterxml.jackson.core.JsonGenerator;
import java.io.IOException;
import java.lang.reflect.Constructor;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.RecordComponent;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Writes the components of a record, each with its part, and reads them back in their order.
 *
 * @param <R> the record
 */
final class RecordComponents<R extends Record> {

    /** The parts of a record that reflection finds. */
    private record Members<R>(List<Method> accessors, Constructor<R> constructor) {}

    private final Class<R> type;
    private final List<JsonPart<Object>> parts;

    /** Found at the first use: most histories have few kinds of events. */
    private volatile @Nullable Members<R> members;

    @SuppressWarnings("unchecked")
    RecordComponents(Class<R> type, List<JsonPart<?>> parts) {
        this.type = type;
        this.parts = (List<JsonPart<Object>>) (List<?>) parts;
    }

    void write(R record, JsonGenerator json) throws IOException {
        List<Method> accessors = members().accessors();
        try {
            for (int i = 0; i < parts.size(); i++) {
                parts.get(i).write(accessors.get(i).invoke(record), json);
            }
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException("A component cannot be read: " + type, e);
        }
    }

    /** Returns the record; its constructor rejects values that it cannot have with an {@link IllegalArgumentException}. */
    R read(JsonFields fields) throws UnreadableLineException {
        Object[] values = new Object[parts.size()];
        for (int i = 0; i < values.length; i++) {
            values[i] = parts.get(i).read(fields);
        }
        try {
            return members().constructor().newInstance(values);
        } catch (InvocationTargetException e) {
            if (e.getCause() instanceof RuntimeException rejected) {
                throw rejected;
            }
            throw new IllegalStateException("A record cannot be created: " + type, e);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException("A record cannot be created: " + type, e);
        }
    }

    private Members<R> members() {
        Members<R> found = members;
        if (found == null) {
            found = find();
            members = found;
        }
        return found;
    }

    private Members<R> find() {
        List<Method> accessors = new ArrayList<>();
        for (RecordComponent component : type.getRecordComponents()) {
            accessors.add(component.getAccessor());
        }
        try {
            Constructor<R> constructor = type.getDeclaredConstructor(
                    accessors.stream().map(Method::getReturnType).toArray(Class[]::new));
            // The records of this module are not public.
            constructor.setAccessible(true);
            accessors.forEach(accessor -> accessor.setAccessible(true));
            return new Members<>(accessors, constructor);
        } catch (NoSuchMethodException e) {
            throw new IllegalStateException("Every record has such a constructor: " + type, e);
        }
    }
}
