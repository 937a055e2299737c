import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fleet } from './contracts.ts';

const services = join(import.meta.dirname, '../../services');

it('includes every service in the services folder', () => {
  const running = readdirSync(services).filter((name) => existsSync(join(services, name, 'src/main.ts')));
  expect(Object.keys(fleet).sort()).toEqual(running.sort());
});
