/** The reports of a verdict: terminal text and JSON. */
@NullMarked
package dev.meshguard.report;

import org.jspecify.annotations.NullMarked;
