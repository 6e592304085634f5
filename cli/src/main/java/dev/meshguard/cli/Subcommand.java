package dev.meshguard.cli;

import dev.meshguard.cli.terminal.Terminal;
import dev.meshguard.cli.terminal.UsageException;

/** The base class of the program's commands, whose options are set when they run. */
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
