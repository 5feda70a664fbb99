/** Texts that a page contains compressed, each in an element of its own. */

/** Raw deflate in base64, of the element with that id. */
export async function inflatedText(id: string): Promise<string> {
  const bytes = bytesOf(document.querySelector(`#${id}`)?.textContent ?? "")
  const inflated = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw"))
  return new Response(inflated).text()
}

/** Newer browsers have a built-in function without the intermediate text. */
function bytesOf(base64: string): Uint8Array<ArrayBuffer> {
  const { fromBase64 } = Uint8Array as { fromBase64?: (text: string) => Uint8Array<ArrayBuffer> }
  return (
    fromBase64?.call(Uint8Array, base64) ?? Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0))
  )
}
