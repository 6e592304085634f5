package dev.meshguard.verification.runpages;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** Tests the head of a page: its marks and colours, its place on a telephone, and the copied text. */
@InChromium
class HeadTests {

    private static final SampleRun LEAK = SampleRuns.leak();

    @Test
    void marksTheDeviceWithTheMostBytesMost(Chromium chromium) {
        chromium.open(LEAK.file());

        assertThat(heat(chromium, 3)).isEqualTo("100%");
        assertThat(heat(chromium, 0)).isEqualTo(Math.round(100.0 * leakedBytes(0) / leakedBytes(3)) + "%");
        assertThat(background(chromium, 3)).isNotEqualTo(background(chromium, 0));
    }

    @Test
    void answersAboveTheFoldOfATelephone(Chromium chromium) {
        chromium.open(LEAK.file(), 390, "light");

        assertThat(chromium.box("#largest").bottom()).isLessThan(844);
    }

    private static Object heat(Chromium chromium, int device) {
        return chromium.value(
                "document.querySelector('#mesh [data-device=\"" + device + "\"]').style.getPropertyValue('--heat')");
    }

    private static Object background(Chromium chromium, int device) {
        return chromium.value("getComputedStyle(document.querySelector('#mesh [data-device=\"" + device
                + "\"] button')).backgroundColor");
    }

    @Test
    void copiesExactlyTheTextOfTheTerminal(Chromium chromium) {
        chromium.open(LEAK.file());

        chromium.click("#copy-text");
        chromium.await("document.querySelector('#copy-text + .copy-result').textContent === 'Copied'");

        assertThat(chromium.clipboard()).isEqualTo(LEAK.report().text());
    }

    @Test
    void copiesItTheOldWayWhereThereIsNoClipboardToWriteTo(Chromium chromium) {
        chromium.beforeEachPage(
                "if (location.hash === '#without') {"
                        + " window.board = navigator.clipboard; Object.defineProperty(navigator, 'clipboard', {value: undefined}); }");
        chromium.open(LEAK.file(), "#without");

        chromium.click("#copy-text");
        chromium.await("document.querySelector('#copy-text + .copy-result').textContent === 'Copied'");

        assertThat(chromium.is("navigator.clipboard === undefined")).isTrue();
        assertThat(chromium.promised("window.board.readText()"))
                .isEqualTo(LEAK.report().text());
        assertThat(chromium.all("textarea")).isEmpty();
    }

    private static long leakedBytes(int device) {
        return SampleRun.bytes(LEAK.leaked().filter(buffer -> buffer.device() == device));
    }
}
