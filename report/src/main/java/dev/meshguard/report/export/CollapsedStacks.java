package dev.meshguard.report.export;

import dev.meshguard.event.Origin;
import dev.meshguard.event.Quantities;
import dev.meshguard.history.BufferGeneration;
import dev.meshguard.verdict.LeakVerdict;
import dev.meshguard.verdict.Survivor;
import dev.meshguard.verdict.SurvivorStatus;
import java.io.IOException;
import java.io.Writer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * Writes the origins of leaked bytes as collapsed stacks, the input format of flame graph tools.
 *
 * <p>A line for each stack: its frames from the outermost to the innermost, separated by semicolons, then a blank and
 * the leaked bytes. The bytes of all lines add up to the leaked bytes of the verdict. A buffer without a captured
 * origin is listed under its memory and its label. A separator or a line break in a name is replaced by a colon or a
 * blank.
 *
 * <pre>{@code
 * dev.example.KvCacheTest.decode;dev.example.KvCache.append 8388608
 * }</pre>
 *
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public final class CollapsedStacks {

    private CollapsedStacks() {}

    /** Writes the stacks; the writer is flushed and stays open. A writer that encodes must encode as UTF-8. */
    public static void write(LeakVerdict verdict, Writer writer) throws IOException {
        Map<String, Long> bytes = new TreeMap<>();
        for (Survivor survivor : verdict.survivors(one -> one.status() == SurvivorStatus.LEAKED)) {
            bytes.merge(stack(survivor.buffer()), survivor.buffer().size(), Quantities::saturatedSum);
        }
        for (Map.Entry<String, Long> stack : bytes.entrySet()) {
            writer.write(stack.getKey() + " " + stack.getValue() + "\n");
        }
        writer.flush();
    }

    private static String stack(BufferGeneration buffer) {
        List<StackTraceElement> frames = buffer.origin().map(Origin::frames).orElse(List.of());
        List<String> names = new ArrayList<>();
        for (int i = frames.size() - 1; i >= 0; i--) {
            names.add(name(frames.get(i).getClassName() + "." + frames.get(i).getMethodName()));
        }
        if (names.isEmpty()) {
            names.add("no origin captured");
            names.add(buffer.type().name());
            names.add(name(buffer.label().orElse("unlabelled")));
        }
        return String.join(";", names);
    }

    private static String name(String text) {
        String safe = text.replace(';', ':')
                .replaceAll("[\\p{Cntrl}\\p{Zl}\\p{Zp}]", " ")
                .strip();
        return safe.isEmpty() ? "unlabelled" : safe;
    }
}
