import { type IdKind, type ResourceType, resourceTypes } from '@tandem/contract';
import { createIdCodec } from '@tandem/ids';

// An alphabet for examples only: every deployment has its own secret alphabet.
const ids = createIdCodec('0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz');
const exampleTenant = 4211;
const firstNumber = 90_417;

/** A constant example id in wire form. The event examples in the contracts use the same ids. */
export function exampleId(type: IdKind, index = 0): string {
  return ids.encode(type, exampleTenant, type === 'tenant' ? exampleTenant + index : firstNumber + index);
}

/** Whether a text is an example id of the given type. */
export function isExampleId(type: IdKind, id: string): boolean {
  return ids.decode(type, type === 'tenant' ? undefined : exampleTenant, id) !== undefined;
}

/** Another example id of the same type, for lists that need several values; any other value is returned unchanged. */
export function nextExampleId(value: unknown, index: number): unknown {
  const types = Object.keys(resourceTypes) as ResourceType[];
  const type = types.find((one) => typeof value === 'string' && isExampleId(one, value));
  return type ? exampleId(type, index) : value;
}
