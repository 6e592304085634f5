package dev.meshguard.verdict;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.util.stream.Stream;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.ArgumentsProvider;
import org.junit.jupiter.params.provider.ArgumentsSource;
import org.junit.jupiter.params.support.AnnotationConsumer;

/**
 * Runs a test for each {@link Story} of a text. A story begins with its name, in a line without indentation.
 *
 * <pre>
 * is not named for a reading after the wipe only
 *     mesh 0 over 0; allocate DRAM 0x1000 on 0; witness AFTER_WIPE DRAM on 0; close
 *     = UNEXPLAINED LEAKED
 * </pre>
 */
@Target(ElementType.METHOD)
@Retention(RetentionPolicy.RUNTIME)
@ParameterizedTest(name = "{0}")
@ArgumentsSource(Stories.Reader.class)
public @interface Stories {

    /** The stories. Lines that begin with {@code //} are comments. */
    String value();

    /** Separates the stories of a text. */
    class Reader implements ArgumentsProvider, AnnotationConsumer<Stories> {

        private String text = "";

        /** Called by JUnit: only exported packages are open to it if no test of them was selected. */
        public Reader() {}

        @Override
        public void accept(Stories stories) {
            text = stories.value().replaceAll("(?m)^ *//.*\\R", "");
        }

        @Override
        public Stream<? extends Arguments> provideArguments(ExtensionContext context) {
            return Stream.of(text.split("\\R(?=\\S)", -1)).flatMap(Story::of).map(Arguments::of);
        }
    }
}
