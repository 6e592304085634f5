package dev.meshguard.page.internal;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.regex.Pattern;

/**
 * The style sheets and scripts of pages, read from the module's jar each time a page is written: most runs write none.
 */
public final class PageResources {

    private static final List<String> STYLES = List.of("page.css");
    private static final List<String> RUN_SCRIPTS = List.of(
            "uPlot.iife.min.js",
            "data.js",
            "findings.js",
            "format.js",
            "dom.js",
            "sortable-table.js",
            "cursor.js",
            "address.js",
            "tooltip.js",
            "finding-colours.js",
            "axis.js",
            "spans.js",
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
            "chart.js",
            "live-series.js",
            "live-figures.js",
            "live.js",
            "range-figures.js",
            "matrix.js",
            "growth.js",
            "origins.js",
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
