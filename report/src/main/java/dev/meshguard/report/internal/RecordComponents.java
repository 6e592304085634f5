package dev.meshguard.report.internal;

import com.fasterxml.jackson.core.JsonGenerator;
import java.io.IOException;
import java.lang.reflect.Constructor;
import java.lang.reflect.Method;
import java.lang.reflect.RecordComponent;
import java.util.ArrayList;
import java.util.List;

/**
 * Writes the components of a record, each with its part, and reads them back in their order.
 *
 * @param <R> the record
 */
final class RecordComponents<R extends Record> {

    private final List<JsonPart<Object>> parts;
    private final List<Method> accessors = new ArrayList<>();
    private final Constructor<R> constructor;

    @SuppressWarnings("unchecked")
    RecordComponents(Class<R> type, List<JsonPart<?>> parts) {
        this.parts = (List<JsonPart<Object>>) (List<?>) parts;
        for (RecordComponent component : type.getRecordComponents()) {
            accessors.add(component.getAccessor());
        }
        try {
            constructor = type.getDeclaredConstructor(
                    accessors.stream().map(Method::getReturnType).toArray(Class[]::new));
        } catch (NoSuchMethodException e) {
            throw new IllegalStateException("Every record has such a constructor: " + type, e);
        }
        // The records of this module are not public.
        constructor.setAccessible(true);
        accessors.forEach(accessor -> accessor.setAccessible(true));
    }

    void write(R record, JsonGenerator json) throws IOException {
        try {
            for (int i = 0; i < parts.size(); i++) {
                parts.get(i).write(accessors.get(i).invoke(record), json);
            }
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException("A component cannot be read: " + record, e);
        }
    }

    /** Returns the record; its constructor rejects values that it cannot have with an {@link IllegalArgumentException}. */
    R read(JsonObject fields) throws UnreadableLineException {
        Object[] values = new Object[parts.size()];
        for (int i = 0; i < values.length; i++) {
            values[i] = parts.get(i).read(fields);
        }
        try {
            return constructor.newInstance(values);
        } catch (ReflectiveOperationException e) {
            if (e.getCause() instanceof RuntimeException rejected) {
                throw rejected;
            }
            throw new IllegalStateException("A record cannot be created: " + constructor, e);
        }
    }
}
