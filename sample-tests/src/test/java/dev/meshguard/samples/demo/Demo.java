package dev.meshguard.samples.demo;

/** Shows in one run what MeshGuard finds. */
public final class Demo {

    private Demo() {}

    public static void main(String[] args) {
        System.out.println("MeshGuard: the demo is not written yet.");
    }
}
