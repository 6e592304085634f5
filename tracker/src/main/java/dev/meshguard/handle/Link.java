package dev.meshguard.handle;

import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Queue;
import java.util.Set;

/** The way in which one object holds the next. Its text is created only for a reported path. */
sealed interface Link {

    /** The maximum length of a key that is printed unchanged. */
    int MAX_KEY_LENGTH = 40;

    /** Returns the text; empty for a step that is not reported. */
    String text();

    /** Returns whether there is a text; called for every step, while texts are created only for a few. */
    default boolean isDescribed() {
        return true;
    }

    /** An object where a search starts. */
    record Root(String text) implements Link {
        @Override
        public boolean isDescribed() {
            return !text.isEmpty();
        }
    }

    /** An object where a search starts, described by the field that leads on, or by its name if there is none. */
    record Origin(String name) implements Link {
        @Override
        public String text() {
            return "";
        }

        @Override
        public boolean isDescribed() {
            return false;
        }
    }

    /** A field of an object that is itself a part of a handle. */
    record Undescribed() implements Link {
        @Override
        public String text() {
            return "";
        }

        @Override
        public boolean isDescribed() {
            return false;
        }
    }

    /** A field of a class or of one of its objects. */
    record OfField(Class<?> holder, Field field) implements Link {
        @Override
        public String text() {
            if (holder.isHidden() || holder.getName().contains("$$Lambda")) {
                return "a lambda";
            }
            String name = field.getName();
            String readable = name.startsWith("val$") ? name.substring("val$".length()) : name;
            // A nested class refers to the enclosing object by a generated field.
            String told = readable.startsWith("this$") ? "the object around it" : readable;
            Class<?> named = holder.isAnonymousClass() ? holder : field.getDeclaringClass();
            return String.format(Locale.ROOT, "%s.%s", nameOf(named), told);
        }
    }

    /** An index in an array or in an ordered collection. */
    record AtIndex(Class<?> container, int index) implements Link {
        @Override
        public String text() {
            Class<?> named = container.isArray() ? container.getComponentType() : container;
            return String.format(Locale.ROOT, "%s[%d]", nameOf(named), index);
        }
    }

    /** The value of a key. */
    record AtKey(Class<?> map, Object key) implements Link {
        @Override
        public String text() {
            return String.format(Locale.ROOT, "%s[%s]", nameOf(map), description(key));
        }
    }

    /** An element of a container without indexes. */
    record Inside(Class<?> container, String what) implements Link {
        @Override
        public String text() {
            return what.isEmpty() ? nameOf(container) : String.format(Locale.ROOT, "%s of %s", what, nameOf(container));
        }
    }

    /** Returns the text of a key, without running code of the key's class. */
    private static String description(Object key) {
        if (key instanceof String text) {
            String shown = text.length() <= MAX_KEY_LENGTH ? text : text.substring(0, MAX_KEY_LENGTH) + "…";
            return '"' + shown.replaceAll("\\p{Cntrl}", "?") + '"';
        }
        if (key instanceof Enum<?> constant) {
            return constant.name();
        }
        boolean plain = JavaTypes.isLeaf(key.getClass());
        return plain ? key.toString() : JavaTypes.withArticle(nameOf(key.getClass()));
    }

    /** Returns the readable name of a class; a hidden class of the JDK is named by its interface. */
    static String nameOf(Class<?> type) {
        if (type.isArray()) {
            return nameOf(type.getComponentType()) + "[]";
        }
        if (type.isAnonymousClass()) {
            Class<?> known = type.getInterfaces().length > 0 ? type.getInterfaces()[0] : type.getSuperclass();
            return "an anonymous " + nameOf(known);
        }
        if (JavaTypes.isOfTheJdk(type)
                && (type.getEnclosingClass() != null || !Modifier.isPublic(type.getModifiers()))) {
            for (Class<?> role :
                    List.of(Map.class, List.class, Set.class, Queue.class, Collection.class, Map.Entry.class)) {
                if (role.isAssignableFrom(type)) {
                    return role == Map.Entry.class ? "Map.Entry" : role.getSimpleName();
                }
            }
        }
        return type.getSimpleName();
    }
}
