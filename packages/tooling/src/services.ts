import { existsSync, readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';

/** A service with a database: its name and source folder. */
export interface ServiceSource {
  name: string;
  dir: string;
}

/** The root of the workspace that contains this package. */
export const workspaceRoot = resolve(import.meta.dirname, '../../..');

/** Every service of the workspace that has a Prisma schema, by name. */
export function findServices(root: string = workspaceRoot): ServiceSource[] {
  const home = join(root, 'services');
  if (!existsSync(home)) return [];
  return readdirSync(home)
    .sort()
    .map((name) => ({ name, dir: join(home, name) }))
    .filter(({ dir }) => existsSync(join(dir, 'prisma/schema.prisma')));
}
