/** HTML as text: all data from outside is escaped. */

/** Text that is markup already. */
export interface Html {
  readonly html: string
}

type Part = Html | number | string | readonly Html[]

/** `html\`<p>${text}</p>\``: inserted values are escaped unless they are markup. */
export function html(strings: TemplateStringsArray, ...parts: readonly Part[]): Html {
  return { html: strings.reduce((made, text, at) => made + shown(parts[at - 1]) + text) }
}

function shown(part: Part | undefined): string {
  if (part === undefined) return ""
  if (typeof part === "number") return String(part)
  if (typeof part === "string") return escaped(part)
  return "html" in part ? part.html : part.map((one) => one.html).join("\n")
}

/** Escapes for text and for attributes in quotes. */
export function escaped(text: string): string {
  return text.replace(/[&<>"'`]/g, (character) => `&#${character.charCodeAt(0)};`)
}

/** Marks our own markup as trusted. */
export function raw(text: string): Html {
  return { html: text }
}

/** A table that scrolls when it is wider than the page. The first cell of a row is its header. `attributes`: of each row. */
export function table(
  caption: string,
  head: readonly string[],
  rows: readonly (readonly (Html | number | string)[])[],
  attributes: readonly Html[] = [],
): Html {
  return html`<div class="scroll" tabindex="0" role="region" aria-label="${caption}">
    <table>
      <caption>
        ${caption}
      </caption>
      <thead>
        <tr>
          ${head.map((name) => html`<th scope="col">${name}</th>`)}
        </tr>
      </thead>
      <tbody>
        ${rows.map(
          ([first = "", ...rest], place) =>
            html`<tr${attributes[place] ?? html``}>
              <th scope="row">${first}</th>
              ${rest.map((cell) => html`<td>${cell}</td>`)}
            </tr>`,
        )}
      </tbody>
    </table>
  </div>`
}

/** A table of the same numbers that a picture shows, collapsed. */
export function asTable(...words: Parameters<typeof table>): Html {
  return html`<details>
    <summary>${words[0]}, as a table</summary>
    ${table(...words)}
  </details>`
}
