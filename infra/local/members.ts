import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './paths.ts';

/** A process of the fleet: the gateway, or a service. */
export interface Member {
  name: string;
  entry: string;
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
      hasDatabase: existsSync(join(dir, 'prisma/schema.prisma')),
    }))
    .filter(({ entry }) => existsSync(entry));
}
