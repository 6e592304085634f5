package dev.meshguard.tracker;

import java.util.List;

/**
 * A set of classes, given by packages with the full stop at the end or by classes with their nested ones.
 *
 * @param names the packages, subpackages included, and classes
 */
record ClassNames(List<String> names) {

    /**
     * Creates the set.
     *
     * @throws IllegalArgumentException if a name is blank
     */
    static ClassNames of(String... names) {
        for (String name : names) {
            if (name.isBlank()) {
                throw new IllegalArgumentException(
                        "A blank name would match every class: give a package such as \"io.netty.\", or a class");
            }
        }
        return new ClassNames(List.of(names));
    }

    boolean contain(String className) {
        for (String prefix : names) {
            if (className.startsWith(prefix) && endsAtABoundary(className, prefix)) {
                return true;
            }
        }
        return false;
    }

    /** The class {@code Netty} does not contain {@code NettyTests}. */
    private static boolean endsAtABoundary(String className, String prefix) {
        return prefix.endsWith(".")
                || className.length() == prefix.length()
                || className.charAt(prefix.length()) == '$';
    }
}
