// Sentences that explain words: shown at a word that is pointed at or selected with the keyboard.

const tip = document.createElement("div");
tip.id = "tip";
tip.setAttribute("role", "tooltip");
tip.hidden = true;

function show(term) {
  tip.textContent = term.dataset.tip;
  tip.hidden = false;
  const at = term.getBoundingClientRect();
  const left = Math.max(8, Math.min(at.left, innerWidth - tip.offsetWidth - 8));
  const below = at.bottom + 6;
  const top = below + tip.offsetHeight > innerHeight ? at.top - tip.offsetHeight - 6 : below;
  tip.style.left = `${left}px`;
  tip.style.top = `${top}px`;
}

function hide() {
  tip.hidden = true;
}

/** Lets all explained words show their sentences at once, in place of the browser's slow titles. */
export function addTips() {
  document.body.append(tip);
  for (const term of document.querySelectorAll("abbr[title]")) {
    term.dataset.tip = term.title;
    term.removeAttribute("title");
    term.setAttribute("aria-description", term.dataset.tip);
    term.tabIndex = 0;
    term.addEventListener("pointerenter", () => show(term));
    term.addEventListener("focus", () => show(term));
    term.addEventListener("pointerleave", hide);
    term.addEventListener("blur", hide);
  }
  addEventListener("keydown", (event) => event.key === "Escape" && hide());
  addEventListener("scroll", hide, { passive: true });
}
