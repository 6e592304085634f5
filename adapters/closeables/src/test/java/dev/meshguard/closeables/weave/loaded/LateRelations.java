package dev.meshguard.closeables.weave.loaded;

/** A class that has the closing method of another one, which is loaded later. */
public interface LateRelations {

    void close();

    class Base {

        public void close() {}

        /** The type of its parameter is loaded late. */
        public void register(PluginTask task) {}
    }

    class First implements LateRelations {

        @Override
        public void close() {}
    }

    class Handle extends Base implements LateRelations {}
}
