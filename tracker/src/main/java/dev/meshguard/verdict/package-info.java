/**
 * Judges histories: outcomes, causes with evidence, and expected survivors.
 *
 * <p>A <i>survivor</i> is a buffer for which no free was reported when the check ran. A <i>group</i> has survivors of one call
 * site, size, label, cause and status. A <i>finding</i> is a group that is not expected; a <i>leak</i> is a finding whose memory
 * is still allocated.
 */
@NullMarked
package dev.meshguard.verdict;

import org.jspecify.annotations.NullMarked;
