import type { JsonSchema, Part } from './json.ts';
import { pascal } from './pascal.ts';

/**
 * Moves parameters shared by several operations to components and replaces them with references.
 * @returns the parameters, as `components.parameters`
 */
export function shareParameters(operations: Part[]): Record<string, Part> {
  const uses = new Map<string, { parameter: Part; count: number }>();
  for (const parameter of operations.flatMap(inline)) {
    const text = JSON.stringify(parameter);
    const use = uses.get(text) ?? { parameter, count: 0 };
    use.count += 1;
    uses.set(text, use);
  }
  const shared = new Map<string, string>();
  // If variants have the same name, the most frequent one gets it.
  for (const [text, { parameter, count }] of [...uses].sort(([, a], [, b]) => b.count - a.count)) {
    const name = componentName(parameter);
    if (count > 1 && !shared.has(name)) shared.set(name, text);
  }
  const names = new Map([...shared].map(([name, text]) => [text, name]));
  for (const operation of operations) {
    const { parameters } = operation as { parameters?: Part[] };
    if (!parameters) continue;
    operation.parameters = parameters.map((parameter) => {
      const name = names.get(JSON.stringify(parameter));
      return name ? { $ref: `#/components/parameters/${name}` } : parameter;
    });
  }
  return Object.fromEntries([...shared].map(([name, text]) => [name, JSON.parse(text) as Part]));
}

function inline({ parameters = [] }: { parameters?: Part[] }): Part[] {
  return parameters.filter((parameter) => !('$ref' in parameter));
}

/** `LeadId` for an id in the path, `LeadStatusFilter` for a named schema in the query, and `Limit` for other parameters. */
function componentName({ name, in: place, schema }: Part): string {
  const target = (schema as JsonSchema).$ref?.split('/').at(-1);
  if (!target) return pascal(String(name));
  return place === 'path' ? target : `${target}Filter`;
}
