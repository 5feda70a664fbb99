// The report's script: opens the inspector that is inside of the file, at `#run=2&at=417`, and comes back with the browser's own "back".
;(() => {
  const isMoment = () => /[#&](?:run|at)=/.test(location.hash)
  let isOpen = false

  async function unpacked(id) {
    const packed = atob(document.getElementById(id).textContent)
    const bytes = Uint8Array.from(packed, (letter) => letter.charCodeAt(0))
    const text = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw"))
    return new Response(text).text()
  }

  /** The records' own texts stay: the inspector unpacks what it shows. */
  async function open() {
    isOpen = true
    const [script, style, data] = await Promise.all(
      ["script", "style", "data"].map((part) => unpacked(`inspector-${part}`)),
    )
    for (const part of document.querySelectorAll("body > :not(script)")) part.remove()
    document.title = `Inspector · ${document.title}`
    document.querySelector("style:last-of-type").replaceWith(element("style", style))
    const page = document.createElement("div")
    page.id = "page"
    const [record, program] = [element("script", data), element("script", script)]
    record.type = "application/json"
    record.id = "data"
    program.type = "module"
    document.body.prepend(page, record)
    document.body.append(program)
    scrollTo(0, 0)
  }

  function refuse(cause) {
    const said = document.createElement("p")
    said.role = "alert"
    said.textContent = `This browser cannot open the inspector: ${cause.message}`
    document.body.prepend(said)
  }

  /** Whole before it is in the page: the policy lets in exactly this text. */
  function element(name, text) {
    const made = document.createElement(name)
    made.textContent = text
    return made
  }

  function follow(event) {
    if (isMoment() && !isOpen) open().catch(refuse)
    if (isMoment() || !isOpen) return
    // The report is no longer in the page. The inspector does not hear of the address, and so leaves it alone.
    event.stopImmediatePropagation()
    location.reload()
  }

  // "Back" then leads to the run that the link is about.
  addEventListener("click", ({ target }) => {
    const run = target.closest('a[href^="#run="]')?.closest("section.run")
    if (run) history.replaceState(null, "", `#${run.id}`)
  })
  addEventListener("hashchange", follow)
  follow()
})()
