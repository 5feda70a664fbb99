/** Places in a picture. */

/** Unit: px, from the picture's upper left corner. */
export interface Point {
  readonly x: number
  readonly y: number
}

export interface Box extends Point {
  readonly width: number
  readonly height: number
}
