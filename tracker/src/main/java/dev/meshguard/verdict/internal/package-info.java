/** The rules that find causes, one class each, and the grouping of survivors into leaks. */
@NullMarked
package dev.meshguard.verdict.internal;

import org.jspecify.annotations.NullMarked;
