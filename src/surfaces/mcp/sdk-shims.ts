// Stands in for the SDK's own shims in the bundle (see scripts/build.mjs). Those bring a JSON schema validator of 290 KB
// that only elicitation uses, which is not offered here, and parsing it is a tenth of the time to the tool list.
export { default as process } from 'node:process'

export class DefaultJsonSchemaValidator {
  getValidator(): never {
    throw new Error('no JSON schema is validated by the SDK: elicitation is not offered')
  }
}
