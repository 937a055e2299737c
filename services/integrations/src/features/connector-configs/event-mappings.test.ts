import { catalogued } from '../../catalogue.ts';
import { eventMappingErrors } from './event-mappings.ts';

/** The paths of all fields of a value. */
function pathsOf(value: unknown, path: string): string[] {
  if (typeof value !== 'object' || value === null) return [path];
  return [path, ...Object.entries(value).flatMap(([name, inner]) => pathsOf(inner, `${path}.${name}`))];
}

it.each(catalogued.map(({ name, example }) => [name, example] as const))(
  'accepts each field of the example of %s, and no other one',
  (name, example) => {
    const froms = pathsOf(example, 'data');
    const mappings = froms.map((from, index) => ({ from, to: `field${index}` }));
    expect(froms.length).toBeGreaterThan(1);
    expect(eventMappingErrors(mappings, [name])).toEqual([]);
    expect(eventMappingErrors([{ from: 'data.nothing', to: 'a' }], [name]).map(({ field }) => field)).toEqual([
      'fieldMappings.0.from',
    ]);
  },
);
