/** The rules that find causes, one class each. */
@NullMarked
package dev.meshguard.verdict.internal.rule;

import org.jspecify.annotations.NullMarked;
