package dev.meshguard.cli.run;

import dev.meshguard.cli.common.ExitStatus;
import dev.meshguard.cli.common.UsageException;
import dev.meshguard.file.FileReplacement;
import dev.meshguard.history.AllocationHistory;
import dev.meshguard.reproduce.ReproductionTest;
import dev.meshguard.reproduce.minimize.HistoryMinimizer;
import dev.meshguard.reproduce.minimize.MinimizedHistory;
import dev.meshguard.verdict.Cause;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Writes a failing run as a test. */
@Command(
        name = "to-test",
        description = "Writes a run that fails as a JUnit test that fails the same way.",
        sortOptions = false,
        mixinStandardHelpOptions = true,
        optionListHeading = "%nOptions:%n",
        parameterListHeading = "%nRun:%n",
        footer = {
            "",
            "The run is shrunk first, as by meshguard minimize. Where code keeps, loses or forgets buffers, the test is a program on"
                    + " the mesh without hardware (meshguard-junit); else it reports to a tracker what the run reported"
                    + " (meshguard-assertions).",
            "",
            "Exit status: 0 if the test was written; 64 if nothing is wrong with the run, if it cannot be read, or if the file is"
                    + " there already; 74 if it cannot be written.",
            "",
            "Examples:",
            "  meshguard to-test meshguard-history.jsonl",
            "  meshguard to-test server.log -o src/test/java/dev/example/LeakOfMondayTest.java --package dev.example",
            "  meshguard to-test server.log -o src/test/java --package dev.example"
        })
public final class ToTest implements Callable<Integer> {

    private static final String JAVA = ".java";

    @Mixin
    private HistoryInput run = new HistoryInput();

    @Option(
            names = {"-o", "--output"},
            paramLabel = "OUT",
            description =
                    "The file, after which the class is called, or a folder of sources; standard output unless given.")
    private @Nullable Path output;

    @Option(names = "--package", paramLabel = "NAME", description = "The package of the test; none unless given.")
    private String packageName = "";

    @Option(
            names = "--class",
            paramLabel = "NAME",
            description = "The name of the class; unless given, that of the file, or what is wrong.")
    private @Nullable String className;

    @Option(
            names = "--cause",
            paramLabel = "CAUSE",
            description = "Show one buffer with this cause and nothing else that is wrong: ${COMPLETION-CANDIDATES}.")
    private @Nullable Cause cause;

    @Option(names = "--whole", description = "Write every event of the run: do not shrink it first.")
    private boolean whole;

    @Option(
            names = "--reports",
            description = "Report to a tracker, also where a program on a mesh without hardware would do.")
    private boolean reports;

    @Option(names = "--overwrite", description = "Write over a file that is there.")
    private boolean overwrite;

    @Spec
    private CommandSpec command = CommandSpec.create();

    private final InputStream standardInput;

    public ToTest(InputStream standardInput) {
        this.standardInput = standardInput;
    }

    @Override
    public Integer call() throws UsageException, IOException {
        if (output != null) {
            run.rejectWritingTo(output);
        }
        RecordedFile recorded = run.read(standardInput);
        ReproductionTest test = test(recorded);
        PrintWriter out = command.commandLine().getOut();
        Path target = output;
        if (target == null) {
            out.print(source(test));
        } else {
            Path written = write(test, target);
            out.println(written + ": fails with " + test.finding());
        }
        out.flush();
        return ExitStatus.CLEAN.code();
    }

    private ReproductionTest test(RecordedFile recorded) throws UsageException {
        AllocationHistory history = recorded.history();
        String extent = "";
        if (!whole) {
            MinimizedHistory least =
                    Minimize.least(recorded, cause, HistoryMinimizer.create().withMaxChecks(Integer.MAX_VALUE));
            history = least.history();
            extent = " (" + least.before() + ")";
        }
        try {
            ReproductionTest test = ReproductionTest.of(history)
                    .inPackage(packageName)
                    .from(Path.of(recorded.name()).getFileName() + extent);
            String name = name();
            test = name == null ? test : test.named(name);
            return reports ? test.onTracker() : test;
        } catch (IllegalArgumentException e) {
            throw new UsageException(recorded.name() + ": " + e.getMessage());
        }
    }

    private @Nullable String name() throws UsageException {
        String ofFile = null;
        if (output != null && output.toString().endsWith(JAVA)) {
            String last = String.valueOf(output.getFileName());
            ofFile = last.substring(0, last.length() - JAVA.length());
        }
        if (className != null && ofFile != null && !className.equals(ofFile)) {
            throw new UsageException("--class " + className + " cannot be in " + output
                    + ": a class is in the file that is called after it. Leave one of the two out.");
        }
        return className == null ? ofFile : className;
    }

    private static String source(ReproductionTest test) throws UsageException {
        try {
            return test.source();
        } catch (IllegalStateException e) {
            throw new UsageException(String.valueOf(e.getMessage()));
        }
    }

    private Path write(ReproductionTest test, Path target) throws UsageException {
        Path to = target.toString().endsWith(JAVA)
                ? target
                : target.resolve(packageName.replace('.', '/')).resolve(test.className() + JAVA);
        byte[] source = source(test).getBytes(StandardCharsets.UTF_8);
        try {
            Path folder = to.getParent();
            if (folder != null) {
                Files.createDirectories(folder);
            }
            if (overwrite) {
                FileReplacement.write(to, bytes -> bytes.write(source));
            } else {
                FileReplacement.writeNew(to, bytes -> bytes.write(source));
            }
            return to;
        } catch (FileAlreadyExistsException e) {
            throw new UsageException(to + " is there already. Give another path with -o, or add --overwrite.");
        } catch (IOException e) {
            throw OutputFile.unwritable(to, e);
        }
    }
}
