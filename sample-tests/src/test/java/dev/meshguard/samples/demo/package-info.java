/** The demo: what MeshGuard finds, in one run. */
@NullMarked
package dev.meshguard.samples.demo;

import org.jspecify.annotations.NullMarked;
