/** What several packages of reports share. */
@NullMarked
package dev.meshguard.report.internal;

import org.jspecify.annotations.NullMarked;
