/** Addresses as words that can be compared: without case, accents, punctuation, flats and the order of street and number. */

/** The first part of an address, and what follows it, such as a city with its postcode. */
export interface AddressWords {
  readonly street: readonly string[]
  readonly rest: readonly string[]
}

/** Cut at its commas; a flat or a lone number is no part of its own. */
export function addressWords(text: string): AddressWords {
  const parts = text.split(",").map(wordsOf)
  const [first = [], ...others] = parts.filter((words) => words.length > 0)
  const [second = [], ...rest] = others
  const [isNumber, isNext] = [first, second].map((words) => words.length === 1 && words.every(isHouseNumber))
  return isNumber === true || (isNext === true && !first.some(isHouseNumber))
    ? { street: [...first, ...second], rest: rest.flat() }
    : { street: first, rest: others.flat() }
}

/** The same for the same street and number, however they are written. */
export function keyOf(street: readonly string[]): string {
  return [...streetOf(street), ...street.filter(isHouseNumber).slice(0, 1)].join(" ")
}

/** Without the house number, which is the first number. */
export function streetOf(street: readonly string[]): readonly string[] {
  const at = street.findIndex(isHouseNumber)
  return at === -1 ? street : street.toSpliced(at, 1)
}

/** False of numbers, and of short words such as those of states. */
export function isName(word: string): boolean {
  return !/^\d/.test(word) && !/^[a-z]{1,2}$/.test(word)
}

function isHouseNumber(word: string): boolean {
  return /^\d/.test(word) && !ORDINAL.test(word)
}

export function wordsOf(text: string): readonly string[] {
  const words = text
    .normalize("NFKD")
    .replaceAll(/\p{M}/gu, "")
    .toLowerCase()
    .replaceAll("ß", "ss")
    .replaceAll(/['’]/g, "")
    .replaceAll("#", " unit ")
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== "")
  return withOrdinals(withoutFlat(words)).map((word) => LONG[word] ?? word)
}

/** What is written short in many addresses. */
const LONG: Readonly<Record<string, string>> = {
  st: "street",
  str: "street",
  ave: "avenue",
  av: "avenue",
  rd: "road",
  dr: "drive",
  ln: "lane",
  ct: "court",
  pl: "place",
  sq: "square",
  blvd: "boulevard",
  hwy: "highway",
  pkwy: "parkway",
  n: "north",
  s: "south",
  e: "east",
  w: "west",
}

/* Flats. */

const FLATS = "apt|apartment|flat|suite|ste|unit|room|rm|floor|fl"
const FLAT = new RegExp(`^(${FLATS})$`)
const FLAT_WITH_NUMBER = new RegExp(String.raw`^(${FLATS})\d{1,4}[a-z]?$`)
/** A postcode is longer. */
const FLAT_NUMBER = /^(\d{1,4}[a-z]?|[a-z]\d{0,4})$/

/** Without such as `apt 3b`, `suite 4` and `2nd floor`: a house is one door. */
function withoutFlat(words: readonly string[]): readonly string[] {
  const left: string[] = []
  for (let at = 0; at < words.length; at += 1) {
    const [word = "", next = ""] = [words[at], words[at + 1]]
    if (FLAT_WITH_NUMBER.test(word)) continue
    if (!FLAT.test(word)) left.push(word)
    else if (FLAT_NUMBER.test(next)) at += 1
    else if (word.startsWith("fl") && ORDINAL.test(left.at(-1) ?? "")) left.pop()
    else if (!FLAT.test(next)) left.push(word)
  }
  return left
}

/* Ordinals. */

const ORDINAL = /^(\d+)(st|nd|rd|th)$/

const ORDINALS = (
  " first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth" +
  " fifteenth sixteenth seventeenth eighteenth nineteenth"
).split(" ")
const TENS = ["", "", "twent", "thirt", "fort", "fift", "sixt", "sevent", "eight", "ninet"]

/** `5th`, `fifth` and `twenty third` as `5th`, `5th` and `23th`. */
function withOrdinals(words: readonly string[]): readonly string[] {
  const left: string[] = []
  for (const word of words) {
    const [, digits] = ORDINAL.exec(word) ?? []
    const one = ORDINALS.indexOf(word)
    const tens = TENS.indexOf((left.at(-1) ?? "").replace(/y$/, ""))
    if (digits !== undefined) left.push(`${digits}th`)
    else if (one > 0 && one < 10 && tens > 1 && (left.at(-1) ?? "").endsWith("y"))
      left.splice(-1, 1, `${tens * 10 + one}th`)
    else if (one > 0) left.push(`${one}th`)
    else if (word.endsWith("ieth") && TENS.includes(word.slice(0, -4)))
      left.push(`${TENS.indexOf(word.slice(0, -4)) * 10}th`)
    else left.push(word)
  }
  return left
}
