/** The parser of graph captures: GraphParser for the document, CaptureRecorder for the memory that its nodes report. */
@NullMarked
package dev.meshguard.capture.internal;

import org.jspecify.annotations.NullMarked;
