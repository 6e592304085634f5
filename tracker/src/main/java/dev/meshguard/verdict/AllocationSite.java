package dev.meshguard.verdict;

import dev.meshguard.event.BufferType;
import dev.meshguard.event.Origin;
import dev.meshguard.event.SourceVocabulary;
import dev.meshguard.history.BufferGeneration;
import dev.meshguard.text.FrameName;
import dev.meshguard.text.Quantities;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.stream.Collectors;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * The code, memory type and label of an allocation, by which it is recognized in other rounds, in other runs and on
 * other devices.
 *
 * <p>Addresses, devices and line numbers are excluded, because they change where nothing relevant does. The size counts
 * only where no origin was captured: a line that allocates a little more each time is one site.
 *
 * @param type the memory
 * @param callSite the innermost methods of the origin, at most three, without line numbers; empty if none was captured
 * @param size the size of each in bytes, if there is no call site
 * @param label the purpose that the code under test gave, if any
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public record AllocationSite(BufferType type, Optional<String> callSite, OptionalLong size, Optional<String> label) {

    private static final int FRAMES = 3;

    /** Returns the site of a buffer. */
    public static AllocationSite of(BufferGeneration buffer) {
        return of(buffer, buffer.origin().flatMap(AllocationSite::callSiteOf));
    }

    /** Returns the site of a buffer whose call site is already known. */
    public static AllocationSite of(BufferGeneration buffer, Optional<String> callSite) {
        return new AllocationSite(
                buffer.type(),
                callSite,
                callSite.isPresent() ? OptionalLong.empty() : OptionalLong.of(buffer.size()),
                buffer.label());
    }

    /** Returns the innermost methods of an origin, if it has any frame. */
    public static Optional<String> callSiteOf(Origin origin) {
        return origin.frames().isEmpty()
                ? Optional.empty()
                : Optional.of(origin.frames().stream()
                        .limit(FRAMES)
                        .map(AllocationSite::method)
                        .collect(Collectors.joining(" < ")));
    }

    private static String method(StackTraceElement frame) {
        return FrameName.of(frame).toString().replace("lambda$", "lambda in ");
    }

    /** Returns memory, size or label, and the innermost method: {@code DRAM "kv-cache" from KvCache.append}. */
    @Override
    public String toString() {
        return text(SourceVocabulary.MESH);
    }

    /** Returns this site in the words of the source of its memory: {@code native memory from Store.open}. */
    public String text(SourceVocabulary words) {
        StringBuilder text = new StringBuilder(words.memory().orElse(type.toString()));
        size.ifPresent(bytes -> text.append(words.isOfObjects() ? "" : " " + words.units())
                .append(bytes == 0 ? "" : " of " + Quantities.size(bytes)));
        label.ifPresent(purpose -> text.append(' ').append(Quantities.quoted(purpose)));
        callSite.ifPresent(methods -> text.append(" from ").append(innermost(methods)));
        return text.toString();
    }

    private static String innermost(String methods) {
        int end = methods.indexOf(" < ");
        String first = end < 0 ? methods : methods.substring(0, end);
        int method = first.lastIndexOf('.');
        int type = first.lastIndexOf('.', method - 1);
        return first.substring(type + 1);
    }
}
