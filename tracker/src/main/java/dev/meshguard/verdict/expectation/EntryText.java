package dev.meshguard.verdict.expectation;

import dev.meshguard.event.Quantities;
import java.util.ArrayList;
import java.util.List;

/** Formats an entry as a line of a file. The clauses always have the same order, so that files can be compared. */
final class EntryText {

    private EntryText() {}

    static String of(Expectation entry) {
        List<String> clauses = new ArrayList<>();
        if (entry.isForOverwritten()) {
            clauses.add("overwritten");
        }
        entry.type().ifPresent(type -> clauses.add(type.name()));
        if (!entry.devices().isAny()) {
            clauses.add((entry.devices().ids().size() == 1 ? "device " : "devices ") + entry.devices());
        }
        entry.size().ifPresent(size -> clauses.add("size " + size));
        if (!entry.count().isAny()) {
            clauses.add("count " + description(entry.count()));
        }
        entry.owner().ifPresent(part -> clauses.add("owner " + Quantities.quoted(part)));
        entry.label().ifPresent(label -> clauses.add("label " + Quantities.quoted(label)));
        entry.origin().ifPresent(pattern -> clauses.add("origin " + Quantities.quoted(pattern.text())));
        entry.until().ifPresent(last -> clauses.add("until " + last));
        clauses.add("because " + Quantities.quoted(entry.because()));
        return String.join(" ", clauses);
    }

    private static String description(Bound count) {
        if (count.atLeast() == count.atMost()) {
            return "exactly " + count.atMost();
        }
        if (count.atLeast() == 0) {
            return "atMost " + count.atMost();
        }
        return count.atMost() == Long.MAX_VALUE
                ? "atLeast " + count.atLeast()
                : "between " + count.atLeast() + "-" + count.atMost();
    }
}
