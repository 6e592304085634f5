/** The parser of logs: LogParser for a whole log, BufferReportLine and ServerStatusLine for one line. */
@NullMarked
package dev.meshguard.server.log.internal;

import org.jspecify.annotations.NullMarked;
