package dev.meshguard.tracker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The first frame that remains is where the code under test called the library. */
class OriginFilterTests {

    private static List<String> applied(OriginFilter filter, String... classes) {
        StackTraceElement[] frames = Arrays.stream(classes)
                .map(name -> new StackTraceElement(name, "call", null, -1))
                .toArray(StackTraceElement[]::new);
        return Arrays.stream(filter.apply(frames))
                .map(StackTraceElement::getClassName)
                .toList();
    }

    @Test
    void skipsFramesOfAPackageAndOfItsSubpackages() {
        assertThat(applied(
                        OriginFilter.skipping("io.netty."),
                        "io.netty.buffer.Pool",
                        "io.netty.util.Recycler",
                        "app.Decoder",
                        "app.Main"))
                .containsExactly("app.Decoder", "app.Main");
    }

    @Test
    void skipsFramesOfSeveralLibrariesThatAlternate() {
        assertThat(applied(
                        OriginFilter.skipping("adapter.Adapter", "lib."),
                        "adapter.Adapter$Report",
                        "lib.Pool",
                        "adapter.Adapter",
                        "app.Main"))
                .containsExactly("app.Main");
    }

    @Test
    void skipsTheJdkBetweenFramesOfALibrary() {
        assertThat(applied(OriginFilter.skipping("lib."), "lib.Pool", "java.util.HashMap", "lib.Arena", "app.Main"))
                .containsExactly("app.Main");
    }

    @Test
    void keepsFramesOfTheLibraryBelowThoseOfTheUser() {
        assertThat(applied(OriginFilter.skipping("lib."), "lib.Pool", "app.Handler", "lib.EventLoop"))
                .containsExactly("app.Handler", "lib.EventLoop");
    }

    @Test
    void skipsNoClassWhoseNameOnlyBeginsLikeThatOfAnother() {
        assertThat(applied(OriginFilter.skipping("app.Netty"), "app.Netty", "app.NettyTests"))
                .containsExactly("app.NettyTests");
        assertThat(applied(OriginFilter.skipping("app.Netty"), "app.Netty$Buffer", "app.Main"))
                .containsExactly("app.Main");
    }

    @Test
    void keepsTheWholeStackOfAThreadOnWhichOnlyTheLibraryRuns() {
        assertThat(applied(OriginFilter.skipping("lib."), "lib.Pool", "lib.EventLoop", "java.lang.Thread"))
                .containsExactly("lib.Pool", "lib.EventLoop", "java.lang.Thread");
    }

    @Test
    void appliesANarrowerFilterOnAThreadOnWhichOnlyTheLibraryRuns() {
        OriginFilter filter = OriginFilter.skipping("adapter.Adapter", "lib.")
                .orElse(OriginFilter.skipping("adapter.Adapter", "lib.pool."));

        assertThat(applied(
                        filter, "adapter.Adapter", "lib.pool.Pool", "lib.Channel", "lib.EventLoop", "java.lang.Thread"))
                .containsExactly("lib.Channel", "lib.EventLoop", "java.lang.Thread");
        assertThat(applied(filter, "adapter.Adapter", "lib.pool.Pool", "lib.Channel", "app.Handler"))
                .containsExactly("app.Handler");
    }

    @Test
    void appliesNarrowerFiltersInTheOrderInWhichTheyWereAdded() {
        OriginFilter filter = OriginFilter.skipping("lib.")
                .orElse(OriginFilter.skipping("lib.pool.", "lib.Channel"))
                .orElse(OriginFilter.skipping("lib.pool."));

        assertThat(applied(filter, "lib.pool.Pool", "lib.Channel", "lib.EventLoop"))
                .containsExactly("lib.EventLoop");
        assertThat(applied(filter, "lib.pool.Pool", "lib.Channel", "java.lang.Thread"))
                .containsExactly("lib.Channel", "java.lang.Thread");
    }

    @Test
    void skipsNoStaticInitializerOfTheLibrary() {
        StackTraceElement[] frames = {
            new StackTraceElement("lib.Pool", "allocate", null, -1),
            new StackTraceElement("lib.Codec", "<clinit>", null, -1),
            new StackTraceElement("lib.Codecs", "decode", null, -1),
            new StackTraceElement("app.Main", "main", null, -1)
        };

        assertThat(OriginFilter.skipping("lib.").apply(frames)).containsExactly(frames[1], frames[2], frames[3]);
    }

    @Test
    void keepsAStackWithoutTheLibrary() {
        assertThat(applied(OriginFilter.skipping("lib."), "java.util.ArrayList", "app.Main"))
                .containsExactly("java.util.ArrayList", "app.Main");
    }

    @Test
    void rejectsABlankName() {
        assertThatThrownBy(() -> OriginFilter.skipping(" "))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("A blank name would match every class: give a package such as \"io.netty.\", or a class");
    }

    private static List<String> beyondLibrary(String... methods) {
        StackTraceElement[] frames = Arrays.stream(methods)
                .map(name -> new StackTraceElement(
                        name.substring(0, name.lastIndexOf('.')), name.substring(name.lastIndexOf('.') + 1), null, -1))
                .toArray(StackTraceElement[]::new);
        OriginFilter filter = OriginFilter.skipping("lib.Cursor").beyond(List.of("lib."), List.of("lib."));
        return Arrays.stream(filter.apply(frames))
                .map(frame -> frame.getClassName() + "." + frame.getMethodName())
                .toList();
    }

    @Test
    void skipsTheLibraryThatWasCalled() {
        assertThat(beyondLibrary("lib.Cursor.<init>", "lib.Store.scan", "app.Reader.read", "app.Main.main"))
                .containsExactly("app.Reader.read", "app.Main.main");
    }

    @Test
    void keepsTheLibraryFromWhichAConstructorCalled() {
        assertThat(beyondLibrary("lib.Cursor.<init>", "lib.Store.options", "lib.Store.<init>", "app.Main.main"))
                .containsExactly("lib.Store.options", "lib.Store.<init>", "app.Main.main");
    }

    @Test
    void keepsALibraryThatRunsAlone() {
        assertThat(beyondLibrary("lib.Cursor.<init>", "lib.Store.scan", "java.lang.Thread.run"))
                .containsExactly("lib.Store.scan", "java.lang.Thread.run");
        assertThat(beyondLibrary("lib.Cursor.<init>", "lib.StoreTest.scans", "org.junit.Engine.run"))
                .containsExactly("lib.StoreTest.scans", "org.junit.Engine.run");
    }
}
