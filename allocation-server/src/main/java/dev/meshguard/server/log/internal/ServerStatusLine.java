package dev.meshguard.server.log.internal;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A line of the server that is not about a single buffer.
 *
 * @param form the form of the line
 * @param values the variable parts
 */
record ServerStatusLine(Form form, List<String> values) {

    private static final String NUMBER = "(-?\\d{1,18})";
    private static final String FIGURE = "(-?\\d{1,20}(?:\\.\\d{1,20})?(?:e[+-]?\\d{1,3})?)";
    private static final String REMARK = "(?:\\s*|\\s+[^\\x00-\\x7f#<].*|\\s+[#<].*)";

    /** The forms of lines. Some are valid in a block of the server only: words like {@code Device 0:} also occur elsewhere. */
    enum Form {
        STARTED("(?:Enhanced )?Allocation Server started.*"),
        STOPPED("Allocation Server stopped"),
        STATISTICS("Current Statistics:"),
        DEVICE(true, "Device " + NUMBER + ":"),
        /** A quoted form of the block: all values of a device in one line. */
        STATISTICS_LINE("Device " + NUMBER + ": Buffers: " + NUMBER + "(?:, (DRAM): " + NUMBER + " bytes)?(?:, (L1): "
                + NUMBER + " bytes)?(?:, (Total): " + NUMBER + " bytes)?"),
        BUFFERS(true, "Buffers: " + NUMBER),
        BYTES(true, "(DRAM|L1|Total): " + FIGURE + " (bytes|KB)(?: \\(" + FIGURE + " KB\\))?"),
        ACTIVE(true, "Active allocations: " + NUMBER),
        /** A line of this project's own server. */
        SHARED_WITH_DEAD("Buffer (0x[0-9a-fA-F]{1,16}|\\d{1,18}) on device " + NUMBER + " keeps ref_count=" + NUMBER
                + " without PID " + NUMBER + ", and belongs to PID " + NUMBER),
        DEAD("PID " + NUMBER + " is dead, removing its buffers\\.\\.\\."),
        REMOVED("Removed " + NUMBER + " (buffers|CBs|kernels) \\(" + FIGURE + " MB\\) from PID " + NUMBER),
        DUMP("REMAINING ALLOCATED BUFFERS"),
        DUMP_TOTAL(true, "Total (?:tracked allocations|remaining buffers): " + NUMBER),
        DUMP_COMPLETE("DUMP_REMAINING complete\\."),
        DUMP_NOTHING(true, "No buffers remaining - perfect cleanup!"),
        DUMP_TYPE(true, "(DRAM|L1|SYSTEM_MEMORY|L1_SMALL|TRACE): " + NUMBER + " buffers, " + FIGURE + " MB total"),
        DUMP_BUFFER(
                true,
                "- Buffer (0x[0-9a-fA-F]{1,16}): " + FIGURE + " KB \\(PID (-?\\d{1,18}|xxx), ref_count=" + NUMBER
                        + "\\)"),
        /** The sum of the circular buffers or kernels of a device. */
        SUM("\\[(CB|KERNEL)_(?:ALLOC|FREE|LOAD|UNLOAD)\\] (?:\\w+ kernel on )?Device " + NUMBER + ": [+-]-?" + FIGURE
                + " MB \\(Total: " + FIGURE + " MB\\)"),
        UNREADABLE_SUM("\\[CB_(?:ALLOC|FREE)\\] .*|.*Device \\d+: [+-]-?" + FIGURE + " MB \\(Total: .*"),
        KERNELS("DETAILED KERNEL ALLOCATIONS"),
        KERNEL(
                true,
                "(?:Total kernel allocations: .*|Device \\d+ - Total: .*|Kernel ID: .*|Size: .*|Owner PID.*|Age: .*)"),
        /** A part of the history of a buffer. */
        HISTORY("History \\(allocs=\\d+ frees=\\d+\\):|Last \\d+ events for this buffer:"
                + "|(?:ALLOC|FREE|REUSE) size=\\d+ pid=-?\\d+ ref=-?\\d+|DOUBLE-FREED BUFFERS.*"),
        REJECTED("(Unknown message type: .*|Invalid (?:device_id|size|buffer_type) .*|Too many consecutive errors .*)"),
        NOT_CONNECTED(
                "(Accept failed" + "|\\[TT-Metal\\] Warning: Allocation tracking enabled but server not available.*)"),
        DECORATION("Listening on: .*|Press Ctrl\\+C to stop|Background cleanup thread (?:started|stopped).*"
                + "|Device detection \\(.*|Server will track allocations anyway"
                + "|No (?:PCIe )?devices detected|Total: \\d+ (?:PCIe )?device\\(s\\) detected"
                + "|Device \\d+: \\w+ \\(\\d+GB DRAM, \\d+MB L1\\).*"
                + "|Detected dead processes, cleaning up orphaned buffers\\.\\.\\."
                + "|Received DUMP_REMAINING request\\.\\.\\.|DUMP_KERNELS complete\\.");

        private final boolean isOfBlock;
        private final Pattern pattern;

        Form(String pattern) {
            this(false, pattern);
        }

        Form(boolean isOfBlock, String pattern) {
            this.isOfBlock = isOfBlock;
            this.pattern = Pattern.compile("(?:" + pattern + ")" + REMARK, Pattern.DOTALL);
        }
    }

    /** The words of lines that are a reason against a clean verdict. They occur nowhere else, so any prefix may stand before them. */
    private static final Pattern REASON =
            Pattern.compile("\\[CB_(?:ALLOC|FREE)\\] |Removed \\d+ CBs |Unknown message type: \\d"
                    + "|Invalid (?:device_id|size) -?\\d+ - ignoring|Invalid buffer_type \\d+ for buffer"
                    + "|Too many consecutive errors \\(\\d|\\[TT-Metal\\] Warning: Allocation tracking enabled but");

    private static final Form[] FORMS = Form.values();

    /** No line of a server is that long, and long ones make a pattern slow. */
    private static final int MAX_LENGTH = 400;

    private static final int SHORTEST_RULE = 10;
    /** Three characters of a frame, each decoded as three characters. */
    private static final int MAX_SIGNS_IN_RULE = 9;

    /** Creates a line with its own copy of the values. */
    ServerStatusLine {
        values = List.copyOf(values);
    }

    /**
     * Parses a line without its marks; empty if it has none of these forms.
     *
     * @param isInBlock whether a block of the server has begun
     */
    static Optional<ServerStatusLine> read(String core, boolean isInBlock) {
        Matcher reason = REASON.matcher(core);
        String line =
                reason.find() && core.lastIndexOf('`', reason.start()) < 0 ? core.substring(reason.start()) : core;
        if (line.isEmpty() || line.length() > MAX_LENGTH) {
            return Optional.empty();
        }
        for (Form form : FORMS) {
            Matcher matcher = form.pattern.matcher(line);
            if ((isInBlock || !form.isOfBlock) && matcher.matches()) {
                return Optional.of(new ServerStatusLine(form, groups(matcher)));
            }
        }
        return Optional.empty();
    }

    /** Returns a line without the surrounding marks, emoji and frames, even if their encoding is damaged. */
    static String core(String text) {
        int from = 0;
        int to = text.length();
        while (from < to && isMark(text.charAt(from))) {
            from++;
        }
        while (to > from && isMark(text.charAt(to - 1)) && text.charAt(to - 1) != '?') {
            to--;
        }
        return text.substring(from, to);
    }

    /** Returns whether a line contains only a rule or the side of a frame. */
    static boolean isRule(String text) {
        int drawn = 0;
        for (int i = 0; i < text.length(); i++) {
            char character = text.charAt(i);
            boolean isDrawing = character > 0x7f;
            if (!isDrawing && character != ' ' && character != '\t') {
                return false;
            }
            drawn += isDrawing ? 1 : 0;
        }
        return drawn >= SHORTEST_RULE && text.strip().chars().distinct().count() <= MAX_SIGNS_IN_RULE;
    }

    String word(int place) {
        return values.get(place);
    }

    long number(int place) {
        return Long.parseLong(values.get(place));
    }

    /** Returns an address, in decimal or hexadecimal form. */
    long address(int place) {
        String digits = values.get(place);
        return digits.startsWith("0x")
                ? Long.parseUnsignedLong(digits.substring(2), 16)
                : Long.parseUnsignedLong(digits);
    }

    private static boolean isMark(char character) {
        return character > 0x7f || Character.isWhitespace(character) || character == '?' || character == '>';
    }

    private static List<String> groups(Matcher matcher) {
        List<String> groups = new ArrayList<>();
        for (int i = 1; i <= matcher.groupCount(); i++) {
            String group = matcher.group(i);
            groups.add(group == null ? "" : group);
        }
        return groups;
    }
}
