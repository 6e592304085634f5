"use strict";

/** Moves all views to the same event, the same rectangle and the same part of the run. */
const Cursor = (() => {
    const now = { event: undefined, rectangle: undefined, device: undefined, range: undefined };
    const listeners = { event: [], rectangle: [], device: [], range: [], zoom: [] };

    const on = (what) => (listener) => listeners[what].push(listener);

    const report = (what, ...values) => listeners[what].forEach((listener) => listener(...values));

    const set = (what) => (value, source) => {
        now[what] = value;
        report(what, value, source);
    };

    const moveTo = (event, source) => {
        if (event !== now.event) {
            set("event")(event, source);
        }
    };

    return {
        moveTo,
        choose: set("rectangle"),
        /** The part of the run that the views show, from one event to another. */
        zoom: (from, to) => report("zoom", from, to),
        /** The only device that the views show, or all of them if it is undefined. */
        showDevice: set("device"),
        /** The range of events of which the views show what happened in it, or the whole run if it is undefined. */
        showRange: set("range"),
        onMove: on("event"),
        onZoom: on("zoom"),
        onChoose: on("rectangle"),
        onRange: on("range"),
        onDevice: on("device"),
        get event() {
            return now.event;
        },
        get range() {
            return now.range;
        },
        get device() {
            return now.device;
        },
        get rectangle() {
            return now.rectangle;
        },
    };
})();
