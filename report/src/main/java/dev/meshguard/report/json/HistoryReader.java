package dev.meshguard.report.json;

import dev.meshguard.event.BufferLifetime;
import dev.meshguard.event.BufferType;
import dev.meshguard.event.HistoryEvent;
import dev.meshguard.event.MemoryTotals;
import dev.meshguard.event.Quantities;
import dev.meshguard.event.RequestContext;
import dev.meshguard.history.AllocationHistory;
import dev.meshguard.history.DeviceSums;
import dev.meshguard.report.internal.PlainEscapes;
import java.io.IOException;
import java.io.Reader;
import java.time.DateTimeException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** Reads one history, line by line; unreadable parts are recorded in the history itself. */
final class HistoryReader {

    private static final int MAX_LINE_LENGTH = 1 << 28;

    /** The one value of the header's field {@code retention} that a whole history has; it is no longer written. */
    private static final String ALL_EVENTS = "ALL";

    private static final Map<String, EventForm<?>> FORMS =
            EventForm.ALL.stream().collect(Collectors.toUnmodifiableMap(EventForm::kind, form -> form));

    /** The fields of a header. */
    private record Header(long minor, boolean flatAddresses, boolean gaps, Optional<SavedContext> context) {}

    /** The context of which the history is the part. */
    private record SavedContext(String name) implements RequestContext {

        @Override
        public int marksBefore() {
            return 0;
        }
    }

    private final Lines lines;
    private final String source;
    private final RequestTable requests = new RequestTable();
    private final TreeMap<Integer, DeviceSums> sums = new TreeMap<>();
    private final EventSequence events;

    /** Whether the latest line is unreadable; if it is the last one, it was truncated. */
    private boolean isUnreadable;

    private boolean ended;
    private boolean sumsAreMissing;

    HistoryReader(Reader reader, String source) {
        this(reader, source, MAX_LINE_LENGTH);
    }

    HistoryReader(Reader reader, String source, int longestLine) {
        this.lines = new Lines(reader, longestLine);
        this.source = source;
        this.events = new EventSequence(source);
    }

    AllocationHistory read() throws IOException {
        Header header = header();
        if (header.gaps()) {
            events.mayHaveGaps();
        }
        while (nextLine()) {
            try {
                line(header);
                isUnreadable = false;
            } catch (UnreadableLineException e) {
                events.unreadable(lines.number(), e.reason());
                isUnreadable = true;
            }
        }
        if (!ended) {
            events.cut(lines.number(), isUnreadable);
        }
        List<HistoryEvent> read = events.finished();
        AllocationHistory history = AllocationHistory.restored(
                read, sumsFit() ? List.copyOf(sums.values()) : DeviceSums.countedFrom(read), header.flatAddresses());
        return header.context().map(history::asPartOf).orElse(history);
    }

    /** If events are missing, sums of all events contradict the remaining ones, and that contradiction is useless. */
    private boolean sumsFit() {
        return ended && !sumsAreMissing && !events.isDamaged();
    }

    private boolean nextLine() throws IOException {
        boolean any = lines.next();
        while (any && lines.isBlank()) {
            any = lines.next();
        }
        return any;
    }

    private Header header() throws IOException {
        if (!nextLine()) {
            throw HistoryFormatException.empty(source);
        }
        try {
            JsonFields fields = fields();
            String format = fields.optionalText("format").orElse("");
            if (!format.equals(HistoryWriter.FORMAT)) {
                throw new UnreadableLineException(
                        "its \"format\" is " + Quantities.quoted(format) + " and not \"" + HistoryWriter.FORMAT + "\"");
            }
            long version = fields.number("version");
            if (version < HistoryJson.OLDEST_VERSION || version > HistoryJson.VERSION) {
                throw HistoryFormatException.otherVersion(source, version);
            }
            Optional<String> retention = fields.optionalText("retention");
            if (retention.isPresent() && !retention.get().equals(ALL_EVENTS)) {
                throw HistoryFormatException.withoutEvents(source, retention.get());
            }
            return new Header(
                    fields.optionalNumber("minor").orElse(0),
                    fields.isTrue("flatAddresses"),
                    fields.isTrue("gaps"),
                    fields.optionalText("context").map(SavedContext::new));
        } catch (UnreadableLineException e) {
            throw HistoryFormatException.noHeader(source, e.reason());
        }
    }

    private JsonFields fields() throws IOException, UnreadableLineException {
        if (lines.isTooLong()) {
            throw new UnreadableLineException("it is too long");
        }
        if (lines.contains(PlainEscapes.REPLACEMENT)) {
            throw new UnreadableLineException("it is not UTF-8");
        }
        int mark = lines.length() > 0 && lines.characters()[lines.offset()] == '\uFEFF' ? 1 : 0;
        return JsonFields.ofLine(lines.characters(), lines.offset() + mark, lines.length() - mark);
    }

    private void line(Header header) throws IOException, UnreadableLineException {
        JsonFields fields = fields();
        if (ended) {
            throw new UnreadableLineException("it comes after the end line");
        }
        String kind = fields.text("kind");
        try {
            switch (kind) {
                case SharedLines.REQUEST -> requests.addRequest(fields);
                case SharedLines.ORIGIN -> requests.addOrigin(fields);
                case HistoryWriter.SUMS -> sums(fields);
                case HistoryWriter.END -> end(fields);
                default -> event(kind, fields, header);
            }
        } catch (IllegalArgumentException | DateTimeException e) {
            throw new UnreadableLineException("a value is none that it can have");
        }
    }

    private void event(String kind, JsonFields fields, Header header) throws UnreadableLineException {
        EventForm<?> form = FORMS.get(kind);
        if (form == null) {
            throw new UnreadableLineException("kind " + Quantities.quoted(kind) + " is not known here"
                    + (header.minor() > HistoryJson.MINOR
                            ? ", because the history is of version " + HistoryJson.VERSION + "." + header.minor()
                            : ""));
        }
        events.add(form.reading().read(fields.number("number"), fields, requests), lines.number());
    }

    private void sums(JsonFields fields) throws UnreadableLineException {
        List<DeviceSums.TypeTotals> accounts = new ArrayList<>();
        for (JsonFields account : fields.objects("totals")) {
            accounts.add(new DeviceSums.TypeTotals(
                    account.choice("type", BufferType.class),
                    account.optionalChoice("lifetime", BufferLifetime.class),
                    amounts(account)));
        }
        DeviceSums read = new DeviceSums(fields.memoryDevice(), fields.amount("ledgerEntries"), accounts);
        if (sums.putIfAbsent(read.device(), read) != null) {
            throw new UnreadableLineException("the sums of device " + read.device() + " were there before");
        }
    }

    private static MemoryTotals amounts(JsonFields fields) throws UnreadableLineException {
        return new MemoryTotals(
                fields.number("liveBytes"),
                fields.number("liveBuffers"),
                fields.number("liveReports"),
                fields.number("peakBytes"),
                fields.number("peakBuffers"),
                fields.number("totalBytes"),
                fields.number("totalBuffers"));
    }

    private void end(JsonFields fields) throws UnreadableLineException {
        long expectedEvents = fields.amount("events");
        long expectedSums = fields.amount("sums");
        ended = true;
        events.ended(expectedEvents, lines.number());
        sumsAreMissing = expectedSums != sums.size();
        if (sumsAreMissing) {
            events.sumsMissing("line " + lines.number() + " counts " + Quantities.count(expectedSums, "line")
                    + " of sums, and " + sums.size() + " could be read");
        }
    }
}
