/** The templates of pages, compiled to Java by MeshGuard's build. */
@NullMarked
package dev.meshguard.page.internal.template;

import org.jspecify.annotations.NullMarked;
