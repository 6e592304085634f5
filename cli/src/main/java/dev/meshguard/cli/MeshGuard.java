package dev.meshguard.cli;

import dev.meshguard.cli.terminal.ExitStatus;
import dev.meshguard.cli.terminal.Interruption;
import dev.meshguard.cli.terminal.Printer;
import dev.meshguard.cli.terminal.Terminal;
import dev.meshguard.cli.terminal.UsageException;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.Optional;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.ParseResult;

/** The command line program {@code meshguard}, which runs its commands. */
@Command(
        name = "meshguard",
        description = "Proves that programs on a mesh of accelerator devices free every buffer.",
        synopsisSubcommandLabel = "COMMAND",
        commandListHeading = "%nCommands:%n",
        subcommands = {Analyze.class, Diff.class, PageCommand.class, Suite.class, RecordProgram.class, ClientFile.class
        },
        footer = {"", "meshguard COMMAND --help says what a command does, with examples."})
public final class MeshGuard {

    private static final int MAX_COLUMNS = 100;

    private final Terminal terminal;

    private MeshGuard(Terminal terminal) {
        this.terminal = terminal;
    }

    /** Runs the program and exits the process with its status. */
    public static void main(String[] arguments) {
        // Not System.out and System.err, which ignore every write error.
        System.exit(run(
                System.in,
                new FileOutputStream(FileDescriptor.out),
                new FileOutputStream(FileDescriptor.err),
                arguments));
    }

    /** Runs the program and returns its status. Its output is UTF-8, regardless of the locale. */
    static int run(InputStream in, OutputStream out, OutputStream err, String... arguments) {
        try (Interruption interruption = new Interruption()) {
            MeshGuard program = new MeshGuard(new Terminal(
                    in, new Printer(out, "standard output"), new Printer(err, "standard error"), err, interruption));
            int status = program.written(program.status(arguments));
            interruption.answered(status);
            return status;
        }
    }

    private int status(String... arguments) {
        try {
            int status = execute(arguments);
            terminal.out().flush();
            return status;
        } catch (OutOfMemoryError e) {
            // The command used all of the memory, and its objects are garbage here.
            if (arguments[0].equals("record")) {
                // What a program will report, no user can know; and the files among its words are the program's.
                terminal.errors().problem(FullHeap.explanation("record"));
                return ExitStatus.FAILED.code();
            }
            terminal.errors().problem(FullHeap.explanation(arguments));
            return ExitStatus.USAGE.code();
        }
    }

    /** A verdict that was not written must not look like a success. */
    private int written(int status) {
        Optional<String> unwritten = terminal.out().failure();
        if (unwritten.isPresent() && status != ExitStatus.UNWRITTEN.code()) {
            terminal.errors().problem(unwritten.get());
        }
        terminal.errors().flush();
        boolean isSaid = terminal.errors().failure().isEmpty();
        return isSaid && unwritten.isEmpty() ? status : ExitStatus.UNWRITTEN.code();
    }

    private int execute(String... arguments) {
        CommandLine program = new CommandLine(this);
        describe(program);
        program.getSubcommands().values().forEach(MeshGuard::describe);
        program.setOut(terminal.out())
                .setErr(terminal.errors())
                .setUsageHelpWidth(MAX_COLUMNS)
                .setUsageHelpAutoWidth(false)
                .setColorScheme(CommandLine.Help.defaultColorScheme(CommandLine.Help.Ansi.OFF))
                .setCaseInsensitiveEnumValuesAllowed(true);
        program.setParameterExceptionHandler((refused, unused) -> {
            String command = refused.getCommandLine().getCommandSpec().qualifiedName();
            return rejected(new UsageException(refused.getMessage() + ". Try: " + command + " --help"));
        });
        program.setExecutionStrategy(this::run);
        return program.execute(arguments);
    }

    /** Runs the command, or prints the help. */
    private int run(ParseResult line) {
        Integer helped = CommandLine.executeHelpRequest(line);
        if (helped != null) {
            return helped;
        }
        if (!line.hasSubcommand()) {
            line.commandSpec().commandLine().usage(terminal.errors());
            return ExitStatus.USAGE.code();
        }
        try {
            return ((Subcommand) line.subcommand().commandSpec().userObject()).run(terminal);
        } catch (UsageException e) {
            return rejected(e);
        } catch (Exception | StackOverflowError | LinkageError e) {
            terminal.errors().problem("this is a defect of meshguard. Please report it with what follows.");
            e.printStackTrace(terminal.errors());
            return ExitStatus.FAILED.code();
        }
    }

    private int rejected(UsageException refusal) {
        terminal.errors().problem(refusal.getMessage());
        return refusal.status().code();
    }

    /** Adds what all commands have in common: the options for help and version, and the exit statuses. */
    private static void describe(CommandLine command) {
        command.getCommandSpec()
                .version(version())
                .mixinStandardHelpOptions(true)
                .usageMessage()
                .sortOptions(false)
                .parameterListHeading("%nArguments:%n")
                .optionListHeading("%nOptions:%n")
                .exitCodeListHeading("%nExit status:%n")
                .exitCodeList(ExitStatus.table());
    }

    /** Returns the version in the jar's manifest. */
    private static String version() {
        String version = MeshGuard.class.getPackage().getImplementationVersion();
        return "meshguard " + (version == null ? "(not from a jar)" : version);
    }
}
