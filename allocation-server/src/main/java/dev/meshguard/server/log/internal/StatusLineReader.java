package dev.meshguard.server.log.internal;

import dev.meshguard.event.BufferType;
import dev.meshguard.server.log.internal.BufferEntry.Sum;
import dev.meshguard.server.log.internal.LogRecorder.Gap;
import dev.meshguard.text.Quantities;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Reads the lines of a server's log other than allocations and frees: checks their sums, and records deaths and gaps.
 *
 * <p>Sums that the server printed are compared with the sums of the lines before them.
 */
final class StatusLineReader {

    private static final String NUMBER = "(-?\\d{1,18})";
    private static final String FIGURE = "(-?\\d{1,20}(?:\\.\\d{1,20})?(?:e[+-]?\\d{1,3})?)";
    private static final String REMARK = "(?:\\s*|\\s+[^\\x00-\\x7f#<].*|\\s+[#<].*)";

    /** No line of a server is that long, and long ones make a pattern slow. */
    private static final int MAX_LENGTH = 400;

    private static final int HEXADECIMAL = 16;
    private static final long KILOBYTE = 1024;
    private static final long MEGABYTE = KILOBYTE * KILOBYTE;
    private static final Set<BufferType> ALL_TYPES = EnumSet.allOf(BufferType.class);

    /** The patterns of the forms by their words; all logs share them, because compiling them takes longer than reading a short log. */
    private static final Map<String, Pattern> PATTERNS = new ConcurrentHashMap<>();

    /** The words of lines that are a reason against a clean verdict. They occur nowhere else, so any prefix may stand before them. */
    private static final Pattern REASON =
            Pattern.compile("\\[CB_(?:ALLOC|FREE)\\] |Removed \\d+ CBs |Unknown message type: \\d"
                    + "|Invalid (?:device_id|size) -?\\d+ - ignoring|Invalid buffer_type \\d+ for buffer"
                    + "|Too many consecutive errors \\(\\d|\\[TT-Metal\\] Warning: Allocation tracking enabled but");

    /**
     * A form of a line.
     *
     * @param isOfBlock whether it is valid in a block of the server only: words like {@code Device 0:} also occur elsewhere
     * @param meaning what a line of the form does
     */
    private record Form(boolean isOfBlock, Pattern pattern, Consumer<MatchResult> meaning) {}

    /** The sum in a device's last line of circular buffers or kernels, if it is not zero. */
    private record LastTotal(String megabytes, long line) {}

    private final LogRecorder events;
    private final ReplayedLedger ledger;
    private final List<Form> forms = new ArrayList<>();

    /** Whether a block of the server has begun, such as its statistics. */
    private boolean isInBlock;

    /** The device that the current section is about. */
    private int device;

    private long figures;
    private long disagreements;

    private final Map<Integer, LastTotal> circularBuffers = new TreeMap<>();
    private final Map<Integer, LastTotal> kernels = new TreeMap<>();

    private boolean hasStarted;
    private boolean isInDump;

    /** The line of the latest death; totals of later lines exclude its circular buffers and kernels. */
    private long deathLine;

    StatusLineReader(LogRecorder events, ReplayedLedger ledger) {
        this.events = events;
        this.ledger = ledger;

        form("(?:Enhanced )?Allocation Server started.*", line -> started());
        form("Allocation Server stopped", line -> ledger.programsEnded());

        form("Current Statistics:|DETAILED KERNEL ALLOCATIONS", line -> isInBlock = true);
        inBlock("Device <n>:", line -> device = (int) number(line, 1));
        // A quoted form of the block: all values of a device in one line.
        form("Device <n>: (Buffers: \\d{1,18}(?:, (?:DRAM|L1|Total): \\d{1,20} bytes)*)", line -> {
            boolean wasInBlock = isInBlock;
            isInBlock = true;
            device = (int) number(line, 1);
            Stream.of(line.group(2).split(", ")).forEach(this::read);
            isInBlock = wasInBlock;
        });
        inBlock(
                "Buffers: <n>",
                line -> check(number(line, 1), ledger.sum(device, ALL_TYPES).buffers, "buffers on device " + device));
        inBlock("(DRAM|L1|Total): <f> (bytes|KB)(?: \\(<f> KB\\))?", this::bytes);
        inBlock("Active allocations: <n>", line -> {
            check(number(line, 1), ledger.entries(), "active allocations");
            isInBlock = false;
        });

        form("PID <n> is dead, removing its buffers\\.\\.\\.", line -> died(number(line, 1)));
        form("Removed <n> (buffers|CBs|kernels) \\(<f> MB\\) from PID <n>", this::removed);

        form("REMAINING ALLOCATED BUFFERS", line -> dump());
        inBlock("Total (?:tracked allocations|remaining buffers): <n>", line -> liveBuffers(number(line, 1)));
        inBlock("No buffers remaining - perfect cleanup!", line -> liveBuffers(0));
        inBlock("(DRAM|L1|SYSTEM_MEMORY|L1_SMALL|TRACE): <n> buffers, <f> MB total", this::group);
        inBlock("- Buffer (0x[0-9a-fA-F]{1,16}): <f> KB \\(PID (?:-?\\d{1,18}|xxx), ref_count=<n>\\)", this::buffer);
        form("DUMP_REMAINING complete\\.", line -> dumpComplete());

        form(
                "\\[(CB|KERNEL)_(?:ALLOC|FREE|LOAD|UNLOAD)\\] (?:\\w+ kernel on )?Device <n>: [+-]-?<f> MB \\(Total: <f> MB\\)",
                line -> total(
                        line.group(1).equals("CB") ? circularBuffers : kernels, (int) number(line, 2), line.group(4)));
        form(
                "\\[CB_(?:ALLOC|FREE)\\] .*|.*Device \\d+: [+-]-?<f> MB \\(Total: .*",
                line -> events.gapOfLine(
                        Gap.UNREADABLE, "contains a sum of circular buffers or kernels that cannot be read"));
        form(
                "(Unknown message type: .*|Invalid (?:device_id|size|buffer_type) .*|Too many consecutive errors .*)",
                line -> rejected(line.group(1)));
        form(
                "(Accept failed|\\[TT-Metal\\] Warning: Allocation tracking enabled but server not available.*)",
                line -> events.gap(
                        Gap.NOT_CONNECTED,
                        "a program could not report (line " + events.line() + ", " + Quantities.quoted(line.group(1))
                                + ")"));

        inBlock(
                "Total kernel allocations: .*|Device \\d+ - Total: .*|Kernel ID: .*|Size: .*|Owner PID.*|Age: .*",
                line -> {});
        // The history of a buffer.
        form(
                "History \\(allocs=\\d+ frees=\\d+\\):|Last \\d+ events for this buffer:"
                        + "|(?:ALLOC|FREE|REUSE) size=\\d+ pid=-?\\d+ ref=-?\\d+|DOUBLE-FREED BUFFERS.*",
                line -> {});
        form(
                "Listening on: .*|Press Ctrl\\+C to stop|Background cleanup thread (?:started|stopped).*"
                        + "|Device detection \\(.*|Server will track allocations anyway"
                        + "|No (?:PCIe )?devices detected|Total: \\d+ (?:PCIe )?device\\(s\\) detected"
                        + "|Device \\d+: \\w+ \\(\\d+GB DRAM, \\d+MB L1\\).*"
                        + "|Detected dead processes, cleaning up orphaned buffers\\.\\.\\."
                        + "|Received DUMP_REMAINING request\\.\\.\\.|DUMP_KERNELS complete\\.",
                line -> isInBlock = false);
    }

    private void form(String words, Consumer<MatchResult> meaning) {
        forms.add(new Form(false, pattern(words), meaning));
    }

    private void inBlock(String words, Consumer<MatchResult> meaning) {
        forms.add(new Form(true, pattern(words), meaning));
    }

    private static Pattern pattern(String words) {
        return PATTERNS.computeIfAbsent(words, form -> {
            String fields = form.replace("<n>", NUMBER).replace("<f>", FIGURE);
            return Pattern.compile("(?:" + fields + ")" + REMARK, Pattern.DOTALL);
        });
    }

    /** Reads a line without its marks; returns whether it has one of the forms. */
    boolean read(String core) {
        Matcher reason = REASON.matcher(core);
        String text =
                reason.find() && core.lastIndexOf('`', reason.start()) < 0 ? core.substring(reason.start()) : core;
        if (text.isEmpty() || text.length() > MAX_LENGTH) {
            return false;
        }
        for (Form form : forms) {
            Matcher line = form.pattern.matcher(text);
            if ((isInBlock || !form.isOfBlock) && line.matches()) {
                events.attach();
                form.meaning.accept(line);
                return true;
            }
        }
        return false;
    }

    boolean isInBlock() {
        return isInBlock;
    }

    void endBlock() {
        isInBlock = false;
    }

    private static long number(MatchResult line, int group) {
        return Long.parseLong(line.group(group));
    }

    private static long address(MatchResult line) {
        return Long.parseUnsignedLong(line.group(1).substring(2), HEXADECIMAL);
    }

    void rejected(String text) {
        events.gap(
                Gap.REJECTED,
                "the server rejected a message (line " + events.line() + ", " + Quantities.quoted(text)
                        + "): programs and server are of different versions, or the program reports what cannot be");
    }

    // The server and its processes

    private void started() {
        if (hasStarted) {
            ledger.restarted();
        }
        hasStarted = true;
        circularBuffers.clear();
        kernels.clear();
    }

    /** The check is at the last dump request, unless more was allocated afterwards. */
    private void dump() {
        isInBlock = true;
        isInDump = true;
        ledger.dumped();
        events.checked();
    }

    /** The check is at the beginning of a dump, so what was freed before it is not known without that line. */
    private void dumpComplete() {
        isInBlock = false;
        if (!isInDump) {
            events.gapOfLine(Gap.CUT, "ends a dump, and no line before it begins one");
        }
        isInDump = false;
    }

    private void died(long pid) {
        deathLine = events.line();
        ledger.processDied(pid);
    }

    private void removed(MatchResult line) {
        long pid = number(line, 4);
        if (pid != ledger.latestDead()) {
            died(pid);
        }
        long count = number(line, 1);
        String megabytes = line.group(3);
        switch (line.group(2)) {
            case "buffers" ->
                check(
                        ledger.removedDead(),
                        count,
                        megabytes,
                        Quantities.count(count, "buffer") + " with " + megabytes + " MB of the dead process " + pid);
            case "CBs" -> {
                events.gap(
                        Gap.CIRCULAR_BUFFERS,
                        "process " + pid + " died with " + Quantities.count(count, "circular buffer") + " of "
                                + megabytes + " MB (line " + events.line() + "), and a log does not identify them");
                circularBuffers.values().removeIf(total -> total.line() < deathLine);
            }
            default -> kernels.values().removeIf(total -> total.line() < deathLine);
        }
    }

    // Sums

    private void bytes(MatchResult line) {
        String what = line.group(1);
        String printed = line.group(2);
        String unit = line.group(3);
        boolean isExact = unit.equals("bytes");
        boolean isTotal = what.equals("Total");
        long bytes = ledger.sum(device, isTotal ? ALL_TYPES : Set.of(BufferType.valueOf(what))).bytes;
        check(
                fits(printed, bytes, isExact ? 1 : KILOBYTE),
                printed + " " + unit + " of " + (isTotal ? "all types" : what) + " on device " + device,
                isExact ? String.valueOf(bytes) : Quantities.size(bytes));
    }

    private void liveBuffers(long printed) {
        check(printed, ledger.entries(), "live buffers");
    }

    private void group(MatchResult line) {
        BufferType type = BufferType.valueOf(line.group(1));
        long count = number(line, 2);
        String megabytes = line.group(3);
        check(
                ledger.sum(device, Set.of(type)),
                count,
                megabytes,
                Quantities.count(count, "buffer") + " of " + type + " on device " + device + " with " + megabytes
                        + " MB");
    }

    private void buffer(MatchResult line) {
        long id = address(line);
        String kilobytes = line.group(2);
        long references = number(line, 3);
        Optional<BufferEntry> entry = ledger.entry(device, id);
        check(
                entry.filter(known -> known.references == references && fits(kilobytes, known.size, KILOBYTE))
                        .isPresent(),
                BufferEntry.text(device, id) + " with " + kilobytes + " KB and "
                        + Quantities.count(references, "reference"),
                entry.map(known ->
                                Quantities.size(known.size) + " and " + Quantities.count(known.references, "reference"))
                        .orElse("none"));
    }

    private void check(Sum sum, long count, String megabytes, String printed) {
        check(
                count == sum.buffers && fits(megabytes, sum.bytes, MEGABYTE),
                printed,
                Quantities.count(sum.buffers, "buffer") + " with " + Quantities.size(sum.bytes));
    }

    private void check(long printed, long counted, String what) {
        check(printed == counted, printed + " " + what, String.valueOf(counted));
    }

    private void check(boolean fits, String printed, String counted) {
        figures++;
        if (!fits) {
            disagreements++;
            events.gapOfLine(Gap.WITNESS, "says " + printed + ", and the lines before it add up to " + counted);
        }
    }

    /** Returns whether a number of bytes, in a unit, has this printed form: six digits, so many numbers have the same. */
    private static boolean fits(String printed, long bytes, long unit) {
        BigDecimal figure = new BigDecimal(printed);
        BigDecimal halfDigit = figure.ulp().divide(BigDecimal.valueOf(2));
        BigDecimal difference = BigDecimal.valueOf(bytes).subtract(figure.multiply(BigDecimal.valueOf(unit)));
        return difference.abs().compareTo(halfDigit.multiply(BigDecimal.valueOf(unit))) <= 0;
    }

    /** Returns the number of compared sums. */
    long figures() {
        return figures;
    }

    /** Returns the number of them that are not the sum of the lines. */
    long disagreements() {
        return disagreements;
    }

    // Circular buffers and kernels, and the end

    private void total(Map<Integer, LastTotal> totals, int ofDevice, String megabytes) {
        totals.remove(ofDevice);
        if (new BigDecimal(megabytes).signum() != 0) {
            totals.put(ofDevice, new LastTotal(megabytes, events.line()));
        }
    }

    /** Records the circular buffers that are live at the end. */
    void finish() {
        circularBuffers.forEach((ofDevice, total) -> events.gap(
                total.line(),
                Gap.CIRCULAR_BUFFERS,
                "by line " + total.line() + " circular buffers of " + total.megabytes() + " MB are live on device "
                        + ofDevice + ", and a log does not identify them"));
    }

    /** Returns a note for the kernels of each device that are loaded at the end. */
    List<String> notes() {
        List<String> notes = new ArrayList<>();
        kernels.forEach((ofDevice, total) -> notes.add("Kernels of " + total.megabytes() + " MB are loaded on device "
                + ofDevice + " at the end (line " + total.line() + "). Kernels are no buffers and are not judged."));
        return notes;
    }
}
