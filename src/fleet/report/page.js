// The report's script: time series by uPlot, and two canvases over the states that the first replication kept.
;(() => {
  const data = JSON.parse(document.getElementById("data").textContent)
  const css = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim()
  const clock = (ms) => new Date(ms + data.offsetMs).toISOString().slice(11, 19)
  const colors = () => ["--series-1", "--series-2", "--series-3", "--series-4"].map(css)

  const plots = []
  function drawSeries() {
    for (const plot of plots.splice(0)) plot.destroy()
    for (const box of document.querySelectorAll("[data-series]")) {
      const { kind, series } = data.charts[Number(box.dataset.series)]
      const times = series[0].values.map(
        (_, at) => (data.seriesFromMs + at * data.stretchMs + data.offsetMs) / 1000,
      )
      const axis = { stroke: css("--ink"), grid: { stroke: css("--line") }, ticks: { stroke: css("--line") } }
      const palette = colors()
      const plot = new uPlot(
        {
          width: Math.max(280, box.clientWidth),
          height: 240,
          tzDate: (seconds) => uPlot.tzDate(new Date(seconds * 1000), "UTC"),
          scales: kind === "share" ? { y: { range: [0, 1] } } : {},
          axes: [
            axis,
            {
              ...axis,
              values: (_, ticks) =>
                ticks.map((tick) => (kind === "share" ? `${Math.round(tick * 100)}%` : tick)),
            },
          ],
          series: [
            {},
            ...series.map(({ name }, at) => ({
              label: name,
              stroke: palette[at],
              width: 2,
              dash: [[], [8, 4], [2, 3], [12, 3, 2, 3]][at],
            })),
          ],
        },
        [times, ...series.map(({ values }) => values)],
        box,
      )
      plots.push(plot)
    }
  }

  const PATTERNS = { idle: 0, "off duty": 0, back: 0 }
  function gantt() {
    const canvas = document.getElementById("gantt")
    if (canvas === null || data.people.length === 0) return
    const row = 18
    const { pen, width } = penFor(canvas, data.people.length * row + 24)
    pen.font = "11px system-ui, sans-serif"
    const left = Math.min(150, width / 3)
    const x = (ms) => left + ((width - left) * (ms - data.fromMs)) / (data.untilMs - data.fromMs)
    const palette = colors()
    for (const [at, person] of data.people.entries()) {
      const y = at * row
      pen.fillStyle = css("--ink")
      pen.fillText(person.who, 2, y + 13, left - 6)
      for (const { state, fromMs, untilMs } of person.states) {
        const kind = data.states.indexOf(state)
        const rest = state in PATTERNS
        pen.fillStyle = rest ? css("--line") : palette[kind % palette.length]
        pen.globalAlpha = rest ? 0.5 : 0.45 + 0.15 * (Math.floor(kind / palette.length) % 4)
        pen.fillRect(x(fromMs), y + (rest ? 7 : 2), Math.max(1, x(untilMs) - x(fromMs)), rest ? 4 : row - 4)
        pen.globalAlpha = 1
      }
    }
    pen.fillStyle = css("--ink")
    for (let part = 0; part <= 4; part += 1) {
      const ms = data.fromMs + ((data.untilMs - data.fromMs) * part) / 4
      pen.fillText(clock(ms).slice(0, 5), Math.min(width - 32, x(ms)), data.people.length * row + 16)
    }
  }

  function placeAt(vehicle, ms) {
    let held = vehicle.legs[0]
    for (const leg of vehicle.legs) {
      if (leg.atMs > ms) break
      held = leg
    }
    if (held.to === null || held.untilMs <= held.atMs) return { place: held.place, state: held.state }
    const share = Math.min(1, (ms - held.atMs) / (held.untilMs - held.atMs))
    const part = (at) => held.place[at] + (held.to[at] - held.place[at]) * share
    return { place: [part(0), part(1)], state: held.state }
  }

  /** The bounding box of all places: [south, north], [west, east]. */
  function extent() {
    const places = data.vehicles.flatMap(({ legs }) =>
      legs.flatMap(({ place, to }) => (to === null ? [place] : [place, to])),
    )
    const points = [...data.sites.map(({ at }) => at), ...places]
    return [0, 1].map((axis) => {
      const values = points.map((point) => point[axis])
      return [values.reduce((a, b) => Math.min(a, b)), values.reduce((a, b) => Math.max(a, b))]
    })
  }

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

  function drawVehicles(canvas, [[south, north], [west, east]], found) {
    const height = 360
    const { pen, width } = penFor(canvas, height)
    const spot = ([latitude, longitude]) => [
      16 + ((width - 32) * (longitude - west)) / (east - west || 1),
      height - 16 - ((height - 32) * (latitude - south)) / (north - south || 1),
    ]
    pen.fillStyle = css("--ink")
    for (const { at, name } of data.sites) {
      const [x, y] = spot(at)
      pen.fillRect(x - 5, y - 5, 10, 10)
      pen.fillText(name, x + 8, y + 4)
    }
    for (const { place, state } of found) {
      const [x, y] = spot(place)
      pen.beginPath()
      pen.moveTo(x, y - 6)
      pen.lineTo(x + 5, y + 5)
      pen.lineTo(x - 5, y + 5)
      pen.closePath()
      const color = css(state === "to the customer" ? "--series-2" : "--series-1")
      pen.fillStyle = color
      pen.strokeStyle = color
      if (state === "idle" || state === "back") pen.stroke()
      else pen.fill()
    }
  }

  function rowOf(texts) {
    const row = document.createElement("tr")
    for (const text of texts) {
      const cell = document.createElement("td")
      cell.textContent = text
      row.append(cell)
    }
    return row
  }

  function startMap() {
    const canvas = document.getElementById("map")
    if (canvas === null || data.vehicles.length === 0) return undefined
    const [slider, button, told, rows] = ["playhead", "play", "clock", "positions"].map((id) =>
      document.getElementById(id),
    )
    const world = extent()
    const draw = () => {
      const ms = data.fromMs + ((data.untilMs - data.fromMs) * Number(slider.value)) / 1000
      const found = data.vehicles.map((vehicle) => ({ ...placeAt(vehicle, ms), who: vehicle.who }))
      drawVehicles(canvas, world, found)
      told.textContent = clock(ms)
      rows.replaceChildren(
        ...found.map(({ who, place, state }) =>
          rowOf([who, state, place[0].toFixed(5), place[1].toFixed(5)]),
        ),
      )
    }
    let playing = 0
    button.addEventListener("click", () => {
      if (playing !== 0) {
        clearInterval(playing)
        playing = 0
        button.textContent = "Play"
        return
      }
      button.textContent = "Pause"
      playing = setInterval(() => {
        slider.value = String((Number(slider.value) + 1) % 1001)
        draw()
      }, 50)
    })
    slider.addEventListener("input", draw)
    draw()
    return draw
  }

  drawSeries()
  gantt()
  const drawMap = startMap()
  const again = () => {
    drawSeries()
    gantt()
    drawMap?.()
  }
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", again)
  let settling
  addEventListener("resize", () => {
    clearTimeout(settling)
    settling = setTimeout(again, 100)
  })
})()
