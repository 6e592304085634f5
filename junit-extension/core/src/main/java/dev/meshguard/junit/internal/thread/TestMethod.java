package dev.meshguard.junit.internal.thread;

/**
 * A method that runs tests, by its names, which keep no class loader.
 *
 * @param type the binary name of the class that declares it
 * @param name its name
 */
public record TestMethod(String type, String name) {

    /** Returns the class that is around all others, by the names that compilers give to classes inside others. */
    static String outermost(String type) {
        int inner = type.indexOf('$');
        return inner < 0 ? type : type.substring(0, inner);
    }
}
