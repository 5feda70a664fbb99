/**
 * A sound and a vibration, for a runner who does not look at the phone. Both are extras: a banner says the same. A locked
 * phone plays neither, so its screen stays on while the runner has a task.
 */

let audio: AudioContext | null = null

/** Browsers play sound only after the first touch of the page. */
export function allowSoundAtFirstTouch(): void {
  const allow = (): void => {
    audio ??= new AudioContext()
    void audio.resume()
  }
  for (const touch of ["pointerdown", "keydown"] as const)
    window.addEventListener(touch, allow, { passive: true })
}

/** Keeps the screen on until the answer is called. A browser that cannot, or may not, leaves it to the phone. */
export function keepScreenOn(): () => void {
  if (!("wakeLock" in navigator)) return () => undefined
  let isOver = false
  let lock: WakeLockSentinel | null = null
  const hold = async (): Promise<void> => {
    if (document.visibilityState !== "visible" || (lock !== null && !lock.released)) return
    try {
      const held = await navigator.wakeLock.request("screen")
      if (isOver) await held.release()
      else lock = held
    } catch {
      // Refused at a low battery.
    }
  }
  // The browser takes the lock away from a hidden page.
  const onVisible = (): void => void hold()
  document.addEventListener("visibilitychange", onVisible)
  void hold()
  return () => {
    isOver = true
    document.removeEventListener("visibilitychange", onVisible)
    void lock?.release()
  }
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
