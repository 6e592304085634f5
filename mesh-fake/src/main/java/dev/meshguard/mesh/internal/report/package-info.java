/** The reports of a mesh to its listener, with the defects that change them. */
@NullMarked
package dev.meshguard.mesh.internal.report;

import org.jspecify.annotations.NullMarked;
