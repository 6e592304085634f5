package dev.meshguard.handle;

import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.function.Supplier;

/**
 * The way in which one object holds the next.
 *
 * @param isStep whether a path reports it; it does not report where a search starts, nor parts of a handle
 * @param words makes its text, which is needed only for a reported path
 */
record Link(boolean isStep, Supplier<String> words) {

    /** The maximum length of a key that is printed unchanged. */
    private static final int MAX_KEY_LENGTH = 40;

    private static final Link HIDDEN = new Link(false, () -> "");

    /** Returns the text. */
    String text() {
        return words.get();
    }

    /** Returns an object where a search starts, described by the field that leads on, or by its name if there is none. */
    static Link ofRoot(String name) {
        return new Link(false, () -> name);
    }

    /** Returns an object where a search starts, with a name of its own. */
    static Link ofNamedRoot(String name) {
        return new Link(!name.isEmpty(), () -> name);
    }

    /** Returns a field of an object that is itself a part of a handle. */
    static Link hidden() {
        return HIDDEN;
    }

    /** Returns a field of a class or of one of its objects. */
    static Link ofField(Class<?> holder, Field field) {
        return step(() -> {
            if (holder.isHidden() || holder.getName().contains("$$Lambda")) {
                return "a lambda";
            }
            String name = field.getName();
            String readable = name.startsWith("val$") ? name.substring("val$".length()) : name;
            // A nested class refers to the enclosing object by a generated field.
            String shown = readable.startsWith("this$") ? "the object around it" : readable;
            return nameOf(holder.isAnonymousClass() ? holder : field.getDeclaringClass()) + "." + shown;
        });
    }

    /** Returns an index in an array or in an ordered collection. */
    static Link atIndex(Class<?> container, int index) {
        return step(() -> nameOf(container.isArray() ? container.getComponentType() : container) + "[" + index + "]");
    }

    /** Returns the value of a key. */
    static Link atKey(Class<?> map, Object key) {
        return step(() -> nameOf(map) + "[" + description(key) + "]");
    }

    /** Returns an element of a container without indexes. */
    static Link inside(Class<?> container, String what) {
        return step(() -> what.isEmpty() ? nameOf(container) : what + " of " + nameOf(container));
    }

    private static Link step(Supplier<String> words) {
        return new Link(true, words);
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
