/** The rules that find causes, one class each; not exported. */
@NullMarked
package dev.meshguard.verdict.internal;

import org.jspecify.annotations.NullMarked;
