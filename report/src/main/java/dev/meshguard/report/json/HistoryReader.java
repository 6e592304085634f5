package dev.meshguard.report.json;

import dev.meshguard.event.HistoryEvent;
import dev.meshguard.event.RequestContext;
import dev.meshguard.file.EditedText;
import dev.meshguard.history.AllocationHistory;
import dev.meshguard.report.internal.JsonObject;
import dev.meshguard.report.internal.JsonPart;
import dev.meshguard.report.internal.PlainEscapes;
import dev.meshguard.report.internal.UnreadableLineException;
import dev.meshguard.text.Quantities;
import java.io.BufferedReader;
import java.io.EOFException;
import java.io.IOException;
import java.io.Reader;
import java.time.DateTimeException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.stream.Collectors;
import java.util.zip.ZipException;
import org.jspecify.annotations.Nullable;

/** Reads one history, line by line; unreadable parts are recorded in the history itself. */
final class HistoryReader {

    private static final JsonPart<String> FORMAT = JsonPart.text("format").orElse("");
    private static final JsonPart<Long> VERSION = JsonPart.number("version");

    /** The context of which the history is the part. */
    private record SavedContext(String name) implements RequestContext {

        @Override
        public long eventsBefore() {
            return 0;
        }
    }

    private final BufferedReader lines;
    private final String source;
    private final SharedLines requests = new SharedLines();
    private final Map<String, LineForm<? extends HistoryEvent>> forms = EventForms.all(requests.reference()).stream()
            .collect(Collectors.toUnmodifiableMap(LineForm::kind, form -> form));
    private final EventSequence events;

    /** The latest line, without a byte order mark. */
    private String line = "";

    private long number;

    /** Whether the latest line is unreadable; if it is the last one, it was truncated. */
    private boolean isUnreadable;

    /** Whether the latest line is followed by compressed data that cannot be read. */
    private boolean isBroken;

    private Optional<LineForm.End> end = Optional.empty();

    HistoryReader(Reader reader, String source) {
        this.lines = new BufferedReader(reader);
        this.source = source;
        this.events = new EventSequence(source);
    }

    AllocationHistory read() throws IOException {
        LineForm.Header header = header();
        Optional<RequestContext> context = header.context().map(SavedContext::new);
        if (header.gaps()) {
            events.mayHaveGaps();
        }
        while (next()) {
            try {
                add(header, context);
                isUnreadable = false;
            } catch (UnreadableLineException e) {
                events.unreadable(number, e.reason());
                isUnreadable = true;
            }
        }
        if (isBroken) {
            events.broken(number);
        } else if (end.isEmpty()) {
            events.cut(number, isUnreadable);
        }
        List<HistoryEvent> read = events.finished();
        // If events are missing, the ledger of all events contradicts the remaining ones, and that contradiction is
        // useless.
        OptionalLong ledgerEntries = end.isEmpty() || events.isDamaged()
                ? OptionalLong.empty()
                : OptionalLong.of(end.get().ledgerEntries());
        AllocationHistory history = AllocationHistory.of(read, ledgerEntries, header.flatAddresses());
        return context.map(history::asPartOf).orElse(history);
    }

    /** Moves to the next line that is not blank, and returns whether there is one. */
    private boolean next() throws IOException {
        do {
            String read = readLine();
            if (read == null) {
                return false;
            }
            line = EditedText.withoutMark(read);
            number++;
        } while (line.isBlank());
        return true;
    }

    private @Nullable String readLine() throws IOException {
        try {
            return lines.readLine();
        } catch (EOFException | ZipException broken) {
            isBroken = true;
            return null;
        }
    }

    private LineForm.Header header() throws IOException {
        if (!next()) {
            throw isBroken
                    ? HistoryFormatException.noHeader(source, EventSequence.BROKEN)
                    : HistoryFormatException.empty(source);
        }
        try {
            JsonObject fields = fields();
            String format = FORMAT.read(fields);
            if (!format.equals(LineForm.FORMAT)) {
                throw new UnreadableLineException(
                        "its \"format\" is " + Quantities.quoted(format) + " and not \"" + LineForm.FORMAT + "\"");
            }
            long version = VERSION.read(fields);
            if (version != HistoryJson.VERSION) {
                throw HistoryFormatException.otherVersion(source, version);
            }
            return LineForm.HEADER.part().read(fields);
        } catch (UnreadableLineException e) {
            throw HistoryFormatException.noHeader(source, e.reason());
        }
    }

    private JsonObject fields() throws IOException, UnreadableLineException {
        if (line.indexOf(PlainEscapes.REPLACEMENT) >= 0) {
            throw new UnreadableLineException("it is not UTF-8");
        }
        return JsonObject.ofLine(line);
    }

    private void add(LineForm.Header header, Optional<RequestContext> context)
            throws IOException, UnreadableLineException {
        JsonObject fields = fields();
        if (end.isPresent()) {
            throw new UnreadableLineException("it comes after the end line");
        }
        String kind = fields.text("kind");
        try {
            switch (kind) {
                case SharedLines.REQUEST -> requests.addRequest(fields, context);
                case SharedLines.ORIGIN -> requests.addOrigin(fields);
                case LineForm.END_KIND -> end(LineForm.END.part().read(fields));
                default -> events.add(form(kind, header).part().read(fields), number);
            }
        } catch (IllegalArgumentException | DateTimeException e) {
            throw new UnreadableLineException("a value is none that it can have");
        }
    }

    private LineForm<? extends HistoryEvent> form(String kind, LineForm.Header header) throws UnreadableLineException {
        LineForm<? extends HistoryEvent> form = forms.get(kind);
        if (form == null) {
            throw new UnreadableLineException("kind " + Quantities.quoted(kind) + " is not known here"
                    + (header.minor() > HistoryJson.MINOR
                            ? ", because the history is of version " + HistoryJson.VERSION + "." + header.minor()
                            : ""));
        }
        return form;
    }

    private void end(LineForm.End read) {
        end = Optional.of(read);
        events.ended(read.events(), number);
    }
}
