package dev.meshguard.page;

import static org.assertj.core.api.Assertions.assertThat;

import dev.meshguard.event.AllocationDetails;
import dev.meshguard.event.BufferType;
import dev.meshguard.event.Ownership;
import dev.meshguard.report.VerdictReport;
import dev.meshguard.tracker.AllocationTracker;
import dev.meshguard.tracker.OriginCapture;
import dev.meshguard.verdict.LeakCheck;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The page as a browser receives it: one file, in which only MeshGuard's scripts run. */
class PageTemplateTests {

    private final AllocationTracker tracker =
            AllocationTracker.builder().originCapture(OriginCapture.NONE).build();

    @Test
    void thePolicyNamesEveryScriptAndStyleByItsHashAndAllowsNothingElse() throws Exception {
        String html = Pages.of(page());

        String policy = policyOf(html);
        StringBuilder scripts = new StringBuilder();
        for (Pages.Script script : Pages.scripts(html)) {
            if (script.attributes().isEmpty()) {
                scripts.append(" 'sha256-").append(sha256(script.text())).append("'");
            }
        }
        StringBuilder styles = new StringBuilder();
        Matcher style = Pattern.compile("<style>(.*?)</style>", Pattern.DOTALL).matcher(html);
        while (style.find()) {
            styles.append(" 'sha256-").append(sha256(style.group(1))).append("'");
        }
        assertThat(policy)
                .isEqualTo("default-src 'none'; script-src" + scripts + "; style-src" + styles
                        + "; img-src data:; base-uri 'none'; form-action 'none'");
        assertThat(scripts).isNotEmpty();
        assertThat(styles).isNotEmpty();
    }

    @Test
    void theEncodingAndThePolicyComeBeforeEverythingElse() throws IOException {
        assertThat(Pages.of(page()))
                .containsPattern("(?s)^\\s*<!DOCTYPE html>\\s*<html lang=\"en\">\\s*<head>\\s*"
                        + "<meta charset=\"utf-8\">\\s*<meta http-equiv=\"Content-Security-Policy\"");
    }

    @Test
    void nothingIsFetched() throws IOException {
        String html = Pages.of(page());
        String ours = html.replaceAll("(?s)<script>.*?</script>", "");

        assertThat(ours).doesNotContainPattern("(?i)<[^>]*\\s(src|href)\\s*=\\s*\"(?!#|data:)|<link|<iframe|url\\(");
    }

    @Test
    void whatTheCodeUnderTestSaysStaysText() throws IOException {
        String label = "</script><script>alert(1)</script><!--\u2028&amp;\"'";
        tracker.allocated(
                tracker.request(AllocationDetails.user().labelled(label)),
                0,
                BufferType.DRAM,
                64,
                64,
                Ownership.OWNING);
        VerdictReport report = VerdictReport.of(LeakCheck.create().examine(tracker.history()));

        String html = Pages.of(RunPage.of("<img src=x onerror=alert(2)>", report));

        assertThat(html.replaceAll("(?s)<script>.*?</script>", "")).doesNotContain("alert(1)</script>", "<img");
        assertThat(html)
                .contains(
                        "\"\\u003C/script\\u003E\\u003Cscript\\u003Ealert(1)\\u003C/script\\u003E\\u003C!--\\u2028\\u0026amp;\\\"\\u0027\"");
        assertThat(Pages.scripts(html))
                .filteredOn(script -> script.text().contains("alert(1)"))
                .singleElement()
                .satisfies(script -> {
                    assertThat(script.attributes()).isEqualTo(" type=\"application/json\" id=\"data\"");
                    assertThat(script.text()).doesNotContain("<", ">", "&", "\u2028");
                });
    }

    @Test
    void longFiguresAreCompressed() throws IOException {
        for (int buffer = 0; buffer < 500; buffer++) {
            tracker.allocated(0, BufferType.DRAM, buffer * 64L, 64);
            tracker.freed(0, BufferType.DRAM, buffer * 64L);
        }
        RunPage page = page();
        String data = page.data();

        String html = Pages.of(page);

        assertThat(data).hasSizeGreaterThan(32 * 1024);
        List<Pages.Script> compressed = Pages.scripts(html).stream()
                .filter(script ->
                        script.attributes().equals(" type=\"application/octet-stream;base64\" id=\"data-gzip\""))
                .toList();
        assertThat(compressed).hasSize(1);
        byte[] bytes = Base64.getDecoder().decode(compressed.get(0).text().strip());
        try (GZIPInputStream inflated = new GZIPInputStream(new ByteArrayInputStream(bytes))) {
            assertThat(new String(inflated.readAllBytes(), StandardCharsets.UTF_8))
                    .isEqualTo(data);
        }
        assertThat(html).doesNotContain("id=\"data\"");
    }

    @Test
    void isReadWithoutScripts() throws IOException {
        RunPage page = page().withText("LEAK  1 < 2 & more");

        assertThat(Pages.of(page)).contains("LEAK  1 &lt; 2 &amp; more");
        assertThat(page.data()).contains("\"headline\":\"LEAK  1 \\u003C 2 \\u0026 more\"");
    }

    @Test
    void isUtf8InAFileWhateverTheDefaultIs(@TempDir Path folder) throws IOException {
        tracker.reportsLost(1, "Gözleme ●");
        Path file = folder.resolve("page.html");

        page().write(file);

        assertThat(Files.readString(file, StandardCharsets.UTF_8)).isEqualTo(Pages.of(page()));
    }

    private RunPage page() {
        return RunPage.of(
                "KvCacheTest.decode()", VerdictReport.of(LeakCheck.create().examine(tracker.history())));
    }

    private static String policyOf(String html) {
        Matcher policy = Pattern.compile("http-equiv=\"Content-Security-Policy\" content=\"([^\"]*)\"")
                .matcher(html);
        assertThat(policy.find()).isTrue();
        return policy.group(1).replace("&#39;", "'");
    }

    private static String sha256(String text) throws NoSuchAlgorithmException {
        return Base64.getEncoder()
                .encodeToString(MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8)));
    }
}
