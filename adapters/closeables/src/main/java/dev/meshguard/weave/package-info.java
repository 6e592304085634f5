/** Reports of constructors and closing methods, added to classes of any library when they are loaded or afterwards. */
@NullMarked
package dev.meshguard.weave;

import org.jspecify.annotations.NullMarked;
