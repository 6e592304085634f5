package dev.meshguard.verification.documents;

import java.io.IOException;
import java.nio.file.Files;
import java.util.Locale;
import org.junit.jupiter.api.Test;

/**
 * Replaces the outputs that pages show by what is printed now.
 *
 * <p>Elided outputs are printed instead, because only a person knows which lines matter. It is a test to get the class path of
 * the samples, and its name keeps it out of the build; CONTRIBUTING.md has the command.
 */
class OutputRefresher {

    @Test
    void refresh() throws IOException, ReflectiveOperationException {
        for (DocumentationPage page : DocumentationPage.all()) {
            refresh(page);
        }
    }

    private static void refresh(DocumentationPage page) throws IOException, ReflectiveOperationException {
        String text = Files.readString(page.file());
        for (CodeBlock block : page.blocks()) {
            PageMarker marker = block.marker().orElse(null);
            if (marker == null || marker.kind() != PageMarker.Kind.OUTPUT) {
                continue;
            }
            String printed = Output.on(page, marker);
            if (!Output.isElided(block.text())) {
                text = text.replace(shown(marker, block, block.text().strip()), shown(marker, block, printed));
            } else if (!Output.elided(block.text()).matcher(printed + "\n").matches()) {
                System.out.println(String.format(
                        Locale.ROOT,
                        "%s shows lines that are not printed any more. All of it:%n%s%n",
                        block.place(),
                        printed));
            }
        }
        Files.writeString(page.file(), text);
    }

    private static String shown(PageMarker marker, CodeBlock block, String output) {
        return "<!-- output: " + marker.value() + " -->\n```" + block.language() + "\n" + output + "\n```";
    }
}
