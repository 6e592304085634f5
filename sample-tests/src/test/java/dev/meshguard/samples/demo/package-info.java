/** The demo: the findings of MeshGuard in one run. */
@NullMarked
package dev.meshguard.samples.demo;

import org.jspecify.annotations.NullMarked;
