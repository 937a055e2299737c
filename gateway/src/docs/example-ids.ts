import { type ResourceType, resourceTypes } from '@tandem/contract';
import { createIdCodec } from '@tandem/ids';

// Codes of no deployment: theirs come from a secret alphabet.
const ids = createIdCodec('0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz');
const exampleTenant = 4211;
const firstNumber = 90_417;

/** An id as it looks on the wire, always the same. The examples of events in the contracts use the same ones. */
export function exampleId(type: ResourceType, index = 0): string {
  return ids.encode(type, exampleTenant, type === 'tenant' ? exampleTenant + index : firstNumber + index);
}

/** Whether a text is an id of the examples, of the given type. */
export function isExampleId(type: ResourceType, id: string): boolean {
  return ids.decode(type, type === 'tenant' ? undefined : exampleTenant, id) !== undefined;
}

/** For a list that needs several values: another id of the same type as the given one; what is no id stays as it is. */
export function nextExampleId(value: unknown, index: number): unknown {
  const types = Object.keys(resourceTypes) as ResourceType[];
  const type = types.find((one) => typeof value === 'string' && isExampleId(one, value));
  return type ? exampleId(type, index) : value;
}
