/** What a history says about one survivor: its facts, its siblings, and what they mean for a diagnosis. */
@NullMarked
package dev.meshguard.verdict.internal.survivor;

import org.jspecify.annotations.NullMarked;
