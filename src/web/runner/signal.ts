/** A sound and a vibration, for a runner who does not look at the phone. Both are extras: a banner says the same. */

let audio: AudioContext | null = null

/** Browsers play sound only after a press; called by every press of a move. */
export function allowSound(): void {
  audio ??= new AudioContext()
  void audio.resume()
}

export function ring(): void {
  if ("vibrate" in navigator) navigator.vibrate([200, 100, 200])
  if (audio === null || audio.state !== "running") return
  for (const [at, frequency] of [
    [0, 660],
    [0.18, 880],
  ] as const) {
    const tone = audio.createOscillator()
    const volume = audio.createGain()
    volume.gain.value = 0.2
    tone.frequency.value = frequency
    tone.connect(volume).connect(audio.destination)
    tone.start(audio.currentTime + at)
    tone.stop(audio.currentTime + at + 0.15)
  }
}
