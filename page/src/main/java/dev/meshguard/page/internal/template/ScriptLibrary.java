package dev.meshguard.page.internal.template;

import java.util.Optional;

/**
 * A script library that a page needs: inside the page, or in a file beside it that many pages share.
 *
 * @param text the source of the library
 * @param url the relative URL of the file; empty if the library is inside the page
 */
public record ScriptLibrary(String text, Optional<String> url) {}
