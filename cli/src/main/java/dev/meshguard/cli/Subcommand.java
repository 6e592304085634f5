package dev.meshguard.cli;

import dev.meshguard.cli.terminal.Terminal;
import dev.meshguard.cli.terminal.UsageException;

/** A command of the program after its options were read: it runs, and returns the exit status. */
@FunctionalInterface
interface Subcommand {

    /**
     * Runs the command.
     *
     * @return the exit status of the program
     * @throws UsageException if it cannot do what was requested
     * @throws Exception for a defect of the program
     */
    int run(Terminal terminal) throws Exception;
}
