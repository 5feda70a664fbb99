// The report's script: what everybody did, on a canvas that answers to the pointer, and the replay that is inside of the file.
;(() => {
  const data = JSON.parse(document.getElementById("data").textContent)
  const css = (name) => getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim()
  const day = data.untilMs - data.fromMs > 86_400_000 ? { weekday: "short" } : {}
  const format = new Intl.DateTimeFormat("en-GB", {
    timeZone: data.timeZone,
    hourCycle: "h23",
    hour: "2-digit",
    minute: "2-digit",
    second: "2-digit",
    ...day,
  })
  const clock = (ms) => format.format(ms)
  const ROW = 20
  const FOOT = 24

  function penFor(canvas, height) {
    const scale = window.devicePixelRatio || 1
    const width = canvas.clientWidth
    canvas.width = width * scale
    canvas.height = height * scale
    canvas.style.height = `${height}px`
    const pen = canvas.getContext("2d")
    pen.scale(scale, scale)
    return { pen, width }
  }

  /** A pattern of stripes in a colour. */
  function stripes(pen, color) {
    const tile = document.createElement("canvas")
    tile.width = 6
    tile.height = 6
    const small = tile.getContext("2d")
    small.strokeStyle = color
    small.lineWidth = 2
    small.beginPath()
    for (const from of [-6, 0, 6]) {
      small.moveTo(from, 6)
      small.lineTo(from + 6, 0)
    }
    small.stroke()
    return pen.createPattern(tile, "repeat")
  }

  /** Fills a bar as its state looks; returns its rectangle. */
  function bar(pen, { color, pattern }, { x, y, width }) {
    const ink = css(color)
    const [top, height] = pattern === "thin" ? [y + 8, 4] : [y + 3, ROW - 6]
    pen.fillStyle = pattern === "striped" ? stripes(pen, ink) : ink
    pen.fillRect(x, top, width, height)
    if (pattern === "striped") {
      pen.strokeStyle = ink
      pen.lineWidth = 1
      pen.strokeRect(x + 0.5, top + 0.5, Math.max(0, width - 1), height - 1)
    }
  }

  const chart = document.getElementById("everybody")
  const said = document.getElementById("everybody-said")

  function layout(width) {
    const left = Math.min(150, width / 3)
    const span = data.untilMs - data.fromMs
    return {
      left,
      x: (ms) => left + ((width - left) * (ms - data.fromMs)) / span,
      ms: (x) => data.fromMs + ((x - left) / (width - left)) * span,
    }
  }

  const people = data.people.map(({ who, isVehicle, states }) => ({
    who,
    isVehicle,
    states: states.map(([number, atMs], at) => ({
      number,
      state: data.states[number],
      fromMs: data.fromMs + atMs,
      untilMs: at + 1 < states.length ? data.fromMs + states[at + 1][1] : data.untilMs,
    })),
  }))
  /** Of the chart on a screen, in pixels; on paper it is as high as a canvas may be. */
  const HEIGHT_MAX = 640
  const PAPER_HEIGHT_MAX = 8000
  const seen = chart?.closest(".rows")

  function everybody() {
    // Folded, it has no width.
    if (chart === null || chart.clientWidth === 0) return
    const wanted = people.length * ROW + FOOT
    const isPaper = document.documentElement.classList.contains("printing")
    const height = Math.min(wanted, isPaper ? PAPER_HEIGHT_MAX : HEIGHT_MAX)
    seen.style.maxHeight = `${height}px`
    seen.firstElementChild.style.height = `${wanted}px`
    if (height < wanted) {
      seen.tabIndex = 0
      seen.setAttribute("role", "region")
      seen.setAttribute("aria-label", "Rows of everybody")
    }
    const { pen, width } = penFor(chart, height)
    const { left, x } = layout(width)
    pen.font = "12px system-ui, sans-serif"
    const foot = height - FOOT
    for (const [at, { who, states }] of people.entries()) {
      const y = at * ROW - seen.scrollTop
      if (y <= -ROW || y >= foot) continue
      pen.fillStyle = css("ink")
      pen.fillText(who, 2, y + 14, left - 8)
      for (const { number, fromMs, untilMs } of states)
        bar(pen, data.looks[number], { x: x(fromMs), y, width: Math.max(1, x(untilMs) - x(fromMs)) })
    }
    pen.clearRect(0, foot, width, FOOT)
    pen.fillStyle = css("ink-2")
    pen.textAlign = "center"
    for (const { atMs, text } of width < 500 ? data.ticks.few : data.ticks.many) {
      const from = x(atMs)
      pen.fillRect(from, foot, 1, 4)
      pen.fillText(text, Math.min(width - pen.measureText(text).width / 2, from), foot + 16)
    }
    pen.textAlign = "start"
  }

  /** The last of rows in order that begins by an instant, or the first one. */
  function lastBy(rows, ms, beginOf) {
    let low = 0
    let high = rows.length - 1
    while (low < high) {
      const middle = Math.ceil((low + high) / 2)
      if (beginOf(rows[middle]) <= ms) low = middle
      else high = middle - 1
    }
    return rows[low]
  }

  const stateAt = ({ states }, ms) => lastBy(states, ms, ({ fromMs }) => fromMs)

  /** What the person under the pointer did then. */
  function sayAt({ clientX, clientY }) {
    const box = chart.getBoundingClientRect()
    const { left, ms } = layout(chart.clientWidth)
    const person = people[Math.floor((clientY - box.top + seen.scrollTop) / ROW)]
    if (person === undefined || clientX - box.left < left || clientY > box.bottom - FOOT) return
    const { number, state, fromMs, untilMs } = stateAt(person, ms(clientX - box.left))
    const meaning = person.isVehicle ? null : data.meanings[number]
    const why = meaning === null ? "" : `. ${meaning}`
    said.textContent = `${person.who}: ${state}, ${clock(fromMs)} to ${clock(untilMs)}${why}`
  }

  async function unpacked(id) {
    const packed = atob(document.getElementById(id).textContent)
    const bytes = Uint8Array.from(packed, (letter) => letter.charCodeAt(0))
    const text = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw"))
    return new Response(text).text()
  }

  /** Whole before it is in the page: the policy lets in exactly this text. */
  function element(name, text) {
    const made = document.createElement(name)
    made.textContent = text
    return made
  }

  /** At an address with an instant the replay takes the place of the report; "back" brings the report again. */
  const isMoment = () => /[#&]t=/.test(location.hash)

  async function openReplay(place) {
    const wasMoment = isMoment()
    addEventListener("hashchange", (event) => {
      if (isMoment() === wasMoment) return
      // The replay does not hear of the address, and so leaves it alone.
      event.stopImmediatePropagation()
      location.reload()
    })
    const [script, style] = await Promise.all(["script", "style"].map((part) => unpacked(`replay-${part}`)))
    if (wasMoment) {
      for (const part of document.querySelectorAll("body > :not(script)")) part.remove()
      document.title = `Replay · ${document.title}`
      document.querySelector("style:last-of-type").replaceWith(element("style", style))
      const page = document.createElement("div")
      page.id = "page"
      document.body.prepend(page)
    } else {
      // Its styles stay inside, and those of the report outside.
      const inside = place.attachShadow({ mode: "open" })
      const shown = document.createElement("div")
      shown.className = "place"
      inside.append(element("style", style), shown)
    }
    const program = element("script", script)
    program.type = "module"
    document.body.append(program)
  }

  function refuse(cause) {
    const alert = document.createElement("p")
    alert.role = "alert"
    alert.textContent = `This browser cannot open the replay: ${cause.message}`
    document.body.prepend(alert)
  }

  const copy = document.getElementById("copy-command")
  const command = document.getElementById("command")?.textContent ?? ""
  copy.hidden = false
  const copied = () => {
    copy.textContent = "Copied"
    setTimeout(() => (copy.textContent = "Copy the command"), 2_000)
  }
  copy.addEventListener("click", () => {
    // Without access to the clipboard the command is shown, to be copied by hand.
    navigator.clipboard.writeText(command).then(copied, () => (location.hash = "#repeat"))
  })
  /** A link to a part opens it. */
  function openPart() {
    const part = document.getElementById(location.hash.slice(1))?.closest("details.part")
    if (part === null || part === undefined || part.open) return
    part.open = true
    part.scrollIntoView()
  }
  openPart()
  addEventListener("hashchange", openPart)
  chart?.closest("details").addEventListener("toggle", everybody)
  const replay = document.getElementById("replay-show")
  if (replay !== null) openReplay(replay).catch(refuse)
  everybody()
  seen?.addEventListener("scroll", everybody)
  chart?.addEventListener("pointermove", sayAt)
  chart?.addEventListener("pointerdown", sayAt)
  const scheme = matchMedia("(prefers-color-scheme: dark)")
  scheme.addEventListener("change", everybody)
  // Paper is white, also for readers of a dark page.
  const printing = (is) => () => {
    document.documentElement.classList.toggle("printing", is)
    everybody()
  }
  addEventListener("beforeprint", printing(true))
  addEventListener("afterprint", printing(false))
  let settling
  addEventListener("resize", () => {
    clearTimeout(settling)
    settling = setTimeout(everybody, 100)
  })
})()
