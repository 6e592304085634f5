package dev.meshguard.server.log.internal;

import dev.meshguard.server.log.LogDialect;
import java.util.EnumSet;
import java.util.Set;

/** The dialects that the lines of a log have shown so far. */
final class SeenDialects {

    private static final LogDialect[] ALL = LogDialect.values();

    private long shown;

    void add(LogDialect dialect) {
        shown |= 1L << dialect.ordinal();
    }

    Set<LogDialect> all() {
        Set<LogDialect> all = EnumSet.noneOf(LogDialect.class);
        for (LogDialect dialect : ALL) {
            if ((shown & 1L << dialect.ordinal()) != 0) {
                all.add(dialect);
            }
        }
        return Set.copyOf(all);
    }
}
