import { readFileSync } from 'node:fs';
import { glob } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import {
  isPerformableByUsers,
  neededPermissions,
  type Operation,
  permissionsByField,
  plainPermissions,
} from '@tandem/contract';
import { fleet } from '@tandem/gateway/contracts';

// A button acts with the permissions of whoever presses it, so its creator must have all that the operation can need. They
// are checked against the row of the operation: what only a handler asks for would remain unchecked.
const root = resolve(import.meta.dirname, '../..');
const asks = /\b(?:reachOf|under|allows|covers)\s*\(/;
const imported = /^(?:import|export) (?!type )[^;]*? from '(\.[^']+)';/gms;

const sources = new Map<string, string>();
for await (const path of glob('services/*/src/**/*.ts', { cwd: root })) {
  if (!/\.test(-\w+)?\.ts$/.test(path) && !path.includes('/generated/'))
    sources.set(join(root, path), readFileSync(join(root, path), 'utf8'));
}

/** A file of a service with all files that it imports. */
function withImports(path: string, seen = new Set<string>()): Set<string> {
  const source = sources.get(path);
  if (source === undefined || seen.has(path)) return seen;
  seen.add(path);
  for (const [, target] of source.matchAll(imported)) withImports(resolve(dirname(path), target as string), seen);
  return seen;
}

/** The files that export or configure the handler of an operation, or the function that makes it. */
function handlersOf(service: string, { id }: Operation): string[] {
  const inFeatures = join(root, 'services', service, 'src/features');
  const maker = [...sources]
    .filter(([path]) => path.startsWith(inFeatures))
    .map(([, source]) => source.match(new RegExp(`\\b${id}: (\\w+)\\(`))?.[1])
    .find((name) => name);
  const handler = new RegExp(`export (?:async )?(?:const|function) ${maker ?? id}\\b|\\.${maker ?? id}\\b`);
  return [...sources]
    .filter(([path, source]) => path.startsWith(inFeatures) && !path.endsWith('.job.ts') && handler.test(source))
    .map(([path]) => path);
}

/** The permissions that the handler of an operation checks although its row does not declare them. */
function undeclared(service: string, row: Operation): string[] {
  const declared = [...neededPermissions(row), ...permissionsByField(row).map(({ permission }) => permission)];
  const files = handlersOf(service, row);
  if (!files.length) return [`The handler of ${row.id} was not found`];
  const asking = [...new Set(files.flatMap((path) => [...withImports(path)]))].filter((path) =>
    asks.test(sources.get(path) as string),
  );
  return asking.flatMap((path) => {
    const source = sources.get(path) as string;
    const named = plainPermissions.filter((permission) => source.includes(`'${permission}'`));
    if (!named.length) return [`${path.slice(root.length + 1)} asks for a permission that it does not name`];
    return named.filter((permission) => !declared.includes(permission));
  });
}

const rows = Object.entries(fleet).flatMap(([service, operations]) =>
  Object.values(operations).map((row: Operation) => [row.id, service, row] as const),
);

// No button carries out an operation of identity: see action-call.ts.
const performable = rows.filter(([, service, row]) => service !== 'identity' && isPerformableByUsers(row));
it.each(performable)('%s asks for declared permissions only', (_, service, row) => {
  expect(undeclared(service, row)).toEqual([]);
});

it.each(rows.filter(([, , row]) => row.checksPermissions))('%s asks for further permissions', (_, service, row) => {
  expect(undeclared(service, row)).not.toEqual([]);
});
