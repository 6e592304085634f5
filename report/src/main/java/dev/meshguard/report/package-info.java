/** The reports of a verdict: terminal text, one HTML page, JSON. */
@NullMarked
package dev.meshguard.report;

import org.jspecify.annotations.NullMarked;
