package dev.meshguard.netty;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtensionConfigurationException;

/** A Netty that is too old is rejected with the oldest supported version. */
class NettyVersionTests {

    private final ClassLoader ofNetty4134 = new ClassLoader(getClass().getClassLoader()) {
        @Override
        protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            if (name.equals("io.netty.util.internal.ThreadExecutorMap")) {
                throw new ClassNotFoundException(name);
            }
            return super.loadClass(name, resolve);
        }
    };

    @Test
    void theNettyOfThisBuildIsSupported() {
        assertThat(NettyVersion.isSupported(getClass().getClassLoader())).isTrue();
    }

    @Test
    void rejectsAnOlderOneAndNamesTheOldestSupportedVersion() {
        assertThatThrownBy(() -> NettyVersion.require(ofNetty4134))
                .isInstanceOf(ExtensionConfigurationException.class)
                .hasMessageMatching(
                        "MeshGuard needs Netty 4\\.1\\.35 or later, and found .+\\. Choose the version in the build,"
                                + " for example with io\\.netty:netty-bom\\.");
    }
}
