/** Tests of the whole product: verdicts on the corpus, pages in a browser, documents, several JVMs. */
@NullMarked
package dev.meshguard.verification;

import org.jspecify.annotations.NullMarked;
