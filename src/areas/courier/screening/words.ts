/** Text as words to compare: without case, accents, punctuation and plurals. Pure. */

/** Ends a clause: the words on both sides mean separate things. */
const BREAKS: ReadonlySet<string> = new Set(["|", "with", "con", "and", "y", "plus", "mas", "or", "o"])

export function isBreak(word: string | undefined): boolean {
  return word !== undefined && BREAKS.has(word)
}

/** A number, a number with its unit ("750ml", "12oz", "6pk"), a price. */
export function isSize(word: string): boolean {
  return /^\d+(dot\d+)?(ml|cl|l|lt|oz|pk|pack|ct|g|kg|lb|pc|in|pct|x)?$/.test(word)
}

/** Punctuation that separates things becomes `|`; brackets, hyphens and full stops only separate words. */
export function wordsOf(text: string): readonly string[] {
  const plain = text
    .normalize("NFKD")
    .replace(/\p{M}/gu, "")
    .toLowerCase()
    .replace(/[’'‘`´®™]/g, "")
    .replace(/\bn\/a\b/g, "na")
    .replace(/\blite\b/g, "light")
    .replace(/\bw\//g, " with ")
    .replace(/\b(18|21)\s*\+/g, "$1plus ")
    .replace(/(\d)\.(\d)/g, "$1dot$2")
    .replace(/%/g, "pct")
    .replace(/&/g, " and ")
    .replace(/\s[-–—]\s|[,;:/+•|]/g, " | ")
    .replace(/[^a-z0-9ß|]+/g, " ")
  return plain
    .split(" ")
    .filter((word) => word !== "")
    .map(singular)
}

/** One form for singular and plural, applied to both sides of a comparison. */
export function singular(word: string): string {
  if (word.length <= 3 || /(ss|us|is)$/.test(word)) return word
  const stem = word.endsWith("s") ? word.slice(0, -1) : word
  if (/(ss|sh|ch|x|z)e$/.test(stem)) return stem.slice(0, -1)
  return stem.replace(/ie$/, "y").replace(/oe$/, "o")
}
