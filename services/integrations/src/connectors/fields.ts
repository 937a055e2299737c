import type { Action } from './connector.ts';

const unsafe = new Set(['__proto__', 'constructor', 'prototype']);
const pathName = /^[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+){0,9}$/;

/** The mapped fields of an event, in the order of the mappings; all fields of its data without mappings. */
export function fieldsOf({ event, fieldMappings }: Action): [name: string, value: unknown][] {
  return fieldMappings.length
    ? fieldMappings.map(({ from, to }) => [to, valueAt(event, from)])
    : Object.entries(event.data);
}

/** Why a text is not a path of a field to write; undefined if it is one. */
export function pathError(path: string): string | undefined {
  const isPath = pathName.test(path) && !path.split('.').some((name) => unsafe.has(name));
  return isPath ? undefined : 'Must be names of fields, separated by dots';
}

/** An object with these fields; a path such as `contact.email` makes an object in the object. */
export function objectOf(fields: readonly [path: string, value: unknown][]): Record<string, unknown> {
  const made: Record<string, unknown> = {};
  for (const [path, value] of fields) {
    const names = path.split('.');
    const last = names.pop() as string;
    let at = made;
    for (const name of names) {
      const inner = at[name];
      const next = typeof inner === 'object' && inner !== null ? inner : {};
      at[name] = next;
      at = next as Record<string, unknown>;
    }
    at[last] = value;
  }
  return made;
}

/** The value at a path; null if there is none. */
function valueAt(event: object, path: string): unknown {
  let value: unknown = event;
  for (const name of path.split('.')) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return null;
    value = (value as Record<string, unknown>)[name];
  }
  return value;
}
