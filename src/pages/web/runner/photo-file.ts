/**
 * The photo of a load, made small on the phone: drawn anew at most 1,600 pixels wide or high, so that place and camera
 * data do not leave the phone.
 */

const SIDE_MAX = 1600
const QUALITY = 0.82

export interface TakenPhoto {
  readonly blob: Blob
  readonly canvas: HTMLCanvasElement
}

/** Rejects when the file is no picture that the browser reads. */
export async function redrawn(file: Blob): Promise<TakenPhoto> {
  const picture = await createImageBitmap(file)
  const scale = Math.min(1, SIDE_MAX / Math.max(picture.width, picture.height))
  const canvas = document.createElement("canvas")
  canvas.width = Math.max(1, Math.round(picture.width * scale))
  canvas.height = Math.max(1, Math.round(picture.height * scale))
  canvas.getContext("2d")?.drawImage(picture, 0, 0, canvas.width, canvas.height)
  picture.close()
  const blob = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, "image/jpeg", QUALITY))
  if (blob === null) throw new Error("the picture cannot be written")
  return { blob, canvas }
}
