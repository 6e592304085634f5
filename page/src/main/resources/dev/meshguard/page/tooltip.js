"use strict";

/** Shows details beside the pointer, and never below it: they do not take its clicks. */
const Tooltip = (() => {
    const GAP = 14;

    let element;

    /** Beside the pointer on the side that has room. */
    const beside = (at, size, room) => Math.max(4, at + GAP + size <= room ? at + GAP : at - GAP - size);

    const show = (x, y, ...content) => {
        if (!element) {
            element = Dom.make("div", { class: "tooltip", id: "tooltip", role: "tooltip" });
            document.body.append(element);
        }
        element.replaceChildren(...content.flat(Infinity).filter(Boolean));
        element.hidden = false;
        element.style.left = `${beside(x, element.offsetWidth, document.documentElement.clientWidth)}px`;
        element.style.top = `${beside(y, element.offsetHeight, innerHeight)}px`;
    };

    const hide = () => {
        if (element) {
            element.hidden = true;
        }
    };

    addEventListener("scroll", hide, { passive: true });

    /** Shows details of what is below the pointer while it moves over an element, if there is any. */
    const follow = (area, detailsAt) => {
        area.addEventListener("pointermove", (event) => {
            const details = detailsAt(event);
            if (details) {
                show(event.clientX, event.clientY, details);
            } else {
                hide();
            }
        });
        area.addEventListener("pointerleave", hide);
    };

    return { show, hide, follow };
})();
