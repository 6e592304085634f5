package dev.meshguard.server.log.internal;

import dev.meshguard.event.BufferType;
import dev.meshguard.event.Origin;
import dev.meshguard.event.Ownership;
import dev.meshguard.server.log.LogDialect;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Reads logs with a block of lines for each buffer: the debug log of a patched runtime, and that of the client with
 * stack traces.
 *
 * <p>Both contain the call stack, but no process. A block ends where the next one begins, at a line that does not
 * belong to it, and at the end.
 */
final class BlockReader {

    private static final Pattern TITLE =
            Pattern.compile("(BUFFER ALLOCATED|BUFFER DEALLOCATED|Allocation #\\d{1,18}|Deallocation)");
    private static final Pattern FIELD = Pattern.compile(
            "(Time|Device|Address|Size|Type|Buffer\\*|Owns Data|Hooked|Call Stack|Stack trace):\\s*(.{0,200})");
    private static final Pattern DEVICE = Pattern.compile("(\\d{1,5})");
    private static final Pattern SIZE = Pattern.compile("(\\d{1,18})(?: bytes.*)?");
    private static final Pattern ADDRESS = Pattern.compile("(?:0x([0-9a-fA-F]{1,16})|(\\d{1,19}))(?: .*)?");

    /** The frames of the reporting code are above the frame that allocated. */
    private static final Pattern REPORTING =
            Pattern.compile(".*(?:AllocationClient|GraphTracker|track_(?:de)?allocate|backtrace|stack_?trace).*");

    private static final Pattern PYTHON_FRAME =
            Pattern.compile("File \"(?:.*[/\\\\])?([^/\\\\\"]+)\", line (\\d{1,9}), in (.+)");
    private static final Pattern LINE_OF_FRAME =
            Pattern.compile("(.+?) (?:at |\\()(?:\\S*[/\\\\])?([^\\s/\\\\:]+\\.[A-Za-z]+):(\\d{1,9})\\)?");

    private static final int MAX_FRAMES = 64;
    private static final int MAX_ORIGINS = 1_024;
    private static final int MAX_DEVICE = 65_535;

    private final LogEventList events;
    private final LogGapRecorder gaps;
    private final SeenDialects dialects;
    private final Set<Integer> devices = new HashSet<>();
    private final Map<DeviceAddress, BufferType> types = new HashMap<>();
    private final Map<List<String>, Origin> origins = new LatestOrigins();

    private @Nullable Block block;

    private record DeviceAddress(int device, long address) {}

    /** Evicts the least recently used origin. */
    private static final class LatestOrigins extends LinkedHashMap<List<String>, Origin> {
        private static final long serialVersionUID = 1;

        private LatestOrigins() {
            super(MAX_ORIGINS, 1, true);
        }

        @Override
        protected boolean removeEldestEntry(Map.Entry<List<String>, Origin> eldest) {
            return size() > MAX_ORIGINS;
        }
    }

    private static final class Block {
        private final boolean isAllocation;
        private final long line;
        private final Map<String, String> fields = new HashMap<>();
        private final List<String> frames = new ArrayList<>();
        private boolean isInStack;

        private Block(boolean isAllocation, long line) {
            this.isAllocation = isAllocation;
            this.line = line;
        }
    }

    BlockReader(LogEventList events, LogGapRecorder gaps, SeenDialects dialects) {
        this.events = events;
        this.gaps = gaps;
        this.dialects = dialects;
    }

    /**
     * Reads a line; returns whether it belongs to a block.
     *
     * @param followsRule whether the previous line is a rule: the words of a title also occur in sentences
     */
    boolean read(String text, boolean followsRule, long line) {
        String core = ServerStatusLine.core(text);
        Matcher title = TITLE.matcher(core);
        if (followsRule && title.matches()) {
            finish();
            begin(title.group(1), line);
            return true;
        }
        Block open = block;
        if (open == null) {
            return false;
        }
        boolean isRule = ServerStatusLine.isRule(text);
        if (isRule || !isOf(open, text, core)) {
            if (!isRule || !open.fields.isEmpty()) {
                finish();
            }
            return isRule;
        }
        return true;
    }

    private void begin(String title, long line) {
        boolean isDebugLog = title.startsWith("BUFFER");
        dialects.add(isDebugLog ? LogDialect.BUFFER_DEBUG_LOG : LogDialect.STACK_TRACE_LOG);
        block = new Block(title.endsWith(" ALLOCATED") || title.startsWith("Allocation"), line);
    }

    private static boolean isOf(Block open, String text, String core) {
        Matcher field = FIELD.matcher(core);
        if (field.matches()) {
            open.isInStack = field.group(1).endsWith("ack") || field.group(1).endsWith("trace");
            open.fields.put(field.group(1), field.group(2).strip());
            return true;
        }
        if (!open.isInStack || text.isEmpty() || !Character.isWhitespace(text.charAt(0)) || core.isEmpty()) {
            return false;
        }
        if (open.frames.size() < MAX_FRAMES && !REPORTING.matcher(core).matches()) {
            open.frames.add(core);
        }
        return true;
    }

    /**
     * All blocks of a program that allocates in a loop have the same few stacks, of which one object each is enough.
     */
    private Optional<Origin> origin(List<String> frames) {
        return frames.isEmpty()
                ? Optional.empty()
                : Optional.of(origins.computeIfAbsent(
                        frames,
                        lines -> new Origin(
                                lines.stream().map(BlockReader::frame).toList())));
    }

    /**
     * Reads {@code File "decode.py", line 41, in load}, as Python prints it, {@code library: function}, and either with {@code at
     * decode.cpp:41} or {@code (decode.cpp:41)} at its end, as {@code addr2line -p} prints it.
     */
    private static StackTraceElement frame(String core) {
        Matcher python = PYTHON_FRAME.matcher(core);
        if (python.matches()) {
            String file = python.group(1);
            String module = file.endsWith(".py") ? file.substring(0, file.length() - 3) : file;
            return new StackTraceElement(module, python.group(3), file, line(python.group(2)));
        }
        Matcher located = LINE_OF_FRAME.matcher(core);
        if (located.matches()) {
            StackTraceElement function = function(located.group(1));
            return new StackTraceElement(
                    function.getClassName(), function.getMethodName(), located.group(2), line(located.group(3)));
        }
        return function(core);
    }

    private static int line(String digits) {
        return Integer.parseInt(digits);
    }

    private static StackTraceElement function(String core) {
        int colon = core.indexOf(": ");
        return colon < 1
                ? new StackTraceElement("", core, null, -1)
                : new StackTraceElement(
                        core.substring(0, colon), core.substring(colon + 2).strip(), null, -1);
    }

    /** Records the open block, if there is one. */
    void finish() {
        Block over = block;
        block = null;
        if (over == null) {
            return;
        }
        events.at(over.line);
        Optional<Long> device = number(DEVICE, over.fields.get("Device"));
        Optional<Long> address = address(over.fields.get("Address"));
        Optional<BufferType> type = type(over.fields.get("Type"));
        Optional<Long> size = number(SIZE, over.fields.get("Size"));
        boolean isWhole = device.isPresent()
                && device.get() <= MAX_DEVICE
                && address.isPresent()
                && (!over.isAllocation || (type.isPresent() && size.isPresent()));
        if (!isWhole) {
            gaps.note(
                    LogGapRecorder.Kind.UNREADABLE,
                    over.line,
                    String.format(
                            Locale.ROOT,
                            "the block at line %d does not say which buffer was %s",
                            over.line,
                            over.isAllocation ? "allocated" : "freed"));
            return;
        }
        enter(over, device.get().intValue(), address.get(), type, size.orElse(0L));
    }

    private void enter(Block over, int device, long address, Optional<BufferType> type, long size) {
        if (devices.add(device)) {
            events.deviceOpened(device);
        }
        Optional<Origin> origin = origin(over.frames);
        DeviceAddress place = new DeviceAddress(device, address);
        if (over.isAllocation) {
            types.put(place, type.orElseThrow());
            events.allocated(
                    LogEventList.request(origin),
                    device,
                    type.orElseThrow(),
                    address,
                    size,
                    ownership(over.fields.get("Owns Data")));
        } else {
            events.freed(
                    LogEventList.request(origin),
                    device,
                    type.orElseGet(() -> types.getOrDefault(place, BufferType.DRAM)),
                    address,
                    Ownership.UNKNOWN);
        }
    }

    private static Ownership ownership(@Nullable String said) {
        if ("yes".equals(said)) {
            return Ownership.OWNING;
        }
        return "no".equals(said) ? Ownership.NON_OWNING : Ownership.UNKNOWN;
    }

    private static Optional<BufferType> type(@Nullable String said) {
        for (BufferType type : BufferType.values()) {
            if (said != null && (said.equals(type.name()) || said.endsWith("::" + type.name()))) {
                return Optional.of(type);
            }
        }
        return Optional.empty();
    }

    private static Optional<Long> number(Pattern pattern, @Nullable String said) {
        Matcher matcher = pattern.matcher(said == null ? "" : said);
        return matcher.matches() ? Optional.of(Long.parseLong(matcher.group(1))) : Optional.empty();
    }

    private static Optional<Long> address(@Nullable String said) {
        Matcher matcher = ADDRESS.matcher(said == null ? "" : said);
        if (!matcher.matches()) {
            return Optional.empty();
        }
        return Optional.of(
                matcher.group(1) != null
                        ? Long.parseUnsignedLong(matcher.group(1), 16)
                        : Long.parseUnsignedLong(matcher.group(2)));
    }
}
