package dev.meshguard.cli;

/** A command of the program, whose options are set when it runs. */
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
