import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { dirname } from 'node:path';

// Below Linux' ephemeral port range, so that outgoing connections do not use these ports.
const firstPort = 20_000;
const portsMax = 12_000;

/** The ports of a data folder by purpose. They are reused unless another program has taken them. */
export class Ports {
  readonly #file: string;
  readonly #known: Record<string, number>;

  constructor(file: string) {
    this.#file = file;
    this.#known = readPorts(file);
  }

  /** The port for a purpose; currently free, and saved for the next run. */
  async get(purpose: string): Promise<number> {
    const known = this.#known[purpose];
    if (known !== undefined && (await isFree(known))) return known;
    const port = await this.#choose();
    this.#known[purpose] = port;
    this.#save();
    return port;
  }

  async #choose(): Promise<number> {
    const taken = new Set(Object.values(this.#known));
    // Random, so that two clones that start at the same time do not try the same ports in the same order.
    const offset = Math.floor(Math.random() * portsMax);
    for (let step = 0; step < portsMax; step += 1) {
      const port = firstPort + ((offset + step) % portsMax);
      if (!taken.has(port) && (await isFree(port))) return port;
    }
    throw new Error('no free port on this machine');
  }

  #save(): void {
    mkdirSync(dirname(this.#file), { recursive: true });
    writeFileSync(`${this.#file}.new`, `${JSON.stringify(this.#known, null, 2)}\n`);
    renameSync(`${this.#file}.new`, this.#file);
  }
}

/** Returned by `anyFreePort`, perhaps without a listener yet: among the 50 of a large fleet, two would often be the same. */
const allocated = new Set<number>();

/** A free port that no outgoing connection takes, and that this process gets only once; not saved. */
export async function anyFreePort(): Promise<number> {
  for (let tries = 0; tries < portsMax; tries += 1) {
    const port = firstPort + Math.floor(Math.random() * portsMax);
    if (allocated.has(port)) continue;
    allocated.add(port);
    if (await isFree(port)) return port;
  }
  throw new Error('no free port on this machine');
}

/** Whether a port of the loopback address is free. */
export function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen({ port, host: '127.0.0.1', exclusive: true }, () => server.close(() => resolve(true)));
  });
}

/**
 * Keeps a free port, so that no other program takes it while the stores start.
 * @returns releases the port
 * @throws the error of `listen` when the port is in use
 */
export function hold(port: number): Promise<() => Promise<void>> {
  return new Promise((resolve, reject) => {
    const server = createServer((socket) => socket.destroy()).unref();
    const release = () => new Promise<void>((released) => void server.close(() => released()));
    server.once('error', reject);
    server.listen({ port, host: '127.0.0.1', exclusive: true }, () => resolve(release));
  });
}

/** The first free port, starting at `port`. */
export async function nextFree(port: number): Promise<number> {
  let candidate = port;
  while (!(await isFree(candidate))) candidate += 1;
  return candidate;
}

function readPorts(file: string): Record<string, number> {
  try {
    const ports = JSON.parse(readFileSync(file, 'utf8')) as Record<string, unknown>;
    return Object.fromEntries(
      Object.entries(ports).filter((entry): entry is [string, number] => Number.isInteger(entry[1])),
    );
  } catch {
    return {};
  }
}
