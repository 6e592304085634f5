package dev.meshguard.verdict.baseline;

import dev.meshguard.event.BufferType;
import dev.meshguard.event.Origin;
import dev.meshguard.event.Owner;
import dev.meshguard.history.BufferGeneration;
import dev.meshguard.text.FrameName;
import dev.meshguard.verdict.SurvivorGroup;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apiguardian.api.API;
import org.apiguardian.api.API.Status;

/**
 * The stable identity of a leak: its memory, the magnitude of its size, and the code that requested it.
 *
 * <p>Devices, addresses, line numbers, event numbers and the cause are excluded. So are parts of names that a compiler,
 * a runtime or a library numbers. The fingerprint is the same on every JDK, on every mesh, and after an edit elsewhere
 * in the file.
 *
 * <h2>The canonical text</h2>
 *
 * <p>The digest is the SHA-256 of this text in UTF-8, lines ended by {@code \n}:
 *
 * <pre>
 * DRAM
 * 1048576
 * dev.example.Model.lambda$load
 * dev.example.KvCacheTest.decode
 * </pre>
 * <ol>
 *   <li>the type of the memory;
 *   <li>the size class: the smallest power of two that is not less than the size in bytes, or 0;
 *   <li>the four innermost frames of the origin, each as package, classes and method. Frames of the JDK, JUnit,
 *       Surefire, Mockito and of generated classes are left out, as are the accessors that compilers add;
 *       {@code lambda$load$3} is {@code lambda$load}, {@code Model$1} is {@code Model}, {@code Model$$SpringCGLIB$$0}
 *       is {@code Model}; a frame that repeats the one before it is left out;
 *   <li>if no frame remains: {@code owner} with the owner in lower case and without its numbers
 *       ({@code owner program (add)}), if it is known;
 *   <li>if no frame remains, or the size is unknown: {@code label} with the label, if it is known. That of an object is its class, named
 *       as those of frames.
 * </ol>
 *
 * @param digest the SHA-256, 64 hexadecimal digits in lower case
 * @param type the memory
 * @param sizeClass the size class, in bytes
 * @param callSite the innermost frame without its package, or its replacement; for readers
 * @since 0.1
 */
@API(status = Status.EXPERIMENTAL, since = "0.1")
public record Fingerprint(String digest, BufferType type, long sizeClass, String callSite) {

    /** The caller and its callers; frames further out differ from test to test. */
    private static final int MAX_FRAMES = 4;

    private static final int MIN_DIGITS = 6;
    private static final long MAX_SIZE_CLASS = 1L << 62;
    private static final Pattern NUMBERS = Pattern.compile("\\d+");
    private static final Pattern BLANKS = Pattern.compile("\\s+");

    /** Returns the fingerprint of a group of survivors. */
    public static Fingerprint of(SurvivorGroup group) {
        return of(group.first().buffer());
    }

    /** Returns the fingerprint of a buffer, whether it survived or not. */
    public static Fingerprint of(BufferGeneration buffer) {
        long sizeClass = sizeClassOf(buffer.size());
        List<FrameName> frames = buffer.origin().map(Fingerprint::frames).orElseGet(List::of);
        List<String> lines = new ArrayList<>(List.of(buffer.type().name(), Long.toString(sizeClass)));
        frames.forEach(frame -> lines.add(frame.toString()));
        List<String> names = new ArrayList<>();
        if (frames.isEmpty()) {
            buffer.owner().map(Fingerprint::description).ifPresent(names::add);
        }
        if (sizeClass == 0) {
            buffer.label().map(label -> "label " + FrameName.plainClass(label)).ifPresent(names::add);
        } else if (frames.isEmpty()) {
            buffer.label().map(label -> "label " + label).ifPresent(names::add);
        }
        lines.addAll(names);
        String place = Stream.concat(frames.stream().limit(1).map(FrameName::description), names.stream())
                .collect(Collectors.joining(", "));
        return new Fingerprint(
                sha256(String.join("\n", lines) + "\n"),
                buffer.type(),
                sizeClass,
                place.isEmpty() ? "unknown" : BLANKS.matcher(place).replaceAll(" "));
    }

    static List<FrameName> frames(Origin origin) {
        List<FrameName> frames = new ArrayList<>(MAX_FRAMES);
        for (StackTraceElement frame : origin.frames()) {
            Optional<FrameName> name = FrameName.ofUser(frame);
            if (name.isPresent() && (frames.isEmpty() || !name.get().equals(frames.get(frames.size() - 1)))) {
                frames.add(name.get());
            }
            if (frames.size() == MAX_FRAMES) {
                break;
            }
        }
        return frames;
    }

    /** The runtime numbers programs and traces in the order of their creation. */
    private static String description(Owner owner) {
        String name = NUMBERS.matcher(owner.name()).replaceAll("");
        String words = "owner " + owner.kind().name().toLowerCase(Locale.ROOT) + ' ' + name;
        return BLANKS.matcher(words).replaceAll(" ").trim();
    }

    private static long sizeClassOf(long size) {
        if (size <= 1) {
            return Math.max(0, size);
        }
        return size > MAX_SIZE_CLASS ? Long.MAX_VALUE : Long.highestOneBit(size - 1) << 1;
    }

    private static String sha256(String text) {
        try {
            MessageDigest digest = MessageDigest.getInstance("SHA-256");
            return HexFormat.of().formatHex(digest.digest(text.getBytes(StandardCharsets.UTF_8)));
        } catch (NoSuchAlgorithmException impossible) {
            throw new IllegalStateException("Every Java platform has SHA-256", impossible);
        }
    }

    /** Returns the digits that a report prints of each of its fingerprints: six, or as many more as distinguish them. */
    public static int digitsOf(Collection<Fingerprint> all) {
        TreeSet<String> sorted = new TreeSet<>();
        all.forEach(fingerprint -> sorted.add(fingerprint.digest()));
        int digits = MIN_DIGITS;
        String before = "";
        for (String digest : sorted) {
            digits = Math.max(digits, Arrays.mismatch(before.toCharArray(), digest.toCharArray()) + 1);
            before = digest;
        }
        return digits;
    }

    /** Returns the first digits. */
    public String abbreviated(int digits) {
        return digest.substring(0, Math.min(digits, digest.length()));
    }

    /** Returns the fingerprint in its shortest printed form: {@code 7f3a9c}. */
    @Override
    public String toString() {
        return abbreviated(MIN_DIGITS);
    }
}
