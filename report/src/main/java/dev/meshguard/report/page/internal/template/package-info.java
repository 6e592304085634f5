/** The templates of pages, turned into Java when MeshGuard is built. */
@NullMarked
package dev.meshguard.report.page.internal.template;

import org.jspecify.annotations.NullMarked;
