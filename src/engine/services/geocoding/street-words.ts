/**
 * Words of streets in full, so that `Domain Dr` and `Domain Drive` are one street: map listings write the short forms, and people
 * either. Source: USPS Publication 28, appendix C1 (the types that are common in Texas) and its directions.
 */

const WHOLE: Readonly<Record<string, string>> = {
  aly: "alley",
  ave: "avenue",
  blf: "bluff",
  blvd: "boulevard",
  cir: "circle",
  ct: "court",
  cv: "cove",
  dr: "drive",
  expy: "expressway",
  fwy: "freeway",
  hwy: "highway",
  ln: "lane",
  pkwy: "parkway",
  pl: "place",
  plz: "plaza",
  rd: "road",
  sq: "square",
  st: "street",
  ter: "terrace",
  trl: "trail",
  vw: "view",
  xing: "crossing",
}

const WHOLE_DIRECTIONS: Readonly<Record<string, string>> = {
  n: "north",
  s: "south",
  e: "east",
  w: "west",
  ne: "northeast",
  nw: "northwest",
  se: "southeast",
  sw: "southwest",
}

/** A word in lower case, a street's type in full. */
export function wholeType(word: string): string {
  return WHOLE[word] ?? word
}

/** A word in lower case, a street's type or direction in full. */
export function wholeWord(word: string): string {
  return WHOLE_DIRECTIONS[word] ?? wholeType(word)
}
