package dev.meshguard.cli;

import dev.meshguard.cli.analyze.Analyze;
import dev.meshguard.cli.answer.ExitStatus;
import dev.meshguard.cli.answer.Refusal;
import dev.meshguard.cli.answer.Terminal;
import dev.meshguard.cli.run.Convert;
import dev.meshguard.cli.run.Diff;
import dev.meshguard.cli.run.Minimize;
import dev.meshguard.cli.run.Page;
import dev.meshguard.cli.run.RecordProgram;
import dev.meshguard.cli.run.Replay;
import dev.meshguard.cli.run.Suite;
import dev.meshguard.cli.run.ToTest;
import dev.meshguard.cli.server.Dump;
import dev.meshguard.cli.server.Query;
import dev.meshguard.cli.server.Serve;
import dev.meshguard.cli.server.Top;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStreamWriter;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
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

    private static final String ANALYZE = "analyze";
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
        int status = isPlainAnalysis(arguments)
                ? plainAnalysis(in, answers, errors, arguments)
                : command(in, err, answers, errors, arguments);
        answers.flush();
        errors.flush();
        return status;
    }

    /**
     * Whether logs are to be judged and no option is given: what is asked most, and of many logs in a row. Then nothing has to be
     * parsed, and the description of every option need not be made first, which takes longer than to read a short log.
     */
    private static boolean isPlainAnalysis(String... arguments) {
        if (arguments.length < 2 || !arguments[0].equals(ANALYZE)) {
            return false;
        }
        for (String argument : arguments) {
            boolean isName = argument.equals(Analyze.STANDARD_INPUT)
                    || !(argument.isEmpty() || argument.charAt(0) == '-' || argument.charAt(0) == '@');
            if (!isName) {
                return false;
            }
        }
        return true;
    }

    private static int plainAnalysis(InputStream in, PrintWriter answers, PrintWriter errors, String... arguments) {
        try {
            List<String> logs = Arrays.asList(arguments).subList(1, arguments.length);
            return new Analyze(in, answers, terminal(errors)).of(logs).call();
        } catch (Refusal | IOException | RuntimeException e) {
            return failed(e, errors);
        }
    }

    private static int command(
            InputStream in, PrintStream err, PrintWriter answers, PrintWriter errors, String... arguments) {
        CommandLine program = new CommandLine(new MeshGuard());
        Map<String, Supplier<Object>> commands = commands(in, err, answers, errors);
        if (arguments.length > 0 && commands.containsKey(arguments[0])) {
            program.addSubcommand(commands.get(arguments[0]).get());
        } else {
            commands.values().forEach(known -> program.addSubcommand(known.get()));
            program.addSubcommand(new AutoComplete.GenerateCompletion());
        }
        program.setOut(answers)
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
        return program.execute(arguments);
    }

    /** In the order in which they are listed; only the one that is asked for is made, because that takes its time. */
    private static Map<String, Supplier<Object>> commands(
            InputStream in, PrintStream err, PrintWriter answers, PrintWriter errors) {
        Map<String, Supplier<Object>> commands = new LinkedHashMap<>();
        commands.put(ANALYZE, () -> new Analyze(in, answers, terminal(errors)));
        commands.put("replay", () -> new Replay(in));
        commands.put("diff", () -> new Diff(in));
        commands.put("convert", () -> new Convert(in));
        commands.put("page", () -> new Page(in));
        commands.put("suite", Suite::new);
        commands.put("minimize", () -> new Minimize(in));
        commands.put("to-test", () -> new ToTest(in));
        commands.put("record", () -> new RecordProgram(err));
        commands.put("serve", Serve::new);
        commands.put("dump", Dump::new);
        commands.put("query", Query::new);
        commands.put("top", Top::new);
        return commands;
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

    /** Where progress is shown: on standard error, if somebody looks on. */
    private static Optional<PrintWriter> terminal(PrintWriter errors) {
        return Terminal.isThere() ? Optional.of(errors) : Optional.empty();
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
