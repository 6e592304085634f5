package dev.meshguard.junit.internal;

import java.lang.reflect.Field;
import java.util.List;
import org.junit.jupiter.api.extension.Extension;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.platform.commons.support.AnnotationSupport;

/** Marks MeshGuard's own extension of JUnit, so that the classes that it calls recognize it on a test class. */
public interface TrackingExtension extends Extension {

    /** Returns the fields of a test class that register the extension. */
    static List<Field> fieldsOf(Class<?> type) {
        return AnnotationSupport.findAnnotatedFields(
                type, RegisterExtension.class, field -> TrackingExtension.class.isAssignableFrom(field.getType()));
    }
}
