package dev.meshguard.mesh;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import java.util.List;
import org.slf4j.LoggerFactory;

/** The lines that a class logs until this is closed. */
public final class LoggedLines implements AutoCloseable {

    private final Logger logger;
    private final ListAppender<ILoggingEvent> appender = new ListAppender<>();

    private LoggedLines(Logger logger) {
        this.logger = logger;
    }

    /** Begins to record the lines of a class. */
    public static LoggedLines of(Class<?> source) {
        var lines = new LoggedLines((Logger) LoggerFactory.getLogger(source));
        lines.appender.start();
        lines.logger.addAppender(lines.appender);
        return lines;
    }

    /** Returns the lines so far, each after its level. */
    public List<String> all() {
        return appender.list.stream()
                .map(line -> line.getLevel() + " " + line.getFormattedMessage())
                .toList();
    }

    @Override
    public void close() {
        logger.detachAppender(appender);
    }
}
