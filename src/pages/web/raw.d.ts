/** The bundler takes a file's text. */
declare module "*.svg?raw" {
  const text: string
  export default text
}
