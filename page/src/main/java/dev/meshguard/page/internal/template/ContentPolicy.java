package dev.meshguard.page.internal.template;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;
import java.util.List;
import java.util.stream.Collectors;

/**
 * The content security policy of a page: it lists the hash of each style sheet and script, and allows no fetches.
 *
 * <p>Names from the code under test are therefore shown but never executed, even if an escape were missing.
 */
final class ContentPolicy {

    private ContentPolicy() {}

    static String of(List<String> styles, List<String> scripts) {
        return "default-src 'none'; script-src " + hashes(scripts) + "; style-src " + hashes(styles)
                + "; img-src data:; base-uri 'none'; form-action 'none'";
    }

    private static String hashes(List<String> texts) {
        return texts.stream().map(ContentPolicy::hash).collect(Collectors.joining(" "));
    }

    private static String hash(String text) {
        try {
            byte[] digest = MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
            return "'sha256-" + Base64.getEncoder().encodeToString(digest) + "'";
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("Every Java has SHA-256", e);
        }
    }
}
