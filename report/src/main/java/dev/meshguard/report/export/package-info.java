/** Exports for other tools: flame graphs, traces, tables. */
@NullMarked
package dev.meshguard.report.export;

import org.jspecify.annotations.NullMarked;
