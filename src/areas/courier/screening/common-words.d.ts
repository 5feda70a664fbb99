/** The package has types for its main module alone, which would load its dictionaries of names too. */
declare module "@zxcvbn-ts/language-en/dist/commonWords.json.mjs" {
  const words: readonly string[]
  export default words
}
