package dev.meshguard.tracker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The first frame that remains is where the code under test called the library. */
class OriginFilterTests {

    /** The names to skip, narrower ones after {@code or}; a stack; and what remains of it. */
    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', textBlock = """
            a package and its subpackages | io.netty. \
                | io.netty.buffer.Pool.call io.netty.util.Recycler.call app.Decoder.call app.Main.main \
                | app.Decoder.call app.Main.main
            libraries that alternate | adapter.Adapter lib. \
                | adapter.Adapter$Report.call lib.Pool.call adapter.Adapter.call app.Main.main | app.Main.main
            the JDK between them | lib. | lib.Pool.call java.util.HashMap.get lib.Arena.call app.Main.main | app.Main.main
            no library below the user | lib. | lib.Pool.call app.Handler.call lib.EventLoop.run \
                | app.Handler.call lib.EventLoop.run
            no class with a longer name | app.Netty | app.Netty.call app.NettyTests.call | app.NettyTests.call
            a nested class                    | app.Netty               | app.Netty$Buffer.call app.Main.main | app.Main.main
            nothing where the library is alone | lib. | lib.Pool.call lib.EventLoop.run java.lang.Thread.run \
                | lib.Pool.call lib.EventLoop.run java.lang.Thread.run
            fewer frames where it is alone | adapter. lib. or adapter. lib.pool. \
                | adapter.Adapter.call lib.pool.Pool.call lib.Channel.call lib.EventLoop.run java.lang.Thread.run \
                | lib.Channel.call lib.EventLoop.run java.lang.Thread.run
            all its frames below the user's | adapter. lib. or adapter. lib.pool. \
                | adapter.Adapter.call lib.pool.Pool.call lib.Channel.call app.Handler.call | app.Handler.call
            as the second alternative says | lib. or lib.pool. lib.Channel or lib.pool. \
                | lib.pool.Pool.call lib.Channel.call lib.EventLoop.run | lib.EventLoop.run
            as the third alternative says | lib. or lib.pool. lib.Channel or lib.pool. \
                | lib.pool.Pool.call lib.Channel.call java.lang.Thread.run | lib.Channel.call java.lang.Thread.run
            no static initializer | lib. | lib.Pool.call lib.Codec.<clinit> lib.Codecs.decode app.Main.main \
                | lib.Codec.<clinit> lib.Codecs.decode app.Main.main
            nothing of a stack without it | lib. | java.util.ArrayList.add app.Main.main \
                | java.util.ArrayList.add app.Main.main
            """)
    void skips(String what, String names, String stack, String remaining) {
        OriginFilter filter = Stream.of(names.split(" or ", -1))
                .map(alternative -> OriginFilter.skipping(alternative.split(" ", -1)))
                .reduce(OriginFilter::orElse)
                .orElseThrow();

        assertThat(applied(filter, stack)).isEqualTo(remaining);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            lib.Cursor.<init> lib.Store.scan app.Reader.read app.Main.main     | app.Reader.read app.Main.main
            lib.Cursor.<init> lib.Store.options lib.Store.<init> app.Main.main \
                | lib.Store.options lib.Store.<init> app.Main.main
            lib.Cursor.<init> lib.Store.scan java.lang.Thread.run              | lib.Store.scan java.lang.Thread.run
            lib.Cursor.<init> lib.StoreTest.scans org.junit.Engine.run         | lib.StoreTest.scans org.junit.Engine.run
            """)
    void skipsTheLibraryThatWasCalledUnlessItConstructsOrRunsAlone(String stack, String remaining) {
        OriginFilter filter = OriginFilter.skipping("lib.Cursor").beyond(List.of("lib."), List.of("lib."));

        assertThat(applied(filter, stack)).isEqualTo(remaining);
    }

    private static String applied(OriginFilter filter, String stack) {
        StackTraceElement[] frames = Stream.of(stack.split(" +", -1))
                .map(name -> new StackTraceElement(
                        name.substring(0, name.lastIndexOf('.')), name.substring(name.lastIndexOf('.') + 1), null, -1))
                .toArray(StackTraceElement[]::new);
        return Stream.of(filter.apply(frames))
                .map(frame -> frame.getClassName() + "." + frame.getMethodName())
                .collect(Collectors.joining(" "));
    }

    @Test
    void rejectsABlankName() {
        assertThatThrownBy(() -> OriginFilter.skipping(" "))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("A blank name would match every class: give a package such as \"io.netty.\", or a class");
    }
}
