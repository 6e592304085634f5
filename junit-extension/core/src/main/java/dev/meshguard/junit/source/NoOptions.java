package dev.meshguard.junit.source;

import java.util.function.Function;

/** The settings of a source without options. They are equal for sources of one class, whatever begins their sessions. */
record NoOptions(
        AllocationSource source,
        boolean beginsOnRequest,
        Runnable preparation,
        Function<SourceContext, SourceSession> session)
        implements SourceSettings {

    @Override
    public boolean isShareable() {
        return true;
    }

    @Override
    public void prepare() {
        preparation.run();
    }

    @Override
    public SourceSession begin(SourceContext context) {
        return session.apply(context);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof NoOptions settings
                && settings.source.getClass() == source.getClass()
                && settings.beginsOnRequest == beginsOnRequest;
    }

    @Override
    public int hashCode() {
        return source.getClass().hashCode();
    }
}
