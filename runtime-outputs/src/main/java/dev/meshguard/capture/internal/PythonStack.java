package dev.meshguard.capture.internal;

import dev.meshguard.event.Origin;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Reads the stack of a Python call, as Python's {@code traceback} prints it. */
final class PythonStack {

    private static final Pattern FRAME = Pattern.compile(
            "^\\s*File \"(?<file>[^\"\\n]+)\", line (?<line>\\d{1,9}), in (?<function>\\S.*)$", Pattern.MULTILINE);

    private static final String ENDING = ".py";

    private static final int MAX_FRAMES = 64;

    private PythonStack() {}

    /** Returns the frames in their order, which is innermost first in all files of ttnn; empty if there is none. */
    static Optional<Origin> origin(String stack) {
        List<StackTraceElement> frames = new ArrayList<>();
        Matcher frame = FRAME.matcher(stack);
        while (frames.size() < MAX_FRAMES && frame.find()) {
            frames.add(new StackTraceElement(
                    moduleOf(frame.group("file")),
                    frame.group("function").strip(),
                    frame.group("file"),
                    Integer.parseInt(frame.group("line"))));
        }
        return frames.isEmpty() ? Optional.empty() : Optional.of(new Origin(frames));
    }

    private static String moduleOf(String file) {
        String name = file.substring(Math.max(file.lastIndexOf('/'), file.lastIndexOf('\\')) + 1);
        return name.endsWith(ENDING) ? name.substring(0, name.length() - ENDING.length()) : name;
    }
}
