package dev.meshguard.cli.common;

import java.io.Console;

/** Detects a terminal. */
public final class Terminal {

    private Terminal() {}

    /** Returns whether standard input and output are a terminal. */
    @SuppressWarnings(
            "SystemConsoleNull") // From JDK 22 on there is always a console, which knows whether it is a terminal.
    public static boolean isThere() {
        Console console = System.console();
        if (console == null) {
            return false;
        }
        try {
            return (boolean) Console.class.getMethod("isTerminal").invoke(console);
        } catch (ReflectiveOperationException e) {
            return true;
        }
    }
}
