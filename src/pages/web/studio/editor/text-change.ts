/** What differs between two texts of a file, in words that name the line and the key. */

/** `line 23 alone, `within` was 30s`; null when nothing differs. */
export function textChange(before: string, now: string): string | null {
  if (before === now) return null
  const [former, latter] = [before.split("\n"), now.split("\n")]
  const same = sameAtStart(former, latter)
  const sameEnd = sameAtStart(former.slice(same).toReversed(), latter.slice(same).toReversed())
  const [gone, came] = [former.length - same - sameEnd, latter.length - same - sameEnd]
  const line = same + 1
  if (gone === 0) return came === 1 ? `line ${line} is new` : `lines ${line} to ${same + came} are new`
  if (came === 0) return `${gone === 1 ? "a line" : `${gone} lines`} before line ${line} went`
  if (gone > 1 || came > 1)
    return came === 1 ? `line ${line}, which was ${gone} lines` : `lines ${line} to ${same + came}`
  const key = changedKey(former[same] ?? "", latter[same] ?? "")
  return key === null ? `line ${line} alone` : `line ${line} alone, \`${key.name}\` was ${key.was}`
}

function sameAtStart(one: readonly string[], other: readonly string[]): number {
  const at = one.findIndex((text, place) => text !== other[place])
  return at === -1 ? one.length : at
}

/** The key whose value is all that differs in a line; null when more or something else does. */
function changedKey(before: string, now: string): { readonly name: string; readonly was: string } | null {
  let common = 0
  while (common < now.length && before.charAt(common) === now.charAt(common)) common += 1
  let found: RegExpExecArray | null = null
  for (const key of now.matchAll(/(?<![\w.-])([\w.-]+):\s+/g)) {
    if (key.index + key[0].length > common) break
    found = key
  }
  if (found === null) return null
  const begin = found.index + found[0].length
  const [was, is] = [valueAt(before, begin), valueAt(now, begin)]
  const isAll = before.slice(begin + was.length) === now.slice(begin + is.length)
  return isAll && was !== "" ? { name: found[1] ?? "", was } : null
}

/** A value in quotes or brackets as a whole, another up to the next comma or bracket. */
function valueAt(line: string, begin: number): string {
  const rest = line.slice(begin)
  const quoted = /^(?:"(?:[^"\\]|\\.)*"|'(?:[^']|'')*')/.exec(rest)
  if (quoted !== null) return quoted[0]
  let depth = 0
  for (let at = 0; at < rest.length; at += 1) {
    const letter = rest.charAt(at)
    if ("[{".includes(letter)) depth += 1
    if ("]}".includes(letter)) {
      if (depth === 0) return rest.slice(0, at).trimEnd()
      depth -= 1
      if (depth === 0) return rest.slice(0, at + 1)
    }
    if (depth === 0 && letter === ",") return rest.slice(0, at)
  }
  const comment = rest.search(/\s#/)
  return (comment < 0 ? rest : rest.slice(0, comment)).trimEnd()
}
