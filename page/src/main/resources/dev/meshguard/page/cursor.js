"use strict";

/** Moves all views to the same event, the same rectangle and the same part of the run. */
const Cursor = (() => {
    let at;
    let chosen;
    let device;
    let range;
    const listeners = [];
    const choosers = [];
    const zoomers = [];
    const filters = [];
    const rangers = [];

    const moveTo = (event, source) => {
        if (event === at) {
            return;
        }
        at = event;
        listeners.forEach((listener) => listener(at, source));
    };

    const choose = (rectangle, source) => {
        chosen = rectangle;
        choosers.forEach((chooser) => chooser(chosen, source));
    };

    /** The part of the run that the views show, from one event to another. */
    const zoom = (from, to, source) => zoomers.forEach((zoomer) => zoomer(from, to, source));

    /** The only device that the views show, or all of them if it is undefined. */
    const showDevice = (only) => {
        device = only;
        filters.forEach((filter) => filter(device));
    };

    /** The range of events of which the views show what happened in it, or the whole run if it is undefined. */
    const showRange = (only) => {
        range = only;
        rangers.forEach((ranger) => ranger(range));
    };

    return {
        moveTo,
        choose,
        zoom,
        showDevice,
        showRange,
        onMove: (listener) => listeners.push(listener),
        onZoom: (zoomer) => zoomers.push(zoomer),
        onChoose: (chooser) => choosers.push(chooser),
        onRange: (ranger) => rangers.push(ranger),
        onDevice: (filter) => filters.push(filter),
        get event() {
            return at;
        },
        get range() {
            return range;
        },
        get device() {
            return device;
        },
        get rectangle() {
            return chosen;
        },
    };
})();
