const secretNames = /password|secret|token|^hash$|api_?key|full_?key|credential|private_?key|authorization|cookie/i;
const depthMax = 8;

/** A copy without secrets, in which everything can be stored: the audit log must take what any service sends. */
export function redacted(value: unknown, depth = 0): unknown {
  if (typeof value === 'string') return storable(value);
  if (typeof value !== 'object' || value === null) return value;
  if (depth > depthMax) return '[too deep]';
  if (Array.isArray(value)) return value.map((one) => redacted(one, depth + 1));
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [
      storable(key),
      secretNames.test(key) ? hidden(inner) : redacted(inner, depth + 1),
    ]),
  );
}

/** Before and after of a secret still show that it changed, not what it was. */
function hidden(value: unknown): unknown {
  if (typeof value === 'object' && value !== null && 'from' in value && 'to' in value)
    return { from: '[redacted]', to: '[redacted]' };
  return '[redacted]';
}

/** PostgreSQL stores neither NUL nor half of a surrogate pair. */
export function storable(text: string): string {
  return text.replaceAll('\0', '').toWellFormed();
}
