package dev.meshguard.text;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class FrameNameTests {

    @ParameterizedTest
    @CsvSource({
        "dev.example.Model, load, dev.example.Model.load",
        "Model, load, Model.load",
        "dev.example.Model$Layer, load, dev.example.Model$Layer.load",
        "dev.example.Model$1, load, dev.example.Model.load",
        "dev.example.Model$12$3, load, dev.example.Model.load",
        "dev.example.Model$1Local, load, dev.example.Model$Local.load",
        "dev.example.Model, lambda$load$3, dev.example.Model.lambda$load",
        "dev.example.Model, lambda$load$3a7f2c1d$1, dev.example.Model.lambda$load",
        "dev.example.Model, lambda$static$0, dev.example.Model.lambda$static",
        "dev.example.Model, lambda$new$0, dev.example.Model.lambda$new",
        "dev.example.Model, lambda$lambda$load$0$1, dev.example.Model.lambda$load",
        "dev.example.Model, <init>, dev.example.Model.<init>",
        "dev.example.Model, my$method, dev.example.Model.my$method",
        "dev.example.Model$$EnhancerBySpringCGLIB$$1a2b3c4d, load, dev.example.Model.load",
        "dev.example.Model$$SpringCGLIB$$0, load, dev.example.Model.load",
        "dev.example.Model$MockitoMock$1893562112, load, dev.example.Model.load",
        "dev.example.Model$ByteBuddy$Xk2Lq9aB, load, dev.example.Model.load",
        "dev.example.Model_$$_jvst1a2_0, load, dev.example.Model.load",
        "dev.example.Model-CgLib, load, dev.example.Model.load",
        "dev.example.Modell$Größe, lädt, dev.example.Modell$Größe.lädt",
        "dev.example.$Money, load, dev.example.Money.load",
    })
    void leavesOutWhatIsNumbered(String className, String method, String name) {
        assertThat(FrameName.ofUser(frame(className, method)))
                .get()
                .extracting(FrameName::toString)
                .isEqualTo(name);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "java.util.ArrayList",
                "jdk.internal.reflect.DirectMethodHandleAccessor",
                "jdk.internal.reflect.GeneratedMethodAccessor17",
                "jdk.proxy2.$Proxy12",
                "com.sun.proxy.$Proxy7",
                "dev.example.$Proxy31",
                "dev.example.Model$$Lambda$14/0x0000000800c03000",
                "dev.example.Model$$Lambda/0x000071c3d4017a98",
                "dev.example.Model$$FastClassBySpringCGLIB$$1a2b3c4d",
                "org.mockito.internal.creation.bytebuddy.MockMethodInterceptor",
                "org.junit.platform.commons.util.ReflectionUtils"
            })
    void namesNoFrameThatAnotherJdkOrLibraryDoesNotHave(String className) {
        assertThat(FrameName.ofUser(frame(className, "invoke"))).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"access$000", "access$112"})
    void namesNoAccessorOfACompiler(String method) {
        assertThat(FrameName.ofUser(frame("dev.example.Model", method))).isEmpty();
    }

    private static StackTraceElement frame(String className, String method) {
        return new StackTraceElement(className, method, "Model.java", 12);
    }
}
