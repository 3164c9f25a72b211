// For browsers whose style sheets cannot reach into a fold.
const folds = () => document.querySelectorAll("main details:not([open])")
addEventListener("beforeprint", () => folds().forEach(fold => { fold.open = true; fold.dataset.closed = "" }))
addEventListener("afterprint", () => document.querySelectorAll("details[data-closed]").forEach(fold => {
    fold.open = false
    delete fold.dataset.closed
}))
// What scrolls within its box can be reached by the keyboard; what does not scroll stays out of the way.
const boxes = () => document.querySelectorAll("main pre, main .scroll, main .picture, main .long, main math[display]").forEach(box => {
    if (box.scrollWidth > box.clientWidth + 1) box.tabIndex = 0
    else box.removeAttribute("tabindex")
})
addEventListener("load", boxes)
addEventListener("resize", boxes)
