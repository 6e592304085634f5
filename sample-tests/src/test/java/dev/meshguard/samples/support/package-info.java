/** What the samples share: the steps of the field's scenarios and the way failing fixtures are run. */
@NullMarked
package dev.meshguard.samples.support;

import org.jspecify.annotations.NullMarked;
