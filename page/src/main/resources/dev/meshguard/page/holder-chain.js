"use strict";

/** Draws the references that hold a buffer as LeakCanary does: one a line, from the root to the handle, with the suspect marked. */
const HolderChain = (() => {
    /** A class and its field: the field is what refers to the next step. */
    const reference = (step, isSuspect) => {
        const dot = step.includes("[") ? -1 : step.lastIndexOf(".");
        const field = Dom.make(isSuspect ? "mark" : "span", { class: "reference" }, step.slice(dot + 1));
        return dot < 0 ? field : [step.slice(0, dot + 1), field];
    };

    /** Draws the steps of a path; the suspect is the index of one of them, if there is one. */
    const draw = (steps, suspect) =>
        Dom.make(
            "ol",
            { class: "chain" },
            steps.map((step, index) =>
                Dom.make(
                    "li",
                    { class: index === suspect ? "suspect" : undefined },
                    Dom.make("code", {}, reference(step, index === suspect)),
                    index === suspect ? Dom.make("span", { class: "hint" }, "suspect: the last field of your code that leads to the buffer") : null,
                ),
            ),
            Dom.make("li", { class: "held" }, "the handle of the buffer"),
        );

    return { draw };
})();
