/* What a search puts first: pages on how to do something, before the reference and the tables of
 * results, in which nearly every word occurs. Other points are those of Sphinx.
 */
"use strict";

var Scorer = {
  // added to the points of a match in a page, by the folder of the page
  places: [["howto/", 12], ["start", 8], ["gallery", 8], ["results/", -30], ["changelog", -30], ["contributing", -30], ["paper", -6]],

  score: ([page, , , , points]) => {
    const place = Scorer.places.find(([beginning]) => page.startsWith(beginning));
    return points + (place ? place[1] : 0);
  },

  // a name of the package, in full
  objNameMatch: 30,
  objPartialMatch: 6,
  objPrio: { 0: 15, 1: 5, 2: -5 },
  objPrioDefault: 0,
  title: 15,
  partialTitle: 7,
  term: 5,
  partialTerm: 2,
};
