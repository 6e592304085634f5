/** The parser of logs: LogParser for a whole log, BufferReportLine and StatusLines for its lines. */
@NullMarked
package dev.meshguard.server.log.internal;

import org.jspecify.annotations.NullMarked;
