package dev.meshguard.tracker.handle;

import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Queue;
import java.util.Set;

/** How one object holds the next, as a person reads it; made into words only for a path that is told. */
sealed interface Link {

    /** The longest text of a key that is told as it is. */
    int MAX_KEY_LENGTH = 40;

    /** Returns the words; empty for a step that is not told. */
    String text();

    /** Returns whether there are words; asked of every step, where words are only made for a few. */
    default boolean isDescribed() {
        return true;
    }

    /** An object where a search begins. */
    record Root(String text) implements Link {
        @Override
        public boolean isDescribed() {
            return !text.isEmpty();
        }
    }

    /** An object where a search begins, told by the field that leads on; by its name only where there is none. */
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

    /** A field of something that is itself a part of a handle. */
    record Untold() implements Link {
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
            // A nested class refers to the object around it by a field that nobody wrote.
            String told = readable.startsWith("this$") ? "the object around it" : readable;
            Class<?> named = holder.isAnonymousClass() ? holder : field.getDeclaringClass();
            return String.format(Locale.ROOT, "%s.%s", nameOf(named), told);
        }
    }

    /** A place in an array or in a collection that has places. */
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

    /** What a container holds without a place for it. */
    record Inside(Class<?> container, String what) implements Link {
        @Override
        public String text() {
            return what.isEmpty() ? nameOf(container) : String.format(Locale.ROOT, "%s of %s", what, nameOf(container));
        }
    }

    /** Returns the words for a key; none of them come from code of the key's own. */
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

    /** Returns the name by which a reader knows a class; what the JDK hides behind an interface goes by that. */
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
