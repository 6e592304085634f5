/** Where devices lie in a mesh: shapes, coordinates, and how a requested mesh is laid into the system. */
@NullMarked
package dev.meshguard.mesh.shape;

import org.jspecify.annotations.NullMarked;
