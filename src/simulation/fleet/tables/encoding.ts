/** The text of a table, and the encoding that its bytes have. */

/** A text in a wrong encoding is still text, so this gives no error: what is no UTF-8 is taken as windows-1252, of which Latin-1 is a part. */
export function decoded(bytes: Uint8Array): { readonly text: string; readonly encoding: string } {
  const [first, second] = bytes
  if (first === 0xff && second === 0xfe) return as("utf-16le", bytes, "UTF-16")
  if (first === 0xfe && second === 0xff) return as("utf-16be", bytes, "UTF-16")
  // Without a mark a zero stands beside each letter of ASCII.
  if (second === 0 && first !== 0) return as("utf-16le", bytes, "UTF-16 without a mark")
  if (first === 0 && second !== 0) return as("utf-16be", bytes, "UTF-16 without a mark")
  try {
    return { text: new TextDecoder("utf-8", { fatal: true }).decode(bytes), encoding: "UTF-8" }
  } catch {
    return as("windows-1252", bytes, "windows-1252")
  }
}

function as(label: string, bytes: Uint8Array, encoding: string) {
  return { text: new TextDecoder(label).decode(bytes), encoding }
}
