"use strict";

/** The choices that all views share: an event, a rectangle, a device and a range of events. */
const Cursor = (() => {
    /** A value that views share. Each change is reported to all of them. */
    const shared = () => {
        const listeners = [];
        let now;
        return {
            get value() {
                return now;
            },
            set: (value, source) => {
                if (value !== now) {
                    now = value;
                    listeners.forEach((listener) => listener(value, source));
                }
            },
            onChange: (listener) => listeners.push(listener),
        };
    };

    return {
        shared,
        event: shared(),
        rectangle: shared(),
        /** The only device that the views show, or all of them if it is undefined. */
        device: shared(),
        /** The range of events of which the views show what happened in it, or the whole run if it is undefined. */
        range: shared(),
    };
})();
