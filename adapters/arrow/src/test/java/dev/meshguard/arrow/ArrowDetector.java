package dev.meshguard.arrow;

import dev.meshguard.junit.testkit.DetectorComparison;
import java.io.IOException;
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

    /** The names of Arrow's classes begin with it. */
    static final String LIBRARY = "org.apache.arrow.";

    private static final Pattern ALLOCATED = Pattern.compile("Allocator\\(ROOT\\) \\d+/(?<bytes>\\d+)/");
    private static final Pattern ADDRESS = Pattern.compile("ArrowBuf\\[\\d+], address:");

    private final String option;

    ArrowDetector(String option) {
        this.option = option;
    }

    /** Returns what Arrow says of each program, which all run in a Java machine of their own. */
    Map<String, String> answers() throws IOException {
        return DetectorComparison.answersOf(ArrowDetector.class, "--add-opens=java.base/java.nio=ALL-UNNAMED", option);
    }

    public static void main(String[] arguments) {
        DetectorComparison.print(VectorProgramTestCase.class, LIBRARY, ArrowDetector::answer);
    }

    private static List<String> answer(DetectorComparison.Program program) {
        BufferAllocator root = new RootAllocator();
        List<String> answer = program.run(root);
        try {
            root.close();
        } catch (IllegalStateException leak) {
            answer.add(answer(program, leak.getMessage()));
        }
        return answer;
    }

    private static String answer(DetectorComparison.Program program, String message) {
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
