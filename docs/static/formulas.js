// Draws the formulas of a page, when KaTeX is there.
document.addEventListener("DOMContentLoaded", () => renderMathInElement(document.body, {
  delimiters: [
    {left: "\\(", right: "\\)", display: false},
    {left: "\\[", right: "\\]", display: true},
  ],
}));
