package dev.meshguard.cli.terminal;

import java.io.InputStream;
import java.io.OutputStream;

/**
 * The streams of the process that runs a command, and the delay of a signal.
 *
 * @param in standard input
 * @param out standard output
 * @param errors standard error
 * @param rawErrors standard error, for output of other programs
 * @param interruption delays the end of the JVM after a signal until the command is complete
 */
public record Terminal(
        InputStream in, Printer out, Printer errors, OutputStream rawErrors, Interruption interruption) {}
