package dev.meshguard.cli;

import dev.meshguard.cli.terminal.ExitStatus;
import java.util.List;
import java.util.Map;

/** The output of a command about one file, and its exit status. */
interface FileAnswer {

    Input file();

    /** Returns the exit status for this file alone. */
    ExitStatus status();

    /** Returns the lines of the terminal output. */
    List<String> text();

    /** Returns the fields that follow name and status in the JSON output. */
    Map<String, Object> fields();
}
