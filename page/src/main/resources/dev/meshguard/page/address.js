"use strict";

/** Gives findings, buffers, events, devices and moments of the address space an address: a link opens exactly that thing, and selecting it changes the address. */
const Address = (() => {
    const PATTERN = /^#(finding|buffer|event|device|space)-(\d[\d-]*)$/;
    const openers = new Map();
    let waiting;

    const replace = (hash) => {
        clearTimeout(waiting);
        // Browsers allow a hundred changes in a few seconds; an arrow key that is held down would make more.
        waiting = setTimeout(() => history.replaceState(null, "", hash), 100);
    };

    /** Opens what the address names; of an unknown name the browser itself knows whether it is a part of the page. */
    const follow = () => {
        clearTimeout(waiting);
        const [, kind, number] = PATTERN.exec(location.hash) || [];
        openers.get(kind)?.(number);
    };

    addEventListener("hashchange", follow);
    addEventListener("click", (event) => {
        const target = event.target.closest("a[href^='#']")?.getAttribute("href");
        if (target) {
            // The address of what was selected just before would replace that of the link, and open instead of it.
            clearTimeout(waiting);
        }
        // The address stays the same if it is followed again, so nothing else says so.
        if (target === location.hash) {
            follow();
        }
    });

    const link = (kind, number, text, properties = {}) => Dom.make("a", { href: `#${kind}-${number}`, ...properties }, text);

    const event = (number) => link("event", number, `#${number}`, { class: "event-link", "data-event": number, title: `Show event #${number}` });

    /** A text of which each number of an event is a link; events that it does not name follow it. */
    const linked = (text, events = []) => {
        const named = new Set();
        const parts = text.split(/(#\d+)/).map((part, index) => {
            if (index % 2 === 0) {
                return part;
            }
            named.add(Number(part.slice(1)));
            return event(Number(part.slice(1)));
        });
        const more = events.filter((number) => !named.has(number)).slice(0, 4);
        return [parts, more.map((number) => [" ", event(number)])];
    };

    return {
        follow,
        link,
        event,
        linked,
        set: (kind, number) => replace(`#${kind}-${number}`),
        clear: () => replace("#"),
        onOpen: (kind, opener) => openers.set(kind, opener),
    };
})();
