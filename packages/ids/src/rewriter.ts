import type { IdKind, IdPath } from '@tandem/contract';

/** Replaces every id in a JSON value, in place. `replace` gets the current value and returns the new one. */
export type Rewriter = (value: unknown, replace: (type: IdKind, value: unknown) => unknown) => void;

/** A node of the id positions: an id, or the nodes of every entry or of named fields. */
export interface Step {
  type?: IdKind;
  every?: Step;
  fields: [string, Step][];
}

/**
 * Compiles the id positions of a schema (walkIds) into one walk that visits nothing else of the value. null and absent
 * values stay as they are.
 */
export function compileRewriter(paths: IdPath[]): Rewriter {
  const root = compileSteps(paths);
  if (!paths.length) return () => {};
  return (value, replace) => {
    visit(root, value, replace);
  };
}

/** Arranges the id positions of a schema as a tree. */
export function compileSteps(paths: IdPath[]): Step {
  const root: Step = { fields: [] };
  for (const { path, type } of paths) path.reduce(child, root).type = type;
  return root;
}

function child(step: Step, name: string): Step {
  if (name === '*') {
    step.every ??= { fields: [] };
    return step.every;
  }
  const known = step.fields.find(([field]) => field === name);
  if (known) return known[1];
  const added: Step = { fields: [] };
  step.fields.push([name, added]);
  return added;
}

function visit(step: Step, value: unknown, replace: (type: IdKind, value: unknown) => unknown): unknown {
  if (value === null || value === undefined) return value;
  if (step.type) return replace(step.type, value);
  if (typeof value !== 'object') return value;
  if (step.every) {
    const items = value as Record<string, unknown>;
    for (const key of Array.isArray(value) ? value.keys() : Object.keys(value))
      items[key] = visit(step.every, items[key], replace);
  }
  const record = value as Record<string, unknown>;
  for (const [field, next] of step.fields) {
    const nested = record[field];
    if (nested !== undefined && nested !== null) record[field] = visit(next, nested, replace);
  }
  return value;
}
