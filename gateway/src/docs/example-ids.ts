import { type ResourceType, walkIds } from '@tandem/contract';
import { createIdCodec } from '@tandem/ids';
import { catalogue } from './vocabulary.ts';

// Codes of no deployment: theirs come from a secret alphabet.
const ids = createIdCodec('0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz');
const exampleTenant = 4211;
const othersEach = 3;
const firstNumber = 90_417;

const known = new Map<ResourceType, string>();
for (const { data, example } of catalogue) {
  for (const { path, type } of walkIds(data)) {
    const found = path.reduce<unknown>(
      (value, step) => (value as Record<string, unknown> | undefined)?.[step],
      example,
    );
    if (typeof found === 'string' && !known.has(type)) known.set(type, found);
  }
}

const others = new Map<string, string[]>();

/** An id as it looks on the wire, always the same: the one that the examples of events use, if any does. */
export function exampleId(type: ResourceType): string {
  const id = known.get(type) ?? ids.encode(type, exampleTenant, firstNumber);
  others.set(
    id,
    Array.from({ length: othersEach }, (_, index) => ids.encode(type, exampleTenant, firstNumber + index + 1)),
  );
  return id;
}

/** Another id of the same type, for lists that hold several. */
export function otherExampleId(id: unknown, index: number): unknown {
  return others.get(id as string)?.[index % othersEach] ?? id;
}
