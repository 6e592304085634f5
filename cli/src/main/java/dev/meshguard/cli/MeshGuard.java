package dev.meshguard.cli;

import java.io.Console;
import java.io.InputStream;
import java.io.OutputStreamWriter;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import picocli.AutoComplete;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.IVersionProvider;
import picocli.CommandLine.ParameterException;

/** The program {@code meshguard}. */
@Command(
        name = "meshguard",
        description = "Proves that programs on a mesh of accelerator devices give back every buffer.",
        mixinStandardHelpOptions = true,
        versionProvider = MeshGuard.Version.class,
        synopsisSubcommandLabel = "COMMAND",
        commandListHeading = "%nCommands:%n",
        footer = {"", "meshguard COMMAND --help says what a command does, with examples."})
public final class MeshGuard {

    private static final int MOST_COLUMNS = 100;

    private MeshGuard() {}

    /** Runs the program and ends the process with its status. */
    public static void main(String[] arguments) {
        System.exit(run(System.in, System.out, System.err, arguments));
    }

    /** Runs the program and returns its status. What it prints is UTF-8, whatever the locale. */
    static int run(InputStream in, PrintStream out, PrintStream err, String... arguments) {
        PrintWriter answers = writer(out);
        PrintWriter errors = writer(err);
        CommandLine program = new CommandLine(new MeshGuard())
                .addSubcommand(new Analyze(in, terminal(errors)))
                .addSubcommand(new Replay(in))
                .addSubcommand(new Diff(in))
                .addSubcommand(new Convert(in))
                .addSubcommand(new Page(in))
                .addSubcommand(new Suite())
                .addSubcommand(new Minimize(in))
                .addSubcommand(new ToTest(in))
                .addSubcommand(new RecordProgram(err))
                .addSubcommand(new Serve())
                .addSubcommand(new Dump())
                .addSubcommand(new Query())
                .addSubcommand(new Top())
                .addSubcommand(new AutoComplete.GenerateCompletion())
                .setOut(answers)
                .setErr(errors)
                .setUsageHelpWidth(MOST_COLUMNS)
                .setUsageHelpAutoWidth(false)
                .setCaseInsensitiveEnumValuesAllowed(true);
        program.setParameterExceptionHandler((refused, unused) -> refusedArguments(refused, errors));
        program.setExecutionExceptionHandler((failure, unused, alsoUnused) -> failed(failure, errors));
        if (arguments.length == 0) {
            program.usage(errors);
            return ExitStatus.USAGE.code();
        }
        int status = program.execute(arguments);
        answers.flush();
        errors.flush();
        return status;
    }

    private static int refusedArguments(ParameterException refused, PrintWriter errors) {
        CommandLine command = refused.getCommandLine();
        errors.println("meshguard: " + oneLine(refused) + ". Try: "
                + command.getCommandSpec().qualifiedName() + " --help");
        errors.flush();
        return ExitStatus.USAGE.code();
    }

    private static int failed(Exception failure, PrintWriter errors) {
        if (failure instanceof Refusal) {
            errors.println("meshguard: " + oneLine(failure));
            errors.flush();
            return ExitStatus.USAGE.code();
        }
        errors.println("meshguard: this is a defect of meshguard. Please report it with what follows.");
        failure.printStackTrace(errors);
        errors.flush();
        return ExitStatus.FAILED.code();
    }

    private static String oneLine(Exception failure) {
        return String.valueOf(failure.getMessage()).replaceAll("\\s*\\R\\s*", " ");
    }

    /** Where progress is shown: on standard error, if it and standard input are a terminal. */
    @SuppressWarnings("SystemConsoleNull") // Where it is never null, it is asked whether it is a terminal.
    private static Optional<PrintWriter> terminal(PrintWriter errors) {
        Console console = System.console();
        return console == null || !isTerminal(console) ? Optional.empty() : Optional.of(errors);
    }

    /** From version 22 on there is a console for files and pipes too, and a method that says so. */
    private static boolean isTerminal(Console console) {
        try {
            return (boolean) Console.class.getMethod("isTerminal").invoke(console);
        } catch (ReflectiveOperationException e) {
            return true;
        }
    }

    private static PrintWriter writer(PrintStream stream) {
        return new PrintWriter(new OutputStreamWriter(stream, StandardCharsets.UTF_8));
    }

    /** The version in the jar. */
    static final class Version implements IVersionProvider {
        @Override
        public String[] getVersion() {
            String version = MeshGuard.class.getPackage().getImplementationVersion();
            return new String[] {"meshguard " + (version == null ? "(not from a jar)" : version)};
        }
    }
}
