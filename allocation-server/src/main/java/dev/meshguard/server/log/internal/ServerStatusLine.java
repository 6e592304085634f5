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

    /** The section in which a line is valid: words like {@code Device 0:} also occur elsewhere. */
    enum LogSection {
        ANYWHERE,
        IN_STATISTICS,
        IN_DUMP,
        IN_KERNELS
    }

    /** The forms of lines. */
    enum Form {
        STARTED(LogSection.ANYWHERE, "(?:Enhanced )?Allocation Server started.*"),
        STOPPED(LogSection.ANYWHERE, "Allocation Server stopped"),
        STATISTICS(LogSection.ANYWHERE, "Current Statistics:"),
        STATISTICS_DEVICE(LogSection.IN_STATISTICS, "Device " + NUMBER + ":"),
        /** A quoted form of the block: all values of a device in one line. */
        STATISTICS_LINE(
                LogSection.ANYWHERE,
                "Device " + NUMBER + ": Buffers: " + NUMBER + "(?:, (DRAM): " + NUMBER + " bytes)?(?:, (L1): " + NUMBER
                        + " bytes)?(?:, (Total): " + NUMBER + " bytes)?"),
        STATISTICS_BUFFERS(LogSection.IN_STATISTICS, "Buffers: " + NUMBER),
        STATISTICS_BYTES(
                LogSection.IN_STATISTICS, "(DRAM|L1|Total): " + NUMBER + " bytes(?: \\(" + FIGURE + " KB\\))?"),
        STATISTICS_KILOBYTES(LogSection.IN_STATISTICS, "(DRAM|L1|Total): " + FIGURE + " KB"),
        ACTIVE(LogSection.IN_STATISTICS, "Active allocations: " + NUMBER),
        DEAD_FOUND(LogSection.ANYWHERE, "Detected dead processes, cleaning up orphaned buffers\\.\\.\\."),
        /** A line of this project's own server. */
        SHARED_WITH_DEAD(
                LogSection.ANYWHERE,
                "Buffer (0x[0-9a-fA-F]{1,16}|\\d{1,18}) on device " + NUMBER + " keeps ref_count=" + NUMBER
                        + " without PID " + NUMBER + ", and belongs to PID " + NUMBER),
        DEAD(LogSection.ANYWHERE, "PID " + NUMBER + " is dead, removing its buffers\\.\\.\\."),
        REMOVED(
                LogSection.ANYWHERE,
                "Removed " + NUMBER + " (buffers|CBs|kernels) \\(" + FIGURE + " MB\\) from PID " + NUMBER),
        DUMP_ASKED_FOR(LogSection.ANYWHERE, "Received DUMP_REMAINING request\\.\\.\\."),
        DUMP(LogSection.ANYWHERE, "REMAINING ALLOCATED BUFFERS"),
        DUMP_TRACKED(LogSection.IN_DUMP, "Total tracked allocations: " + NUMBER),
        DUMP_NOTHING(LogSection.IN_DUMP, "No buffers remaining - perfect cleanup!"),
        DUMP_DEVICE(LogSection.IN_DUMP, "Device " + NUMBER + ":"),
        DUMP_TYPE(
                LogSection.IN_DUMP,
                "(DRAM|L1|SYSTEM_MEMORY|L1_SMALL|TRACE): " + NUMBER + " buffers, " + FIGURE + " MB total"),
        DUMP_BUFFER(
                LogSection.IN_DUMP,
                "- Buffer 0x([0-9a-fA-F]{1,16}): " + FIGURE + " KB \\(PID (-?\\d{1,18}|xxx), ref_count=" + NUMBER
                        + "\\)"),
        DUMP_HISTORY(LogSection.IN_DUMP, "History \\(allocs=\\d+ frees=\\d+\\):"),
        DUMP_REMAINING(LogSection.IN_DUMP, "Total remaining buffers: " + NUMBER),
        DUMP_OVER(LogSection.ANYWHERE, "DUMP_REMAINING complete\\."),
        CIRCULAR_BUFFER(
                LogSection.ANYWHERE,
                "\\[CB_(?:ALLOC|FREE)\\] Device " + NUMBER + ": [+-]-?" + FIGURE + " MB \\(Total: " + FIGURE
                        + " MB\\)"),
        KERNEL(
                LogSection.ANYWHERE,
                "\\[KERNEL_(?:LOAD|UNLOAD)\\] (?:\\w+ kernel on )?Device " + NUMBER + ": [+-]-?" + FIGURE
                        + " MB \\(Total: " + FIGURE + " MB\\)"),
        KERNELS(LogSection.ANYWHERE, "DETAILED KERNEL ALLOCATIONS"),
        KERNEL_DETAIL(
                LogSection.IN_KERNELS,
                "(?:Total kernel allocations: .*|Device \\d+ - Total: .*|Kernel ID: .*|Size: .*|Owner PID.*|Age: .*)"),
        KERNELS_OVER(LogSection.ANYWHERE, "DUMP_KERNELS complete\\."),
        LAST_EVENTS(LogSection.ANYWHERE, "Last \\d+ events for this buffer:"),
        OLD_EVENT(LogSection.ANYWHERE, "(?:ALLOC|FREE|REUSE) size=\\d+ pid=-?\\d+ ref=-?\\d+"),
        FREED_TWICE(LogSection.ANYWHERE, "DOUBLE-FREED BUFFERS.*"),
        REJECTED(
                LogSection.ANYWHERE,
                "(Unknown message type: .*|Invalid (?:device_id|size|buffer_type) .*|Too many consecutive errors .*)"),
        ACCEPT_FAILED(LogSection.ANYWHERE, "(Accept failed)"),
        NOT_CONNECTED(
                LogSection.ANYWHERE,
                "(\\[TT-Metal\\] Warning: Allocation tracking enabled but server not available.*)"),
        DECORATION(
                LogSection.ANYWHERE,
                "(?:Listening on: .*|Press Ctrl\\+C to stop|Background cleanup thread (?:started|stopped).*"
                        + "|Device detection \\(.*|Server will track allocations anyway"
                        + "|No (?:PCIe )?devices detected|Total: \\d+ (?:PCIe )?device\\(s\\) detected"
                        + "|Device \\d+: \\w+ \\(\\d+GB DRAM, \\d+MB L1\\).*)");

        private final LogSection section;
        private final Pattern pattern;

        Form(LogSection place, String pattern) {
            this.section = place;
            this.pattern = Pattern.compile(pattern + REMARK, Pattern.DOTALL);
        }
    }

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

    /** Parses a line without its marks; empty if it has none of these forms. */
    static Optional<ServerStatusLine> read(String core, LogSection place) {
        if (core.isEmpty() || core.length() > MAX_LENGTH) {
            return Optional.empty();
        }
        for (Form form : FORMS) {
            if (form.section == LogSection.ANYWHERE || form.section == place) {
                Matcher matcher = form.pattern.matcher(core);
                if (matcher.matches()) {
                    return Optional.of(new ServerStatusLine(form, groups(matcher)));
                }
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
