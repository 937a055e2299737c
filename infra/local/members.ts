import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './paths.ts';

/** A process of the fleet: the gateway, or a service. */
export interface Member {
  name: string;
  entry: string;
  /** Node flags from `config.nodeFlags` in its package.json, which its image uses too (infra/deploy/Dockerfile). */
  nodeFlags: string[];
  /** Whether it has its own database. */
  hasDatabase: boolean;
}

export const gatewayName = 'gateway';

/** The gateway, and every service with a `src/main.ts`, sorted by name. */
export function findMembers(home: string = root): Member[] {
  const services = join(home, 'services');
  const names = existsSync(services) ? readdirSync(services).sort() : [];
  return [
    { name: gatewayName, dir: join(home, 'gateway') },
    ...names.map((name) => ({ name, dir: join(services, name) })),
  ]
    .map(({ name, dir }) => ({
      name,
      entry: join(dir, 'src/main.ts'),
      nodeFlags: nodeFlagsOf(dir),
      hasDatabase: existsSync(join(dir, 'prisma/schema.prisma')),
    }))
    .filter(({ entry }) => existsSync(entry));
}

function nodeFlagsOf(dir: string): string[] {
  const file = join(dir, 'package.json');
  if (!existsSync(file)) return [];
  const { config } = JSON.parse(readFileSync(file, 'utf8')) as { config?: { nodeFlags?: string } };
  return config?.nodeFlags?.split(' ') ?? [];
}
