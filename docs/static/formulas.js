// Draws the formulas of a page.
renderMathInElement(document.body, {
  delimiters: [
    {left: "\\(", right: "\\)", display: false},
    {left: "\\[", right: "\\]", display: true},
  ],
});
