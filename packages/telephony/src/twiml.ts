// The maximum of the parameter Twiml.
const twimlMax = 4_000;

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&apos;' };
// Neither these characters nor half of a pair may be in XML, not even escaped.
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is removed.
const notInXml = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]|\p{Surrogate}/gu;

/** TwiML that says a text; undefined if it is longer than the provider accepts. The text is escaped, so it cannot add verbs. */
export function twimlOf(text: string): string | undefined {
  const escaped = text.replaceAll(notInXml, '').replaceAll(/[&<>"']/g, (one) => entities[one] ?? '');
  const twiml = `<Response><Say>${escaped}</Say></Response>`;
  return twiml.length > twimlMax ? undefined : twiml;
}
