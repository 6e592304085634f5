package dev.meshguard.netty;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtensionConfigurationException;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A Netty that is too old is rejected with the oldest supported version. */
class NettyVersionTests {

    /** Returns a class loader that finds no type whose name begins with a prefix. */
    private static ClassLoader without(String prefix) {
        return new ClassLoader(NettyVersionTests.class.getClassLoader()) {
            @Override
            protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
                if (name.startsWith(prefix)) {
                    throw new ClassNotFoundException(name);
                }
                return super.loadClass(name, resolve);
            }
        };
    }

    @Test
    void theNettyOfThisBuildIsSupported() {
        assertThat(NettyVersion.isSupported(getClass().getClassLoader())).isTrue();
    }

    @ParameterizedTest
    @CsvSource({"io.netty.util.internal.ThreadExecutorMap, \\d.+", "io.netty., none"})
    void rejectsAnOlderOneOrNoneAndNamesTheOldestSupportedVersion(String missing, String found) {
        assertThatThrownBy(() -> NettyVersion.require(without(missing)))
                .isInstanceOf(ExtensionConfigurationException.class)
                .hasMessageMatching("MeshGuard needs Netty 4\\.1\\.35 or later, and found " + found
                        + "\\. Choose the version in the build, for example with io\\.netty:netty-bom\\.");
    }
}
