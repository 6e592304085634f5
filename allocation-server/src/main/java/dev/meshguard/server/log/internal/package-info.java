/** The parser of logs: LogParser for a whole log, BufferReportLine and StatusLineReader for its lines. */
@NullMarked
package dev.meshguard.server.log.internal;

import org.jspecify.annotations.NullMarked;
