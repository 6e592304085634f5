package dev.meshguard.page.internal;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import java.util.regex.Pattern;

/**
 * The style sheets and scripts of pages, read from the module's jar each time a page is written: most runs write none.
 */
public final class PageResources {

    private static final String CHARTS = "echarts.min.js";

    private static final List<String> STYLES = List.of("page.css");
    private static final List<String> RUN_SCRIPTS = List.of(
            "data.js",
            "findings.js",
            "format.js",
            "dom.js",
            "library.js",
            "sortable-table.js",
            "cursor.js",
            "address.js",
            "tooltip.js",
            "finding-colours.js",
            "axis.js",
            "head.js",
            "holder-chain.js",
            "survivors.js",
            "map-lanes.js",
            "map-painter.js",
            "map-details.js",
            "map-controls.js",
            "map-input.js",
            "map.js",
            "space-model.js",
            "space-painter.js",
            "incidents.js",
            "space.js",
            "live-series.js",
            "live-figures.js",
            "live.js",
            "range-figures.js",
            "matrix.js",
            "growth.js",
            "icicle.js",
            "events.js",
            "expectations.js",
            "run.js");
    private static final List<String> SUITE_SCRIPTS =
            List.of("data.js", "format.js", "dom.js", "sortable-table.js", "suite-groups.js", "suite.js");

    /** A browser would treat such a text as the end of the element. */
    private static final Pattern END = Pattern.compile("</(script|style)|<!--", Pattern.CASE_INSENSITIVE);

    private PageResources() {}

    /** Returns the style sheets of every page. */
    public static List<String> styles() {
        return read(STYLES);
    }

    /** Returns the source of the library that draws the charts. */
    public static String charts() {
        return read(CHARTS);
    }

    /** Returns the name of a file with the library, for pages that share it: another version has another name. */
    public static String chartsFile() {
        return ChartsFile.NAME;
    }

    /**
     * Returns the content of that file: the library in a function, so that a page can run it and read its source.
     *
     * <p>The parentheses let a browser compile the function while it reads it, and not once more when it is called.
     */
    public static String chartsFunction() {
        return "globalThis.meshguardLibrary = (function () {\n" + charts() + "\n});\n";
    }

    /** Computes the name once, and only in runs that write pages. */
    private static final class ChartsFile {
        static final String NAME = "charts-" + digest(chartsFunction()) + ".js";

        private static String digest(String text) {
            try {
                byte[] digest = MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
                return HexFormat.of().formatHex(digest).substring(0, 8);
            } catch (NoSuchAlgorithmException impossible) {
                throw new IllegalStateException("Every Java has SHA-256", impossible);
            }
        }
    }

    /** Returns the scripts of the page of a run. */
    public static List<String> runScripts() {
        return read(RUN_SCRIPTS);
    }

    /** Returns the scripts of the overview page. */
    public static List<String> suiteScripts() {
        return read(SUITE_SCRIPTS);
    }

    private static List<String> read(List<String> names) {
        return names.stream().map(PageResources::read).toList();
    }

    private static String read(String name) {
        try (InputStream stream = PageResources.class.getResourceAsStream("/dev/meshguard/page/" + name)) {
            if (stream == null) {
                throw new IllegalStateException(name + " is not in the jar of the pages: it was not built with Maven.");
            }
            // Browsers normalize line breaks before they compute the hash.
            String text = new String(stream.readAllBytes(), StandardCharsets.UTF_8).replace("\r\n", "\n");
            if (END.matcher(text).find()) {
                throw new IllegalStateException(name + " cannot stand inside a page: it has the end of a tag in it.");
            }
            return text;
        } catch (IOException e) {
            throw new UncheckedIOException(name + " cannot be read from the jar of the pages", e);
        }
    }
}
