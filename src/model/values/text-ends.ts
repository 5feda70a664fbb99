/** Parts of a text by its ends. A pattern such as `/a+$/` tries each `a` as a beginning, so its time grows with the square. */

/** The text up to the first occurrence; the whole text without one. */
export function upTo(text: string, mark: string): string {
  const at = text.indexOf(mark)
  return at < 0 ? text : text.slice(0, at)
}

/** Without these characters at its end. */
export function withoutEnd(text: string, characters: string): string {
  let end = text.length
  while (end > 0 && characters.includes(text.charAt(end - 1))) end -= 1
  return text.slice(0, end)
}
