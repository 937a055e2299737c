/** A JSON Schema that cannot be used; the message is a sentence for the caller. */
export class SchemaError extends Error {}
