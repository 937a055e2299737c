import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './paths.ts';

/** A process of the fleet: the gateway, or a service. */
export interface Member {
  name: string;
  entry: string;
  /** Node's flags for it: `config.nodeFlags` of its package.json, which its image reads as well (infra/deploy/Dockerfile). */
  nodeFlags: string[];
  /** Whether it keeps data of its own. */
  hasDatabase: boolean;
}

export const gatewayName = 'gateway';

/** The gateway and every service that can be started, by name. */
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
