import { redact, redacted, type SecretPath } from '@tandem/contract';
import { apiCallLimits } from '@tandem/integrations-contract';

// A larger body is not parsed for the log, because that would delay other requests.
const parsedMax = 64 * 1024;
const { bodyBytes: keptMax } = apiCallLimits;
// Words in names of fields that an operation does not have, such as a misspelt `passwrod`, are unknown to its schema. An
// escaped letter could hide a word.
const suspicious = /pass|pwd|secret|token|credential|authorization|api_?key|private_?key|\\u00/i;
const suspiciousName = /^pass$|passw|passphrase|pwd|secret|token|credential|authorization|api_?key|private_?key/i;

/** The part of a JSON request body that may be logged: secrets are replaced, then the text is cut. Null if it cannot be redacted. */
export function loggedRequest(body: Buffer, secrets: readonly SecretPath[]): string | null {
  const kept = cut(body);
  if (!secrets.length && !suspicious.test(kept)) return kept;
  return redactedText(body, (value) => {
    redact(value, secrets);
    redactByName(value);
  });
}

/** The same for a response body, whose fields are all declared. */
export function loggedResponse(body: Buffer | string, secrets: readonly SecretPath[]): string | null {
  return secrets.length ? redactedText(body, (value) => redact(value, secrets)) : cut(body);
}

function redactedText(body: Buffer | string, replace: (value: unknown) => void): string | null {
  if (body.length > parsedMax) return null;
  try {
    const value: unknown = JSON.parse(body.toString());
    replace(value);
    return cut(JSON.stringify(value));
  } catch {
    return null;
  }
}

/** Replaces texts, lists and objects in fields whose names mean a secret in any operation; a number is a count of tokens. */
function redactByName(value: unknown): void {
  if (typeof value !== 'object' || value === null) return;
  const fields = value as Record<string, unknown>;
  for (const name of Object.keys(fields)) {
    const field = fields[name];
    const canBeSecret = typeof field === 'string' || (typeof field === 'object' && field !== null);
    if (canBeSecret && suspiciousName.test(name)) fields[name] = redacted;
    else redactByName(field);
  }
}

/** At most the first 8 KiB in UTF-8, without a part of a character at the end. The result does not keep a large body in memory. */
function cut(body: Buffer | string): string {
  if (typeof body === 'string') {
    if (body.length * 3 <= keptMax || (body.length <= keptMax && Buffer.byteLength(body) <= keptMax)) return body;
    return cut(Buffer.from(body.slice(0, keptMax)));
  }
  if (body.length <= keptMax) return body.toString();
  let end = keptMax;
  // The bytes after the first one of a character begin with the bits 10.
  while (((body[end] as number) & 0xc0) === 0x80) end--;
  return body.toString('utf8', 0, end);
}
