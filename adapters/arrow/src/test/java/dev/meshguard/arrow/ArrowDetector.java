package dev.meshguard.arrow;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;

/** What Arrow says when its root allocator is closed. It reads its mode once, so that each gets a Java machine of its own. */
enum ArrowDetector {
    /** Arrow as it comes. */
    PLAIN("-Darrow.memory.debug.allocator=false"),
    /** Arrow with its debug allocator. */
    DEBUG("-Darrow.memory.debug.allocator=true");

    private static final Pattern ALLOCATED = Pattern.compile("Allocator\\(ROOT\\) \\d+/(?<bytes>\\d+)/");
    private static final Pattern ADDRESS = Pattern.compile("ArrowBuf\\[\\d+], address:");

    private final String option;

    ArrowDetector(String option) {
        this.option = option;
    }

    /** Returns what Arrow says of each program, which all run in a Java machine of their own. */
    Map<VectorProgram, String> answers() throws Exception {
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:TieredStopAtLevel=1",
                        "-XX:+UseSerialGC",
                        "--add-opens=java.base/java.nio=ALL-UNNAMED",
                        option,
                        "-cp",
                        System.getProperty("java.class.path"),
                        ArrowDetector.class.getName())
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        Map<VectorProgram, String> answers = new EnumMap<>(VectorProgram.class);
        try (var lines = process.inputReader(StandardCharsets.UTF_8)) {
            lines.lines()
                    .map(line -> line.split("\t"))
                    .forEach(one -> answers.put(VectorProgram.valueOf(one[0]), one[1]));
        }
        if (process.waitFor() != 0) {
            throw new IllegalStateException("The programs failed in mode " + this + ": " + answers);
        }
        return answers;
    }

    public static void main(String[] arguments) throws Exception {
        List<Object> kept = new ArrayList<>();
        for (VectorProgram program : VectorProgram.values()) {
            List<String> answer = new ArrayList<>();
            BufferAllocator root = new RootAllocator();
            try {
                program.run(root, kept);
            } catch (IllegalStateException thrown) {
                answer.add(thrown.getClass().getSimpleName());
            }
            try {
                root.close();
            } catch (IllegalStateException leak) {
                answer.add(answer(program, leak.getMessage()));
            }
            System.out.println(program.name() + "\t" + (answer.isEmpty() ? "nothing" : String.join("; ", answer)));
        }
    }

    private static String answer(VectorProgram program, String message) {
        Matcher allocated = ALLOCATED.matcher(message);
        if (!allocated.find()) {
            throw new IllegalArgumentException("Arrow reports no number of bytes: " + message);
        }
        long addresses = ADDRESS.matcher(message).results().count();
        return allocated.group("bytes")
                + " B"
                + (addresses == 0 ? "" : ", " + addresses + (addresses == 1 ? " address" : " addresses"))
                + (program.isCalledFirst(message) ? ", line" : "");
    }
}
