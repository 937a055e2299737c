import { existsSync, readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';

/** A service that keeps data: its name and where its sources lie. */
export interface ServiceSource {
  name: string;
  dir: string;
}

/** The root of the workspace this package belongs to. */
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
