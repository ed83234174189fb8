// Sphinx's own scores, but methods and attributes of classes come after pages, classes and functions.
var Scorer = {
  score: ([docname, title, anchor, description, score]) =>
    /^Python (method|attribute|property)/.test(description || "") ? score - 12 : score,
  objNameMatch: 11,
  objPartialMatch: 6,
  objPrio: { 0: 15, 1: 5, 2: -5 },
  objPrioDefault: 0,
  title: 15,
  partialTitle: 7,
  term: 5,
  partialTerm: 2,
};
