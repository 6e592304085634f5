/** What is written for other tools to read: flame graphs, traces, tables. */
@NullMarked
package dev.meshguard.report.export;

import org.jspecify.annotations.NullMarked;
