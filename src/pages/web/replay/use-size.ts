/** Follows the size of an element, and of the reader's colour scheme. */

import type { RefObject } from "preact"
import { useEffect, useState } from "preact/hooks"
import { readPalette } from "./seen/palette.ts"
import type { Palette } from "./seen/palette.ts"

interface Size {
  readonly width: number
  readonly height: number
}

/** Zero before the first layout. */
export function useSize(of: RefObject<Element | null>): Size {
  const [size, setSize] = useState<Size>({ width: 0, height: 0 })
  useEffect(() => {
    const element = of.current
    if (element === null) return undefined
    const watching = new ResizeObserver(([entry]) => {
      if (entry === undefined) return
      const { width, height } = entry.contentRect
      setSize({ width: Math.round(width), height: Math.round(height) })
    })
    watching.observe(element)
    return () => watching.disconnect()
  }, [])
  return size
}

export function usePalette(): Palette {
  const [palette, setPalette] = useState(readPalette)
  useEffect(() => {
    const dark = matchMedia("(prefers-color-scheme: dark)")
    const read = (): void => setPalette(readPalette())
    dark.addEventListener("change", read)
    return () => dark.removeEventListener("change", read)
  }, [])
  return palette
}

/** Fits the pixels of the screen, and returns what draws in px of the page; null without a canvas. */
export function sized(
  canvas: HTMLCanvasElement | null,
  { width, height }: Size,
): CanvasRenderingContext2D | null {
  const context = canvas?.getContext("2d") ?? null
  if (canvas === null || context === null || width === 0 || height === 0) return null
  const ratio = window.devicePixelRatio
  const [wide, high] = [Math.round(width * ratio), Math.round(height * ratio)]
  if (canvas.width !== wide || canvas.height !== high) {
    canvas.width = wide
    canvas.height = high
  }
  context.setTransform(ratio, 0, 0, ratio, 0, 0)
  return context
}
